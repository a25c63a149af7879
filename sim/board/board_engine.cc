// SPDX-License-Identifier: Apache-2.0
#include "board/board_engine.h"

#include "board/machine.h"
#include "platform/host_image.h"

namespace gmmu::sim::board {
namespace {

class BoardEngine : public Engine {
 public:
  BoardEngine(const MachineConfig& config, std::unique_ptr<Board> board) : machine_(config, std::move(board)) {}

  int Run(const std::function<int(hw::Platform&)>& software) override { return software(machine_); }
  void DumpHost(std::ostream& out) override { WriteHostImage(machine_.ram(), out); }
  std::string DumpMappings() override { return MappingsAsJson(machine_.host().iommu(), machine_.ram()); }

 private:
  Machine machine_;
};

}  // namespace

std::unique_ptr<Engine> CreateEngine(const MachineConfig& config, std::unique_ptr<Board> board,
                                     const EngineOptions& options) {
  if (!options.waves.empty())
    throw ConfigError("a board has no waves: nobody sees its signals\nGive --engine rtl for them.");
  config.CheckNoPolicy("board");
  return std::make_unique<BoardEngine>(config, std::move(board));
}

}  // namespace gmmu::sim::board
