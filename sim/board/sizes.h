// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>
#include <string>

#include "board/board.h"
#include "host/config.h"

namespace gmmu::sim::board {

/// Throws ConfigError if the configuration requests what no board supports: several GPUs, VRAM that
/// responds out of order or flips a bit, or a lost response (`lost_answer`).
void RefuseSimulated(const MachineConfig& config, bool lost_answer);

/// Sets the keys that describe the GPU to the board's values, except the keys in `stated`. Throws
/// ConfigError, whose message contains the key and both values, if a stated value differs, or if
/// the tables have more levels or VRAM is larger than on the board. Smaller VRAM is allowed, and so
/// are sizes that software can reduce at run time.
void Adopt(const BoardIdentity& board, const std::set<std::string>& stated, MachineConfig& config);

/// Returns the value that the driver must write to the board's register sizes_in_use, or 0 if no
/// write is needed.
regs::SizesInUse TurnedDown(const MachineConfig& config, const BoardIdentity& board);

}  // namespace gmmu::sim::board
