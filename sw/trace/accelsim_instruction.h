// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace gmmu::trace {

/// The memory space of a GPU instruction. The MMU translates only global addresses.
enum class Space { kNone, kGlobal, kGeneric, kShared, kLocal, kConstant };

/// An instruction line of Accel-Sim's tracer, versions 3 to 5:
/// `[LINE] PC MASK N [REGISTERS] OPCODE N [REGISTERS] WIDTH [MODE ADDRESSES] [IMMEDIATE]`.
struct GpuInstruction {
  std::string opcode;  ///< with all modifiers, such as LDG.E.128.SYS
  Space space = Space::kNone;
  bool writes = false;
  uint32_t bytes = 0;               ///< bytes that each thread accesses
  std::vector<uint64_t> addresses;  ///< one address for each active thread

  /// If `lineinfo` is true, the line starts with a source line number. Throws std::runtime_error;
  /// its what() completes a sentence that starts with the line.
  static GpuInstruction Parse(const std::string& line, bool lineinfo);
};

}  // namespace gmmu::trace
