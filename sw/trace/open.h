// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>

#include "trace/access.h"
#include "trace/header.h"

namespace gmmu::trace {

struct Workload {
  Header header;
  std::unique_ptr<Source> source;
};

/// Opens a trace or a generator.
///
/// `what` is the path of a file in the format of docs/traces.md, or a generator with parameters such as
/// `gen:random,footprint=64MiB,count=100000`. `seed` is for generators that do not state one; a file does not use it.
/// `address_bits` is the width of the address space of the run. An access that does not end below 2^address_bits is
/// rejected when it is read; a generator whose arrays do not end below that address is rejected immediately. Open and
/// Next() throw TraceError. The same arguments always result in the same accesses.
Workload Open(const std::string& what, uint64_t seed, unsigned address_bits = 64);

}  // namespace gmmu::trace
