// SPDX-License-Identifier: Apache-2.0
// Tests the replay of the driver calls from a recorded run.
#include "app/replay_ddi.h"

#include "app/ddi_trace_file.h"
#include "cli_bench.h"

namespace gmmu::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct ReplayDdiCommand : Cli {
  void Record(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"run", "--engine", "fast", "--trace-ddi", Path("a"), "--seed", "5"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    ASSERT_EQ(Run(arguments), kExitGood) << err_;
  }
  int Replay(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"replay-ddi", Path("a")});
    return Run(more);
  }
};

TEST_F(ReplayDdiCommand, OfTheSameDriverIsEqualCallByCall) {
  Record({"--scenario", "render-preemption", "--set", "os.schedule_seed=9"});
  EXPECT_EQ(Replay(), kExitGood) << out_;
  EXPECT_THAT(out_, AllOf(HasSubstr("driver of the program, scenario render-preemption, engine fast, seed 5"),
                          HasSubstr("  passed\n"), HasSubstr(" calls are equal\n")));
  EXPECT_EQ(Replay({"--driver", GMMU_DRIVERS "own.so"}), kExitGood) << out_;
}

TEST_F(ReplayDdiCommand, OfAnotherDriverNamesTheFirstCallThatItAnswersOtherwise) {
  Record({"--scenario", "threads-interleave", "--set", "os.preemption=0", "--set", "os.build_stack_kib=0"});
  EXPECT_EQ(Replay({"--driver", GMMU_DRIVERS "unlocked.so"}), kExitFailed);
  EXPECT_THAT(out_, AllOf(HasSubstr("  passed\n"), HasSubstr(" calls are equal; then call "),
                          HasSubstr("it is DxgkCbSynchronizeExecution, and DxgkCbQueueDpc in the other\n")));
  EXPECT_EQ(Replay({"--driver", GMMU_DRIVERS "refusing.so"}), kExitFailed);
  EXPECT_THAT(out_, AllOf(HasSubstr("  refused: the driver refused DriverEntry"), HasSubstr("  again: gmmu run ")));
}

TEST_F(ReplayDdiCommand, InAnotherOrderOfThreadsPassesAndIsTheSameForASeed) {
  Record({"--scenario", "render-preemption"});
  EXPECT_EQ(Replay({"--shuffle", "3", "--trace-ddi", Path("b")}), kExitGood) << out_;
  EXPECT_THAT(out_, AllOf(HasSubstr("  threads drawn by seed 3\n"), HasSubstr("  passed\n"), HasSubstr(" recorded\n")));
  EXPECT_EQ(Replay({"--shuffle", "3", "--trace-ddi", Path("c")}), kExitGood);
  EXPECT_EQ(Run({"trace", Path("b"), "--compare", Path("c"), "--times"}), kExitGood) << out_;
  EXPECT_EQ(Run({"trace", Path("a"), "--compare", Path("b"), "--times"}), kExitFailed) << "another order";
}

TEST_F(ReplayDdiCommand, FindsADriverThatNeedsTheOrderItWasTriedWith) {
  Record({"--scenario", "threads-interleave", "--set", "os.preemption=0", "--set", "os.build_stack_kib=0", "--driver",
          GMMU_DRIVERS "unlocked.so"});
  EXPECT_EQ(Replay(), kExitGood) << out_;
  EXPECT_EQ(Replay({"--shuffle", "1"}), kExitFailed);
  EXPECT_THAT(out_, HasSubstr("data race on "));
}

TEST_F(ReplayDdiCommand, RefusesWhatIsNoTraceAndBadNumbers) {
  Record();
  EXPECT_EQ(Run({"replay-ddi", Path("none")}), kExitUsage);
  EXPECT_THAT(err_, HasSubstr("cannot be read"));
  EXPECT_EQ(Replay({"--seconds", "0"}), kExitUsage);
  EXPECT_THAT(err_, HasSubstr("--seconds 0: give 1 to 86400"));
  EXPECT_EQ(Replay({"--driver", Path("none.so")}), kExitUsage);
  EXPECT_EQ(Replay({"--trace-ddi", Path("a")}), kExitUsage) << "it would overwrite the trace";
  std::ofstream(Path("a"))
      << "{\"schema\": \"gmmu-ddi-trace 1\", \"engine\": \"abacus\"}\n"
         "{\"call\": 1, \"inside\": 0, \"name\": \"x\", \"thread\": \"x\", \"irql\": 0, \"ns\": 0, "
         "\"end_ns\": 0, \"in\": {}, \"out\": {}, \"status\": null}\n";
  EXPECT_EQ(Replay(), kExitUsage);
  EXPECT_THAT(err_, HasSubstr("a:1: was recorded on the engine \"abacus\"; this build has "));
}

}  // namespace
}  // namespace gmmu::app
