// SPDX-License-Identifier: Apache-2.0
#include "probe/walk_log.h"

#include <gtest/gtest.h>

#include "event_keeper.h"

namespace gmmu::sim {
namespace {

struct WalkLogTest : testing::Test {
  EventKeeper kept;
  WalkLog log{kept, 0, 4};

  void Read(unsigned row, uint64_t offered, uint64_t accepted, uint64_t answered, uint64_t word) {
    Burst burst;
    burst.address = 0x1000;
    burst.bytes = 8;
    burst.offered = offered;
    burst.accepted = accepted;
    log.Accepted(row, burst);
    burst.begun = true;
    burst.word = word;
    burst.first = answered;
    log.Began(row, burst);
    burst.done = true;
    burst.answered = answered;
    log.Answered(row, burst);
  }
};

TEST_F(WalkLogTest, TellsAWalkWithItsReadsAndTheirLevels) {
  log.Begin(100, 1, 5, 2, 0x7000);
  log.Start(1, 2, false);
  Read(1, 101, 103, 153, regs::PteEntry().set_valid(1).raw);
  Read(1, 155, 155, 205, regs::PteEntry().set_valid(1).raw);
  Read(1, 207, 207, 257, 0x41);
  log.End(260, 1);
  ASSERT_EQ(kept.walks.size(), 1u);
  const hw::WalkEvent& walk = kept.walks[0];
  EXPECT_TRUE(CheckSteps(walk));
  EXPECT_EQ(walk.number, 1u);
  EXPECT_EQ(walk.start_level, 2);
  ASSERT_EQ(walk.reads.size(), 3u);
  EXPECT_EQ(walk.reads[0].level, 2);
  EXPECT_EQ(walk.reads[2].level, 0);
  EXPECT_FALSE(walk.reads[2].leaf_64k);
  EXPECT_EQ(CyclesOf(walk, hw::Cause::kWalker, 2), 1u);
  EXPECT_EQ(CyclesOf(walk, hw::Cause::kCredit, 2), 2u);
  EXPECT_EQ(CyclesOf(walk, hw::Cause::kVram, 1), 50u);
  EXPECT_EQ(CyclesOf(walk, hw::Cause::kFill), 3u);
  EXPECT_EQ(kept.depths, (std::vector<unsigned>{1, 0}));
}

TEST_F(WalkLogTest, AnEntryOfLevel1MayNameATableOf64KiBEntriesAndARestartSetsTheLevel) {
  log.Begin(100, 0, 0, 0, 0);
  log.Start(0, 1, false);
  Read(0, 101, 101, 110, regs::PteEntry().set_valid(1).set_table_64k(1).raw);
  Read(0, 112, 112, 120, 0);
  log.Start(0, 1, false);  // the walk continues with the other word of the dual entry
  Read(0, 123, 123, 130, regs::PteEntry().set_valid(1).raw);
  Read(0, 132, 132, 140, 0x41);
  log.End(141, 0);
  ASSERT_EQ(kept.walks.size(), 1u);
  const auto& reads = kept.walks[0].reads;
  ASSERT_EQ(reads.size(), 4u);
  EXPECT_TRUE(reads[1].leaf_64k);
  EXPECT_EQ(reads[2].level, 1);
  EXPECT_FALSE(reads[3].leaf_64k);
  EXPECT_EQ(kept.walks[0].start_level, 1);
}

TEST_F(WalkLogTest, ARowMayBeginAgainBeforeItsEndIsTold) {
  log.Begin(100, 3, 0, 0, 0x1000);
  log.Begin(110, 3, 0, 0, 0x2000);
  log.End(111, 3);
  log.End(120, 3);
  ASSERT_EQ(kept.walks.size(), 2u);
  EXPECT_EQ(kept.walks[0].va, 0x1000u);
  EXPECT_EQ(kept.walks[0].end, 111u);
  EXPECT_EQ(kept.walks[1].va, 0x2000u);
}

TEST_F(WalkLogTest, FindsTheWalkOfAPageOrOfItsLineThatWasUnderWay) {
  log.Begin(100, 0, 0, 1, 0x8000);
  EXPECT_EQ(log.Find(1, 0x8040, true, 90, 110)->event.number, 1u);
  EXPECT_EQ(log.Find(1, 0x9000, true, 90, 110), nullptr);
  EXPECT_EQ(log.Find(1, 0x9000, false, 90, 110)->event.number, 1u);
  EXPECT_EQ(log.Find(2, 0x8000, true, 90, 110), nullptr);
  EXPECT_EQ(log.Find(1, 0x8000, true, 90, 99), nullptr);  // the walk began after cycle 99
  log.End(120, 0);
  EXPECT_EQ(log.Find(1, 0x8000, true, 121, 130), nullptr);
}

TEST_F(WalkLogTest, AResetEndsWalksAndAReadOutOfOrderIsCounted) {
  log.Begin(100, 0, 0, 0, 0);
  log.Reset(150);
  ASSERT_EQ(kept.walks.size(), 1u);
  EXPECT_TRUE(kept.walks[0].lost);
  EXPECT_EQ(log.broken(), 0u);
  log.Begin(200, 1, 0, 0, 0);
  Read(1, 190, 195, 205, 0);  // this read's request was valid before the walk began
  log.End(210, 1);
  EXPECT_EQ(log.broken(), 1u);
}

}  // namespace
}  // namespace gmmu::sim
