// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hw/gmmu_regs.h"
#include "twin/path.h"

namespace gmmu::sim::twin {

/// What the commands of a ring may do, derived from the ring and the hardware sizes.
struct CommandRights {
  bool privileged = false;
  /// The paging buffer's space. Unprivileged commands may use no other space.
  unsigned space = 0;
  unsigned spaces = 0;          ///< number of spaces built
  uint64_t aperture_pages = 0;  ///< value of register aperture_pages
  uint64_t aperture_base = 0;
};

/// A checked and decoded command. The checks are made in the order of rtl/dma/README.md, "Faults and their priority".
struct Command {
  /// The source of a write's bytes.
  enum class Data : uint8_t {
    kNone,
    kCopy,    ///< `source`
    kFill,    ///< `value`, 4 bytes
    kSeries,  ///< `value`, `value` + `step`, ...
    kInline,  ///< words of the buffer, starting at `inline_word`
    kValue,   ///< `value`, 8 bytes
  };
  /// The operation that follows when all writes of the command are done.
  enum class After : uint8_t { kNothing, kFlushAperture, kFlushUnmapped, kFlushTlb, kSignal };

  regs::CommandHeaderWord header;
  regs::Fault fault = regs::Fault::kNone;
  Data data = Data::kNone;
  After after = After::kNothing;
  Address source, destination;
  uint64_t bytes = 0;
  uint64_t value = 0, step = 0;
  unsigned inline_word = 0;     ///< index of the first data word in the command
  uint64_t start = 0, end = 0;  ///< range to flush
};

/// Returns how many words after the header JudgeCommand reads, or 0 for a bad header.
unsigned OperandWords(regs::CommandHeaderWord header);

/// Checks the header only: opcode, size, reserved bits, and whether the command ends inside the
/// buffer.
regs::Fault JudgeHeader(regs::CommandHeaderWord header, uint64_t words_left);

/// Checks and decodes a whole command; `words` are its header and operands.
Command JudgeCommand(const uint64_t* words, const CommandRights& rights);

}  // namespace gmmu::sim::twin
