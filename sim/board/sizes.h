// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>
#include <string>

#include "board/board.h"
#include "host/config.h"

namespace gmmu::sim::board {

/// Throws ConfigError when the configuration requests features of simulated machines only: several GPUs, VRAM that
/// responds out of order or flips a bit, or a lost response (`lost_answer`).
void RefuseSimulated(const MachineConfig& config, bool lost_answer);

/// Sets the keys that describe the GPU to the board's values, except those in `stated`. Throws ConfigError, naming the
/// key and both values, when a stated value differs, and when the tables have more levels or VRAM is larger than on the
/// board. Less VRAM is allowed, and so are sizes that the board can be turned down to.
void Adopt(const BoardIdentity& board, const std::set<std::string>& stated, MachineConfig& config);

/// Returns the value that the driver must write to the board's register sizes_in_use; 0: none.
regs::SizesInUse TurnedDown(const MachineConfig& config, const BoardIdentity& board);

}  // namespace gmmu::sim::board
