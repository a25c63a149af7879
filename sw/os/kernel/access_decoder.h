// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ucontext.h>

#include <cstdint>
#include <optional>

namespace gmmu::os {

/// One memory access by an instruction.
struct DecodedAccess {
  unsigned bytes = 0;  ///< bytes of one access; for a repeated instruction, of one repetition
  bool reads = false, writes = false;
};

/// Decodes the access to `address` that the x86-64 instruction at the instruction pointer of
/// `registers` makes. `write`: the processor reported a write fault, that is, a store or a
/// read-modify-write. Returns nullopt for an unknown instruction, or if the instruction does not
/// access `address`.
std::optional<DecodedAccess> DecodeAccess(const gregset_t& registers, uint64_t address, bool write);

}  // namespace gmmu::os
