// SPDX-License-Identifier: Apache-2.0
// Runs the built-in driver in threads that are preempted inside it. The driver is compiled so that
// each of its memory accesses is observed.
#include <nlohmann/json.hpp>

#include "cli_bench.h"

namespace gmmu::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct WatchedDriver : Cli {
  /// Runs a scenario with `driver` and returns the exit status. If the scenario's file has a
  /// `preemption` key, that value is used.
  int RunScenario(const std::string& driver, const std::string& scenario, uint64_t seed, unsigned preemption = 100) {
    std::ifstream file(GMMU_SOURCE_DIR "/sw/workload/scenarios/" + scenario + ".toml");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    const size_t os = text.find("[machine.os]\n");
    const std::string key = "preemption = " + std::to_string(preemption) + "\n";
    if (text.find("preemption = ") == std::string::npos) {
      if (os == std::string::npos) text += "\n[machine.os]\n" + key;
      else text.insert(os + 13, key);
    }
    std::ofstream(Path(scenario + ".toml")) << text;
    return Run({"run", "--scenario", Path(scenario + ".toml"), "--engine", "fast", "--seed", std::to_string(seed),
                "--driver", GMMU_DRIVERS + driver + ".so", "--json", Path("report.json")});
  }
  nlohmann::json Report() const {
    std::ifstream file(Path("report.json"));
    nlohmann::json report = nlohmann::json::parse(file);
    report.erase("host_seconds");
    return report;
  }
};

TEST_F(WatchedDriver, HasNoRaceWithThreadsThatInterleave) {
  for (uint64_t seed = 0; seed < 20; ++seed)
    EXPECT_EQ(RunScenario("watched", "threads-interleave", seed), kExitGood) << "seed " << seed << "\n" << out_ << err_;
}

TEST_F(WatchedDriver, HasNoRaceInResetsAndPreemption) {
  for (const char* scenario : {"render-preemption", "render-page-fault", "hung-engine", "hung-adapter"}) {
    for (uint64_t seed = 0; seed < 8; ++seed)
      EXPECT_EQ(RunScenario("watched", scenario, seed), kExitGood) << scenario << " seed " << seed << "\n"
                                                                   << out_ << err_;
  }
}

TEST_F(WatchedDriver, HasNoRaceOnThePathsOfMemoryAndPower) {
  for (const char* scenario : {"main-job", "va-calls", "context-allocations", "sleep-with-processes", "linked-two",
                               "exclusive-access-under-load", "oversubscribed-vram", "power-cycle"}) {
    for (uint64_t seed = 0; seed < 3; ++seed)
      EXPECT_EQ(RunScenario("watched", scenario, seed), kExitGood) << scenario << " seed " << seed << "\n"
                                                                   << out_ << err_;
  }
}

// PreemptCommand and ResetEngine write data that the interrupt routine also uses. If they do so
// below device IRQL, the accesses race.
TEST_F(WatchedDriver, WithoutDeviceLevelInPreemptCommandOrResetEngineIsFoundOut) {
  EXPECT_EQ(RunScenario("unlocked", "threads-interleave", 0), kExitFailed);
  EXPECT_THAT(out_,
              AllOf(HasSubstr("data race on pool gmmu"), HasSubstr("DxgkDdiPreemptCommand (thread preempter"),
                    HasSubstr("DxgkDdiInterruptRoutine (thread interrupts)"), HasSubstr("driver_unlocked.so+0x")));
  EXPECT_THAT(Report()["faults"][0]["text"], HasSubstr("no lock orders them"));

  int found = 0;
  for (uint64_t seed = 0; seed < 16; ++seed) {
    if (RunScenario("unlocked", "render-page-fault", seed) == kExitGood) continue;
    ++found;
    EXPECT_THAT(out_, AllOf(HasSubstr("data race"), HasSubstr("DxgkDdiResetEngine")));
  }
  EXPECT_GT(found, 0);
}

TEST_F(WatchedDriver, OfASeedRunsTheSameTwice) {
  const auto run = [this](uint64_t seed) {
    EXPECT_EQ(RunScenario("watched", "threads-interleave", seed), kExitGood) << out_;
    return Report();
  };
  const nlohmann::json first = run(3);
  EXPECT_EQ(first, run(3));
  EXPECT_NE(first["cycles"], run(4)["cycles"]);
}

}  // namespace
}  // namespace gmmu::app
