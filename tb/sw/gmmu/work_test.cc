// SPDX-License-Identifier: Apache-2.0
#include "gmmu/work.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "app/configuration.h"
#include "report/limits.h"
#include "twin/fast_engine.h"

namespace gmmu {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

int RunOnFast(const Work& work, const app::Configuration& configuration, uint64_t seed) {
  const auto engine = sim::twin::CreateEngine(configuration.machine, {});
  return engine->Run([&](hw::Platform& platform) {
    workload::JobOptions options;
    options.os = configuration.OsParameters(seed);
    options.seed = seed;
    return work.run(platform, options);
  });
}

std::string ErrorOf(const std::function<void()>& make) {
  try {
    make();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Work, OfAJobPagesItsBytesAndReportsThem) {
  Job job;
  for (size_t i = 0; i < 64 << 10; ++i) job.input.push_back(static_cast<uint8_t>(i * 11 + i / 256));
  const std::unique_ptr<Work> work = WorkOf(job);
  EXPECT_EQ(RunOnFast(*work, {}, 0), 0);
  EXPECT_EQ(Json::parse(work->report({}))["bytes_verified"], job.input.size());
  EXPECT_EQ(work->result.bytes, job.input.size());
}

TEST(Work, OfAJobWithoutBytesHasThoseOfTheSeed) {
  const std::unique_ptr<Work> work = WorkOf(Job{{"", 3}, "", {}});
  EXPECT_EQ(RunOnFast(*work, {}, 3), 0);
  EXPECT_EQ(work->result.bytes_verified, 1u << 20);
}

TEST(Work, OfAReplayTurnsOnTheKeysThatItsPagesNeed) {
  app::Configuration configuration;
  Replay replay;
  replay.engine.seed = 3;
  replay.options.workload = "gen:random,footprint=1MiB,count=200";
  replay.options.page_size = replay::PageSize::k64k;
  ASSERT_FALSE(configuration.driver.leaf_64k);
  const std::unique_ptr<Work> work = WorkOf(replay, configuration);
  EXPECT_TRUE(configuration.driver.leaf_64k);
  EXPECT_EQ(RunOnFast(*work, configuration, 3), 0);
  EXPECT_EQ(Json::parse(work->report({}))["replay"]["phases"].back()["latency"]["count"], 200);
}

TEST(Work, OfSoftwareGivesItsResultAndHasNoReport) {
  const std::unique_ptr<Work> work = WorkOf(Software{{}, [](hw::Platform&) { return 42; }});
  EXPECT_FALSE(work->report);
  EXPECT_EQ(RunOnFast(*work, {}, 0), 42);
}

TEST(Work, IsRefusedBeforeItRuns) {
  EXPECT_THAT(ErrorOf([] { (void)WorkOf(Job{{}, "none", {}}); }), HasSubstr("none"));
  EXPECT_THAT(ErrorOf([] { (void)WorkOf(Software{}); }), HasSubstr("no software"));
  Replay replay;
  replay.options.workload = "gen:random,footprint=1MiB,count=200";
  replay.options.accesses = 0;
  app::Configuration configuration;
  EXPECT_THAT(ErrorOf([&] { (void)WorkOf(replay, configuration); }), HasSubstr("0 accesses"));
}

}  // namespace
}  // namespace gmmu
