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
/// `what` is the path of a file in the format of docs/traces.md, or a generator with parameters,
/// such as `gen:random,footprint=64MiB,count=100000`. `seed` is the default seed of a generator;
/// files ignore it. `address_bits` is the width of the run's address space. An access that does not
/// end below 2^address_bits is rejected when it is read; a generator whose arrays do not end below
/// that address is rejected immediately. Open and Next() throw TraceError. The same arguments
/// always result in the same accesses.
Workload Open(const std::string& what, uint64_t seed, unsigned address_bits = 64);

}  // namespace gmmu::trace
