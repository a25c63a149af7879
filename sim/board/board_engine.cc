// SPDX-License-Identifier: Apache-2.0
#include "board/board_engine.h"

#include "host/config.h"
#include "host/time_model.h"
#include "iommu/remapper.h"

namespace gmmu::sim::board {
namespace {

/// Returns all-zero time parameters: with a real board, all latencies are real.
TimeParameters NoTime() {
  TimeParameters time;
  time.iommu_lookup_ps = time.iommu_descriptor_ps = time.pcie_latency_ps = 0;
  time.dram.controller_ps = time.dram.trcd_ps = time.dram.tcas_ps = time.dram.burst_ps = 0;
  return time;
}

}  // namespace

BoardMachine::BoardMachine(const MachineConfig& config, std::unique_ptr<Board> board)
    : PlainMachine(config, NoTime(), 0, nullptr, std::move(board)) {}

std::unique_ptr<Engine> CreateEngine(const MachineConfig& config, std::unique_ptr<Board> board,
                                     const EngineOptions& options) {
  if (!options.waves.empty())
    throw ConfigError("a board has no waves: nobody sees its signals\nGive --engine rtl for them.");
  config.CheckNoPolicy("board");
  return std::make_unique<PlainEngine<BoardMachine>>(config, std::move(board));
}

}  // namespace gmmu::sim::board
