// SPDX-License-Identifier: Apache-2.0
#include "events/causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample.h"

namespace gmmu::events {
namespace {

using Json = nlohmann::ordered_json;

Json Row(const Json& json, const std::string& phase, const std::string& kind, const std::string& by,
         const std::string& of) {
  for (const Json& row : json.at("sums"))
    if (row.at("phase") == phase && row.at("kind") == kind && row.at("by") == by && row.at("of") == of) return row;
  return nullptr;
}

TEST(Causes, AddsUpByPhaseKindAndGroup) {
  Causes causes;
  causes.SetPhase("page in");
  causes.Add(SampleWalk(1, 100));
  causes.Add(SampleWalk(2, 200));
  causes.Add(SampleCommand(1, 0));
  causes.SetPhase("page out");
  causes.Add(SampleWalk(3, 300));
  causes.Add(SampleLookup(1, 300));
  const Json json = causes.Json();
  EXPECT_EQ(json.at("mismatches"), 0);
  const Json walks = Row(json, "page in", "walk", "all", "");
  ASSERT_FALSE(walks.is_null());
  EXPECT_EQ(walks.at("cycles"), 120);
  EXPECT_EQ(walks.at("latency").at("count"), 2);
  EXPECT_EQ(walks.at("latency").at("p99"), 60);
  uint64_t sum = 0;
  for (const Json& cause : walks.at("causes")) sum += cause.at("cycles").get<uint64_t>();
  EXPECT_EQ(sum, 120u);
  EXPECT_EQ(walks.at("causes").at(1), (Json{{"cause", "vram"}, {"level", 1}, {"cycles", 100}}));
  EXPECT_EQ(Row(json, "page out", "walk", "page", "level 1").at("cycles"), 60);
  EXPECT_EQ(Row(json, "page out", "lookup", "ending", "walk").at("cycles"), 70);
  EXPECT_EQ(Row(json, "page in", "command", "opcode", "copy").at("cycles"), 90);
  EXPECT_TRUE(Row(json, "start", "walk", "all", "").is_null());
  EXPECT_THAT(causes.Text(), testing::HasSubstr("vram 83 %"));
}

TEST(Causes, AMismatchIsCounted) {
  Causes causes;
  hw::WalkEvent walk = SampleWalk(1, 100);
  walk.end += 1;
  causes.Add(walk);
  hw::CommandEvent command = SampleCommand(1, 0);
  command.spent[0] += 1;
  causes.Add(command);
  EXPECT_EQ(causes.mismatches(), 2u);
  EXPECT_THAT(causes.Text(), testing::HasSubstr("2 events do not add up"));
}

TEST(Causes, DepthsAreWeightedWithTheirCycles) {
  Causes causes;
  causes.Depth(0, hw::Gauge::kWalks, 100, 1);
  causes.Depth(0, hw::Gauge::kWalks, 130, 2);
  causes.Depth(0, hw::Gauge::kWalks, 140, 0);
  const Json depth = causes.Json().at("depths").at(0);
  EXPECT_EQ(depth.at("of"), "walks");
  EXPECT_EQ(depth.at("depth").at("buckets"), (Json{{0, 0, 100}, {1, 1, 30}, {2, 2, 10}}));
}

TEST(Causes, APageIsNamedByTheLastRead) {
  hw::WalkEvent walk = SampleWalk(1, 0);
  EXPECT_EQ(PageOf(walk), "level 1");
  walk.reads.back().level = 0;
  EXPECT_EQ(PageOf(walk), "4k");
  walk.reads.back().leaf_64k = true;
  EXPECT_EQ(PageOf(walk), "64k");
  walk.reads.clear();
  EXPECT_EQ(PageOf(walk), "none");
}

}  // namespace
}  // namespace gmmu::events
