// SPDX-License-Identifier: Apache-2.0
// Runs every built-in scenario with its default size on both engines, whose reports must agree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "report/compare.h"
#include "tb/system/program.h"
#include "workload/scenario.h"

namespace gmmu {
namespace {

using NameAndEngine = std::tuple<std::string, const char*>;

class EveryScenario : public Program, public ::testing::WithParamInterface<NameAndEngine> {
 protected:
  /// Runs the scenario and returns the report's text.
  std::string RunOn(const std::string& name, const std::string& engine) {
    EXPECT_EQ(Run("run --scenario " + name + " --engine " + engine + " --json " + Path("report.json")), 0)
        << Get("log");
    return Get("report.json");
  }
};

/// Runs the scenario on one engine. The report of an RTL run must also agree with the fast engine's report.
TEST_P(EveryScenario, EndsAsItMust) {
  const auto& [name, engine] = GetParam();
  const std::string text = RunOn(name, engine);
  const auto report = Report();
  EXPECT_TRUE(report["passed"].get<bool>());
  EXPECT_EQ(report["scenario"], name);
  EXPECT_EQ(report["machine"]["engine"], engine);
  if (engine == std::string("rtl")) EXPECT_THAT(report::Differences(text, RunOn(name, "fast")), ::testing::IsEmpty());
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  // tb/sw/app/physical_device_test.cc runs the scenarios that are skipped here
  for (const workload::Scenario& scenario : workload::Scenarios())
    if (!workload::ForPhysicalModel(scenario)) names.push_back(scenario.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, EveryScenario,
                         ::testing::Combine(::testing::ValuesIn(Names()), ::testing::Values("rtl", "fast")),
                         [](const auto& info) {
                           std::string name = std::get<0>(info.param) + "_" + std::get<1>(info.param);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

using Scenarios = Program;

TEST_F(Scenarios, AreListedWithTitlePartsAndEvidence) {
  EXPECT_EQ(Run("run --list"), 0);
  for (const workload::Scenario& scenario : workload::Scenarios()) {
    const std::string who = workload::ForPhysicalModel(scenario) ? ", for a driver without page tables" : "";
    EXPECT_NE(Get("log").find(scenario.name + who + "\n    " + scenario.title), std::string::npos);
  }
}

TEST_F(Scenarios, AFileIsRunToo) {
  Put("small.toml",
      "title = \"t\"\nparts = [\"p\"]\nevidence = \"documents\"\nprocedure = \"main_job\"\n"
      "[parameters]\nbytes = 4096\n");
  EXPECT_EQ(Run("run --scenario " + Path("small.toml")), 0) << Get("log");
}

TEST_F(Scenarios, HoldWithSettingsThatTheyDoNotName) {
  for (const char* run : {
           "hung-adapter --set driver.update_mode=gpu_virtual",
           "hung-adapter --set os.bring_up=windows-26100",
           "hung-adapter --set driver.page_tables=system --set os.window_updates=gpu_physical",
           "sleep-with-processes --set os.bring_up=windows-26100",
           "va-calls --set driver.paging_buffer_segment=aperture",
           "paging-buffers-in-aperture --set driver.paging_buffer_bytes=256",
           "paging-buffers-in-aperture --set driver.paging_buffer_bytes=6144",
           "paging-buffers-in-aperture --set driver.paging_buffer_bytes=8256",
           "threads-interleave --set driver.own_va_kib=4096",
           "main-job --set driver.page_tables=system --set driver.leaf_64k=true --set os.window_updates=gpu_physical",
           "tables-in-system-memory --set os.preset=windows-26100",
           "system-memory --set gpu.count=2",
           "system-memory-budget --set driver.update_mode=gpu_virtual",
           "power-cycle-pin-failure --set gpu.count=2",
           "isolation-memory --set os.iommu_flags=7",
       })
    EXPECT_EQ(Run(std::string("run --engine fast --scenario ") + run), 0) << run << "\n" << Get("log");
}

TEST_F(Scenarios, AnExpectationThatIsNotMetFailsTheRun) {
  Put("wrong.toml",
      "title = \"t\"\nparts = [\"p\"]\nevidence = \"documents\"\nprocedure = \"main_job\"\n"
      "[parameters]\nbytes = 4096\n[expect]\nfault = \"bug_check\"\nstop_code = 0x10E\n");
  EXPECT_EQ(Run("run --scenario " + Path("wrong.toml")), 1);
  EXPECT_NE(Get("log").find("expected: fault bug_check 0x10e"), std::string::npos) << Get("log");
}

TEST_F(Scenarios, BadNamesAndArgumentsAreRefused) {
  EXPECT_EQ(Run("run --scenario no-such-thing"), 2);
  EXPECT_NE(Get("log").find("no scenario \"no-such-thing\""), std::string::npos);
  EXPECT_EQ(Run("run --scenario main-job --out " + Path("x")), 2);
  EXPECT_NE(Get("log").find("--out does not go with --scenario"), std::string::npos);
}

}  // namespace
}  // namespace gmmu
