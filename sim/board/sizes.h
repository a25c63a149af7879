// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>
#include <string>

#include "board/board.h"
#include "platform/config.h"

namespace gmmu::sim::board {

/// Throws ConfigError when the configuration asks for what only a simulated machine has: several GPUs, VRAM that answers
/// out of order or flips a bit, an answer that is lost (`lost_answer`).
void RefuseSimulated(const MachineConfig& config, bool lost_answer);

/// Gives the keys that describe the GPU the board's values, where `stated` does not have them. Throws ConfigError, with
/// key and both values, when a stated one differs, and when the tables have more levels or VRAM is larger than the
/// board's. Less VRAM than the board has is possible, and so are sizes to which the board can be turned down.
void Adopt(const BoardIdentity& board, const std::set<std::string>& stated, MachineConfig& config);

/// What the driver has to write to the board's register sizes_in_use; 0: nothing.
regs::SizesInUse TurnedDown(const MachineConfig& config, const BoardIdentity& board);

}  // namespace gmmu::sim::board
