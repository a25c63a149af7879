// SPDX-License-Identifier: Apache-2.0
#include "app/recording.h"

#include <nlohmann/json.hpp>

#include "app/outputs.h"
#include "cli_bench.h"
#include "workload/job.h"

namespace gmmu::app {
namespace {

TEST_F(Cli, RefusesEventsThatCannotBeRecorded) {
  const std::string file = Path("run.ev");
  ExpectRefusal({"run", "--engine", "fast", "--events", file}, "--engine rtl");
  ExpectRefusal({"replay", "gen:random,footprint=64KiB,count=10", "--engine", "fast", "--events", file},
                "--engine rtl");
  ExpectRefusal({"run", "--events-from", "1"}, "--events");
  ExpectRefusal({"run", "--events", file, "--events-on", "smoke"}, "fault, or stall:N");
  ExpectRefusal({"run", "--events", file, "--events-around", "5"}, "--events-on");
  ExpectRefusal({"run", "--engine", "fast", "--events", file, "--json", file}, "--json");
}

TEST(Recording, RefusesWindowsAndFilesBeforeTheRun) {
  EventArguments arguments;
  EXPECT_EQ(Recording::Make(arguments, "rtl", 1000), nullptr);
  arguments.file = "/no such folder/run.ev";
  EXPECT_THROW(Recording::Make(arguments, "rtl", 1000), OutputError);
  arguments.file = "/dev/full";
  EXPECT_THROW(Recording::Make(arguments, "rtl", 1000), OutputError);
  arguments.file = "/tmp/gmmu_recording_" + std::to_string(getpid());
  arguments.window.from = arguments.window.to = 5;
  EXPECT_THROW(Recording::Make(arguments, "rtl", 1000), OutputError);
  EXPECT_FALSE(std::filesystem::exists(arguments.file));
}

TEST(Recording, AnEventThatDoesNotAddUpIsAFindingAndTheReportSaysWhatCyclesWentInto) {
  EventArguments arguments;
  arguments.file = "/tmp/gmmu_recording_" + std::to_string(getpid());
  const auto recording = Recording::Make(arguments, "rtl", 1000);
  ASSERT_NE(recording, nullptr);
  recording->SetPhase("page in");
  hw::WalkEvent walk;
  walk.number = 1;
  walk.end = 10;
  walk.steps = {{hw::Cause::kWalker, -1, 0, 9}};
  recording->sink()->Take(walk);
  workload::JobResult result;
  recording->End(result);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].probe, "events");
  EXPECT_TRUE(std::filesystem::exists(arguments.file));
  std::filesystem::remove(arguments.file);
  const auto report = nlohmann::json::parse(recording->AddTo("{\"passed\": false}"));
  EXPECT_EQ(report["causes"]["mismatches"], 1);
  EXPECT_EQ(report["causes"]["sums"][0]["phase"], "page in");
  EXPECT_THAT(recording->Text(), ::testing::HasSubstr("1 events do not add up"));
}

}  // namespace
}  // namespace gmmu::app
