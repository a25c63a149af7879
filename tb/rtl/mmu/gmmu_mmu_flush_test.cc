// SPDX-License-Identifier: Apache-2.0
// Tests the MMU while translations become stale: range invalidations, changed spaces, and what an
// invalidation waits for.
#include "mmu_test.h"

namespace gmmu::bench {
namespace {

TEST_F(MmuTest, AStaleTranslationLivesUntilItsInvalidationAndNoLonger) {
  At(kVa);
  Put(kLeaf + 0xa28, Page(0x4000));
  EXPECT_EQ(At(kVa).gpa.offset, 0x98765678u);
  Flush(Scope::kRange, 1, 0x12346000, 0x12347000);  // The flush drops another page.
  Flush(Scope::kSpace, 2);                          // The flush drops another space.
  Flush(Scope::kRange, 1, 0x12345000, 0x12345000);  // The range is empty.
  Flush(Scope::kRange, 1, 0x12345001, 0x12345002);
  EXPECT_EQ(At(kVa).gpa.offset, 0x4678u);
}

TEST_F(MmuTest, AnEmptyRangeDropsNothingNotEvenAnEntryOfAnL1) {
  At(kVa);
  const uint64_t asked = machine_.counts.l2_lookups;
  Flush(Scope::kRange, 1, 0x12345000, 0x12345000);
  At(kVa);
  EXPECT_EQ(machine_.counts.l2_lookups, asked);
  Flush(Scope::kSpace, 1);
  At(kVa);
  EXPECT_EQ(machine_.counts.l2_lookups, asked + 1);
}

TEST_F(MmuTest, AnEmptyRangeDoesNoWalkAgain) {
  machine_.manners.latency = 400;
  machine_.Post({0, 1, kVa, Access::kRead});
  for (int i = 0; i < 30; ++i) machine_.Step();
  EXPECT_EQ(Reads(), 1u);
  Flush(Scope::kRange, 1, 0x12345000, 0x12345000);
  EXPECT_TRUE(machine_.Run(5000));
  EXPECT_EQ(machine_.counts.walks_redone, 0u);
  EXPECT_EQ(machine_.counts.l2_lookups, 1u);
}

TEST_F(MmuTest, ARangeDropsThePointersOfAllLevelsThatItOverlaps) {
  At(kVa);
  constexpr uint64_t kOther = 0x3f0000;
  Put(kOther + 0xa28, Page(0x6000));
  Put(kLevel1 + 0x488, PteEntry{0x08000000003FC041}.set_page(kOther >> 12).raw);
  Flush(Scope::kRange, 1, kVa & ~uint64_t{0xfff}, (kVa & ~uint64_t{0xfff}) + 0x1000);
  EXPECT_EQ(At(kVa).gpa.offset, 0x6678u);
}

TEST_F(MmuTest, AChangedSpaceIsFlushedAndAnEqualOneIsNot) {
  At(kVa);
  const uint64_t reads = Reads();
  SetSpace(1, config_);
  At(kVa);
  EXPECT_EQ(Reads(), reads);
  constexpr uint64_t kOtherRoot = 0x3e0000;
  Put(kOtherRoot, PteEntry{}.set_zero(1).raw);
  config_.root_address = kOtherRoot;
  SetSpace(1, config_);
  EXPECT_TRUE(At(kVa).zero);
}

TEST_F(MmuTest, DoneWaitsForAnswersOfBeforeAndOnlyForThem) {
  At(kVa);
  machine_.manners.done_delay = 0;
  Control control;
  control.scope = Scope::kSpace;
  control.space = 1;
  // The client accepts the response and uses it for another 300 cycles.
  machine_.HoldAnswers(300);
  machine_.Post({0, 1, kVa, Access::kRead});
  while (machine_.pending() != 0) machine_.Step();
  const uint64_t held = machine_.now;
  machine_.HoldAnswers(0);
  machine_.Command(control);
  unsigned answered = 0;
  while (!machine_.CommandsDone()) {
    if (machine_.pending() == 0) machine_.Post({1, 1, kVa, Access::kRead});
    machine_.Step();
    answered += static_cast<unsigned>(machine_.TakeAnswers().size());
    ASSERT_LT(machine_.now, held + 1000);
  }
  EXPECT_GE(machine_.now, held + 300);
  EXPECT_LT(machine_.now, held + 320);
  EXPECT_GT(answered, 20u);  // Lookups continue while the response is in use.
}

TEST_F(MmuTest, DoneWaitsForReadsOfTablesOfBefore) {
  machine_.manners.latency = 400;
  machine_.Post({0, 1, kVa, Access::kRead});
  for (int i = 0; i < 30; ++i) machine_.Step();
  EXPECT_EQ(Reads(), 1u);
  const uint64_t issued = machine_.now;
  Control control;
  control.scope = Scope::kGlobal;
  machine_.Command(control);
  while (!machine_.CommandsDone()) machine_.Step();
  EXPECT_GT(machine_.now, issued + 350);
  EXPECT_TRUE(machine_.Run(5000));
  EXPECT_EQ(machine_.counts.walks_redone, 1u);
}

}  // namespace
}  // namespace gmmu::bench
