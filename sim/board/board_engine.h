// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "board/board.h"
#include "board/gpu_on_board.h"
#include "host/plain_machine.h"

namespace gmmu::sim::board {

struct BoardMachine : PlainMachine<GpuOnBoard> {
  BoardMachine(const MachineConfig& config, std::unique_ptr<Board> board);
};

/// Creates the machine whose GPU is on a board. `config` must be the result of Adopt (sizes.h).
/// Throws ConfigError if waves are requested. The options `seed` and `shuffle` have no effect on a
/// board.
std::unique_ptr<Engine> CreateEngine(const MachineConfig& config, std::unique_ptr<Board> board,
                                     const EngineOptions& options);

}  // namespace gmmu::sim::board
