// SPDX-License-Identifier: Apache-2.0
#include "probe/lookup_log.h"

#include <gtest/gtest.h>

#include "event_keeper.h"

namespace gmmu::sim {
namespace {

using Count = LookupLog::Count;
constexpr auto kRead = regs::Access::kRead;
constexpr auto kNoFault = regs::Fault::kNone;

struct LookupLogTest : testing::Test {
  EventKeeper kept;
  WalkLog walks{kept, 0, 4};
  LookupLog log{kept, 0, 3, walks};
  AccessLog accesses{kept, 0, 2};
};

TEST_F(LookupLogTest, HitsOfL1AndL2AreOneCause) {
  log.Taken(10, 0, 7, 1, 0x1000, kRead);
  log.Taken(11, 0, 8, 1, 0x2000, kRead);
  log.Answered(12, 0, 7, kNoFault, false);
  log.Counted(0, Count::kHit);
  log.Counted(0, Count::kMiss);  // the count can arrive before the response
  log.Answered(16, 0, 8, kNoFault, false);
  ASSERT_EQ(kept.lookups.size(), 2u);
  EXPECT_EQ(kept.lookups[0].ending, hw::Ending::kL1);
  EXPECT_EQ(CyclesOf(kept.lookups[0], hw::Cause::kL1), 2u);
  EXPECT_EQ(kept.lookups[1].ending, hw::Ending::kL2);
  EXPECT_EQ(CyclesOf(kept.lookups[1], hw::Cause::kL2), 5u);
  EXPECT_EQ(log.broken(), 0u);
}

TEST_F(LookupLogTest, AWalkBelongsToWhoEndsAsAMissAndTheOthersJoin) {
  log.Taken(10, 1, 0, 1, 0x5000, kRead);
  log.Taken(11, 1, 1, 1, 0x5040, kRead);
  log.Walks(walks.Begin(15, 2, 1, 1, 0x5000));
  walks.Start(2, 0, false);
  Burst burst;
  burst.offered = burst.accepted = 16;
  walks.Accepted(2, burst);
  burst.begun = burst.done = true;
  burst.first = burst.answered = 66;
  walks.Began(2, burst);
  walks.Answered(2, burst);
  log.Answered(68, 1, 1, kNoFault, false);  // the joined lookup receives its response first
  log.Answered(70, 1, 0, kNoFault, false);
  log.Counted(1, Count::kMerged);
  log.Counted(1, Count::kMiss);
  ASSERT_EQ(kept.lookups.size(), 2u);
  EXPECT_EQ(kept.lookups[0].ending, hw::Ending::kMerged);
  EXPECT_EQ(kept.lookups[0].walk, 1u);
  const hw::LookupEvent& own = kept.lookups[1];
  EXPECT_EQ(own.ending, hw::Ending::kWalk);
  EXPECT_EQ(CyclesOf(own, hw::Cause::kLookup), 5u);
  EXPECT_EQ(CyclesOf(own, hw::Cause::kWalker, 0), 1u);
  EXPECT_EQ(CyclesOf(own, hw::Cause::kVram, 0), 50u);
  EXPECT_EQ(CyclesOf(own, hw::Cause::kAnswer), 4u);
  EXPECT_EQ(log.broken(), 0u);
}

TEST_F(LookupLogTest, AnAccessIsItsTranslationAndItsData) {
  const auto lookup = log.Taken(12, 0, 5, 1, 0x1000, kRead);
  accesses.AtPins(10, 0, 5);
  accesses.Begin(0, lookup);
  log.Answered(14, 0, 5, kNoFault, false);
  Burst burst;
  burst.id = 5;
  burst.offered = 17;
  burst.accepted = 18;
  burst.begun = burst.done = true;
  burst.first = 60;
  burst.answered = 67;
  accesses.Data(0, burst);
  accesses.Answered(70, 0, 5, kNoFault);
  accesses.Tell();
  EXPECT_TRUE(kept.accesses.empty());  // the lookup of this access has not been reported yet
  log.Counted(0, Count::kHit);
  accesses.Tell();
  ASSERT_EQ(kept.accesses.size(), 1u);
  const hw::AccessEvent& access = kept.accesses[0];
  EXPECT_EQ(access.begin, 10u);
  EXPECT_EQ(access.end, 70u);
  EXPECT_EQ(CyclesOf(access, hw::Cause::kClient), 5u);
  EXPECT_EQ(CyclesOf(access, hw::Cause::kL1), 2u);
  EXPECT_EQ(CyclesOf(access, hw::Cause::kRoute), 3u);
  EXPECT_EQ(CyclesOf(access, hw::Cause::kCredit), 1u);
  EXPECT_EQ(CyclesOf(access, hw::Cause::kVram), 49u);
  EXPECT_EQ(accesses.broken(), 0u);
}

TEST_F(LookupLogTest, AnAccessOfATrafficEngineEndsWithItsDataOrWithItsFault) {
  const auto good = log.Taken(12, 1, 0, 1, 0x1000, kRead);
  accesses.Begin(1, good);
  log.Answered(14, 1, 0, kNoFault, false);
  log.Counted(1, Count::kHit);
  Burst burst;
  burst.offered = burst.accepted = 20;
  burst.begun = burst.done = true;
  burst.answered = 40;
  accesses.Data(1, burst);
  const auto bad = log.Taken(15, 1, 1, 1, 0x2000, kRead);
  accesses.Begin(1, bad);
  log.Answered(30, 1, 1, regs::Fault::kEntryInvalid, false);
  log.Counted(1, Count::kFault);
  accesses.Begin(1, log.Taken(50, 1, 1, 1, 0x3000, kRead));  // the slot is reused
  accesses.Tell();
  ASSERT_EQ(kept.accesses.size(), 2u);
  EXPECT_EQ(kept.accesses[0].end + kept.accesses[1].end, 70u);
  const hw::AccessEvent& fault = kept.accesses[kept.accesses[0].fault == kNoFault ? 1 : 0];
  EXPECT_EQ(fault.fault, regs::Fault::kEntryInvalid);
  EXPECT_EQ(CyclesOf(fault, hw::Cause::kFault), 15u);
}

TEST_F(LookupLogTest, AnEndBeforeItsDataIsCounted) {
  const auto lookup = log.Taken(12, 0, 0, 1, 0x1000, kRead);
  accesses.AtPins(10, 0, 0);
  accesses.Begin(0, lookup);
  log.Answered(14, 0, 0, kNoFault, false);
  log.Counted(0, Count::kHit);
  Burst burst;
  burst.offered = burst.accepted = 20;
  burst.begun = burst.done = true;
  burst.answered = 40;
  accesses.Data(0, burst);
  accesses.Answered(39, 0, 0, kNoFault);
  accesses.Tell();
  EXPECT_EQ(accesses.broken(), 1u);
}

}  // namespace
}  // namespace gmmu::sim
