// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "board/board.h"
#include "platform/config.h"
#include "platform/engine.h"

namespace gmmu::sim::board {

/// Makes the machine around a GPU on a board. `config` is that of Adopt (sizes.h). It throws ConfigError when waves are
/// asked for. `seed` and `shuffle` mean nothing to a board.
std::unique_ptr<Engine> CreateEngine(const MachineConfig& config, std::unique_ptr<Board> board,
                                     const EngineOptions& options);

}  // namespace gmmu::sim::board
