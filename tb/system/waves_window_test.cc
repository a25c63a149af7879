// SPDX-License-Identifier: Apache-2.0
// Tests the first run of --waves-on, which finds the cycle of the trigger's event. The waves
// themselves are recorded by another program (build/waves), which make check runs.
#include <gmock/gmock.h>

#include <string>

#include "tb/system/program.h"

namespace gmmu {
namespace {

using ::testing::HasSubstr;

class WavesWindow : public Program {};

TEST_F(WavesWindow, LiesAroundTheFirstFault) {
  ASSERT_EQ(Run("run --scenario render-page-fault --events " + Path("events") + " --events-on fault"), 0) << Get("log");
  const std::string log = Get("log");
  const std::string before = "the first at cycle ";
  ASSERT_THAT(log, HasSubstr(before));
  const uint64_t cycle = std::stoull(log.substr(log.find(before) + before.size()));
  Run("run --scenario render-page-fault --waves " + Path("waves") + " --waves-on fault --waves-around 300 --json " +
      Path("report.json"));
  EXPECT_THAT(Get("log"), HasSubstr("the first was at cycle " + std::to_string(cycle) + "; waves from " +
                                    std::to_string(cycle - 300) + " to " + std::to_string(cycle + 301)));
}

TEST_F(WavesWindow, IsNowhereIfNothingHappens) {
  EXPECT_EQ(Run("run " + WriteInput(4096) + " --waves " + Path("waves") + " --waves-on fault --out " + Path("copy")),
            1);
  EXPECT_THAT(Get("log"), HasSubstr("--waves-on fault: nothing of the kind happened in the run: no waves are written"));
  EXPECT_FALSE(fs::exists(Path("waves")));
  EXPECT_FALSE(fs::exists(Path("copy")));
}

}  // namespace
}  // namespace gmmu
