// SPDX-License-Identifier: Apache-2.0
// Runs every scenario on a board whose GPU is the behavioural twin, attached through a
// pseudo-terminal. Each scenario must end as it does on the fast engine with the board's sizes, or
// be rejected with a message that names the missing capability.
#include <map>
#include <set>

#include "tb/sim/board/fake_board.h"
#include "tb/sw/app/cli_bench.h"
#include "workload/built_in_scenarios.h"
#include "workload/scenario.h"

namespace gmmu::app {
namespace {

using sim::board::FakeBoard;
using sim::board::FakeBoardOptions;
using ::testing::HasSubstr;

/// Returns the scenarios that this board cannot run, each with a text that its error message must
/// contain.
const std::map<std::string, std::string>& Lacking() {
  static const std::string kRings = "gpu.rings = 2 (board: 1)", kOneGpu = "is possible in a simulated machine only";
  static const std::map<std::string, std::string> lacking{
      {"context-allocations", kRings},
      {"hung-adapter", "os.tdr_delay_us: a packet that does not hang may take up to"},
      {"hung-engine", "os.tdr_delay_us: a packet that does not hang may take up to"},
      {"render-page-fault", kRings},
      {"render-preemption", kRings},
      {"table-moves", kRings},
      {"table-moves-64k", kRings},
      {"threads-interleave", kRings},
      {"interrupt-of-another-device", kOneGpu},
      {"linked-two", kOneGpu},
      {"linked-four", kOneGpu},
      {"linked-four-sizes", kOneGpu},
      {"linked-two-64k", kOneGpu},
      {"linked-two-one-section", kOneGpu},
      {"linked-tables-pressure", kOneGpu},
      {"two-adapters", kOneGpu},
      {"linked-context-allocations", kOneGpu},
      {"linked-va-calls", kOneGpu},
      {"two-adapters-isolation", kOneGpu},
      {"two-adapters-removal", kOneGpu},
      {"two-adapters-linked", kOneGpu},
      {"two-adapters-trespass", kOneGpu},
      {"page-entries", "gpu.vram_mib = 64 (board: at most 32)"},
  };
  return lacking;
}

/// Scenarios that are left out because they must act while a client is running. On this board, a
/// client run completes at once. tb/system/board_test.cc runs one of these scenarios with the RTL.
const std::set<std::string> kOfTime{"aperture", "aperture-mdl", "aperture-tiny-buffers", "logical-pieces",
                                    "exclusive-access-under-load"};

class BoardScenario : public Cli, public ::testing::WithParamInterface<std::string> {
 protected:
  BoardScenario() : board_(Options()) {}
  static FakeBoardOptions Options() {
    FakeBoardOptions options;
    options.config = FakeBoard::SmallConfig();
    return options;
  }
  /// Writes the scenario to a file and returns its path. Sizes that the scenario leaves out are set
  /// to the board's.
  std::string Sized(const std::string& name) const {
    std::string text, sizes = "[machine.gpu]\n";
    for (const workload::BuiltInScenario& file : workload::BuiltInScenarioFiles())
      if (file.name == name + ".toml") text = file.text;
    const auto& gpu = FakeBoard::SmallConfig().gpu;
    const std::vector<std::pair<std::string, uint64_t>> keys{
        {"clients", gpu.clients},   {"rings", gpu.rings},
        {"walks", gpu.walks},       {"reads_in_flight", gpu.reads_in_flight},
        {"vram_mib", gpu.vram_mib}, {"clock_mhz", gpu.clock_mhz}};
    for (const auto& [key, value] : keys)
      if (text.find("\n" + key + " = ") == std::string::npos) sizes += key + " = " + std::to_string(value) + "\n";
    const size_t place = text.find("[machine.gpu]\n");
    if (place == std::string::npos) text += "\n" + sizes;
    else text.replace(place, std::string("[machine.gpu]\n").size(), sizes);
    std::ofstream(Path(name + ".toml")) << text;
    return Path(name + ".toml");
  }

  FakeBoard board_;
};

TEST_P(BoardScenario, EndsAsOnTheFastEngineOrIsRefused) {
  const std::string scenario = Sized(GetParam());
  const std::vector<std::string> on_board{"run",        "--engine", "board",  "--port",     board_.port(),
                                          "--scenario", scenario,   "--json", Path("board")};
  const auto lacks = Lacking().find(GetParam());
  if (lacks != Lacking().end()) return ExpectRefusal(on_board, lacks->second);
  EXPECT_EQ(Run(on_board), kExitGood) << out_ << err_;
  EXPECT_EQ(board_.violation(), "");
  EXPECT_EQ(Run({"run", "--engine", "fast", "--scenario", scenario, "--json", Path("fast")}), kExitGood)
      << out_ << err_;
  EXPECT_EQ(Run({"compare", Path("fast"), Path("board")}), kExitGood) << out_ << err_;
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const workload::Scenario& scenario : workload::Scenarios())
    if (kOfTime.count(scenario.name) == 0 && !workload::ForPhysicalModel(scenario)) names.push_back(scenario.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, BoardScenario, ::testing::ValuesIn(Names()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace gmmu::app
