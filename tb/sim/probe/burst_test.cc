// SPDX-License-Identifier: Apache-2.0
#include "probe/burst.h"

#include <gtest/gtest.h>

#include "event_keeper.h"

namespace gmmu::sim {
namespace {

hw::Span SpanOf(uint64_t begin, uint64_t end, Steps& steps) {
  hw::Span span;
  span.begin = begin;
  span.end = end;
  span.steps = steps.Take();
  return span;
}

TEST(Burst, AReadOfTheHostHasAStepForEachPlaceOnItsWay) {
  Burst burst;
  burst.host = burst.begun = burst.done = true;
  burst.offered = 10;
  burst.accepted = 12;
  burst.wire = 15;
  burst.root = 40;
  burst.translated = 47;
  burst.memory = 90;
  burst.device = 120;
  burst.first = 121;
  burst.answered = 128;
  Steps steps(10);
  steps.Burst(burst, 128, 2);
  const hw::Span span = SpanOf(10, 128, steps);
  EXPECT_TRUE(CheckSteps(span));
  EXPECT_EQ(CyclesOf(span, hw::Cause::kCredit, 2), 2u);
  EXPECT_EQ(CyclesOf(span, hw::Cause::kLinkCredit, 2), 3u);
  EXPECT_EQ(CyclesOf(span, hw::Cause::kLinkUp, 2), 25u);
  EXPECT_EQ(CyclesOf(span, hw::Cause::kIommu, 2), 7u);
  EXPECT_EQ(CyclesOf(span, hw::Cause::kDram, 2), 43u);
  EXPECT_EQ(CyclesOf(span, hw::Cause::kLinkDown, 2), 30u);
  EXPECT_EQ(CyclesOf(span, hw::Cause::kHostData, 2), 8u);
}

TEST(Burst, AMarkOutOfOrderIsNotSmoothedOver) {
  Burst burst;
  burst.host = burst.begun = burst.done = true;
  burst.accepted = 12;
  burst.wire = 15;
  burst.root = 14;  // earlier than `wire`, although `wire` must be the earlier one
  burst.translated = 47;
  burst.memory = 90;
  burst.device = 120;
  burst.answered = 128;
  Steps steps(10);
  steps.Burst(burst, 128);
  EXPECT_FALSE(CheckSteps(SpanOf(10, 128, steps)));
}

TEST(Burst, VramPeersAndWritesHaveOneStepToTheirAnswer) {
  for (const auto& [host, peer, write, cause] : {std::tuple{false, false, false, hw::Cause::kVram},
                                                 {false, false, true, hw::Cause::kVram},
                                                 {true, false, true, hw::Cause::kHostWrite},
                                                 {true, true, false, hw::Cause::kPeer}}) {
    Burst burst;
    burst.host = host;
    burst.peer = peer;
    burst.write = write;
    burst.accepted = 5;
    burst.answered = 25;
    burst.begun = burst.done = true;
    Steps steps(5);
    steps.Burst(burst, 30);
    EXPECT_EQ(CyclesOf(SpanOf(5, 25, steps), cause), 20u);
  }
}

TEST(Burst, ClipKeepsWhatLiesInside) {
  const std::vector<hw::Step> steps = {{hw::Cause::kL1, -1, 0, 10}, {hw::Cause::kVram, 1, 10, 30}};
  const auto inside = Clip(steps, 5, 12);
  ASSERT_EQ(inside.size(), 2u);
  EXPECT_EQ(inside[0].begin, 5u);
  EXPECT_EQ(inside[1].end, 12u);
  EXPECT_TRUE(Clip(steps, 30, 40).empty());
}

}  // namespace
}  // namespace gmmu::sim
