// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_l1 against a C++ model of the shared levels. Every lookup gets one response, with the
// translation that was valid in its generation; no response of a drained generation is in use;
// misses do not slow down hits.
#include "l1_test.h"

namespace gmmu::bench {
namespace {

TEST_P(L1Test, AnswersEveryLookupOnceWithTheTranslationOfItsGeneration) {
  for (int round = 0; round < 24 && !HasFatalFailure(); ++round) {
    rsp_stall_ = round % 3 == 0 ? 0 : round % 3 == 1 ? 40 : 90;
    ask_stall_ = round % 4 == 0 ? 0 : 50;
    idle_ = round % 5 == 0 ? 60 : 0;
    delay_ = round % 2 == 0 ? 4 : 60;
    held_ = round % 2 == 0 ? 1 : 40;
    Request request = Some();
    for (int i = 0; i < 400; ++i) {
      const bool offers = Random(100) >= idle_ && waiting_.size() < 200;
      if (Cycle(offers ? &request : nullptr)) request = Some();
    }
    Invalidate();
  }
  if (HasFatalFailure()) return;
  rsp_stall_ = 0;
  Drain(4000);
  EXPECT_TRUE(t.l1_idle_o[n]);
  EXPECT_EQ(t.l1_drained_o[n], 3);
  EXPECT_GT(answered_, 1000u);
}

TEST_P(L1Test, HitsAreAnsweredEveryCycleWhileAllButOneSlotWait) {
  auto page = [](unsigned i) { return Request{1, uint64_t{i} << 12, 0}; };
  held_ = 1;
  Request hit = page(0x20);
  while (!Cycle(&hit)) {}
  Drain(100);
  // Fill all slots but one with outstanding misses.
  for (unsigned i = 0; i + 1 < slots_; ++i) {
    const Request miss = page(0x1000 + 64 * i);
    while (!Cycle(&miss, false)) {}
  }
  for (int i = 0; i < 8; ++i) Cycle(nullptr, false);
  const uint64_t before = answered_;
  unsigned accepted = 0;
  for (int i = 0; i < 100; ++i) accepted += Cycle(&hit, false);
  EXPECT_EQ(accepted, 100u);
  for (int i = 0; i < 3; ++i) Cycle(nullptr, false);
  EXPECT_EQ(answered_ - before, 100u);
  Drain(4000);
}

TEST_P(L1Test, HitsGoOnWithNoSlotFreeUntilAMissComes) {
  held_ = 1;
  const Request hit{1, 0x20 << 12, 0};
  while (!Cycle(&hit)) {}
  Drain(100);
  for (unsigned i = 0; i < slots_; ++i) {
    const Request miss{1, uint64_t{0x1000 + 64 * i} << 12, 0};
    while (!Cycle(&miss, false)) {}
  }
  for (int i = 0; i < 8; ++i) Cycle(nullptr, false);
  const uint64_t before = answered_;
  for (int i = 0; i < 100; ++i) Cycle(&hit, false);
  for (int i = 0; i < 4; ++i) Cycle(nullptr, false);
  EXPECT_GE(answered_ - before, 45u);
  const Request miss{1, uint64_t{0x900} << 12, 0};
  while (!Cycle(&miss, false)) {}
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(Cycle(&hit, false));
  Drain(4000);
}

TEST_P(L1Test, FewIsSaidWhileFourSlotsOrFewerAreFreeBesideTheNextOne) {
  held_ = 1;
  for (unsigned taken = 0; taken < slots_; ++taken) {
    Idle(6, false);
    EXPECT_EQ(t.l1_few_o[n] != 0, n == 0 && slots_ - taken <= 4 + 1) << taken << " of " << slots_;
    const Request miss{1, uint64_t{0x1000 + 64 * taken} << 12, 0};
    while (!Cycle(&miss, false)) {}
  }
  Drain(4000);
}

TEST_P(L1Test, AllSlotsAreTakenInAsManyCyclesAndAFreedOneFourCyclesAfterItsMessage) {
  held_ = 1;
  Idle(6);
  EXPECT_FALSE(t.l1_few_o[n]);
  TakeAllSlots();
  EXPECT_EQ(t.l1_few_o[n] != 0, n == 0);  // with only two slots, none is reserved for the fetch
  Request miss{1, uint64_t{1} << 50, 0};  // an out-of-range address, which always misses
  ASSERT_TRUE(Cycle(&miss, false));
  Idle(10, false);
  for (unsigned i = 0; i < 20; ++i) {
    ASSERT_EQ(lookups_.size(), slots_);
    const std::vector<bool> before = slot_used_;
    for (Lookup& lookup : lookups_) lookup.due = 0;
    Cycle(nullptr);
    ASSERT_EQ(lookups_.size(), slots_ - 1);
    unsigned freed = 0;
    while (before[freed] == slot_used_[freed]) ++freed;
    Idle(3, false);
    EXPECT_EQ(lookups_.size(), slots_ - 1) << "too early";
    Cycle(nullptr, false);
    ASSERT_EQ(lookups_.size(), slots_);
    EXPECT_EQ(lookups_.back().slot, freed);
    miss.va += 0x1000;
    for (unsigned tries = 0; !Cycle(&miss, false); ++tries) ASSERT_LT(tries, 4u);
    Idle(6, false);
  }
  Drain(4000);
}

TEST_P(L1Test, AnswersThatWaitLeaveInTheOrderOfTheirMessagesOneACycle) {
  TakeAllSlots();
  for (Lookup& lookup : lookups_) lookup.due = 0;
  rsp_stall_ = 100;
  Idle(slots_);
  EXPECT_EQ(told_.size(), slots_);
  EXPECT_EQ(answered_, 0u);
  rsp_stall_ = 0;
  Idle(slots_);
  EXPECT_EQ(left_, told_);
  // While no response is pending, a message produces its response in the same cycle.
  Drain(4000);
  TakeAllSlots(0x4000);
  for (Lookup& lookup : lookups_) lookup.due = 0;
  Idle(slots_);
  EXPECT_EQ(left_, told_);
  Drain(4000);
}

TEST_P(L1Test, IsDrainedThreeCyclesAfterTheLastAnswerOfAGenerationIsGivenBack) {
  keep_ = true;
  for (unsigned made = 1; made <= 4; ++made) {
    const unsigned old = generation_;
    for (unsigned i = 0; i < made; ++i) {
      const Request request = PageAt(0x20);
      while (!Cycle(&request)) {}
    }
    while (!waiting_.empty()) Cycle(nullptr);
    Flip();
    const Request other = PageAt(0x20);  // Its response stays in use in the new generation.
    while (!Cycle(&other)) {}
    while (!waiting_.empty()) Cycle(nullptr);
    Idle(8);
    EXPECT_EQ(t.l1_drained_o[n], 0);
    uses_.back().until = now;
    Idle(4);
    EXPECT_EQ(t.l1_drained_o[n], old ? 1 : 2);
    while (uses_.size() > 3) GiveBack(1), Cycle(nullptr);
    GiveBack(static_cast<unsigned>(uses_.size()));
    Idle(1);  // This cycle returns all responses that are in use.
    EXPECT_TRUE(uses_.empty());
    Idle(1);
    EXPECT_EQ(t.l1_drained_o[n], old ? 1 : 2);
    Idle(1);
    EXPECT_EQ(t.l1_drained_o[n], 3);
  }
}

TEST_P(L1Test, AcceptsNoMoreWhileHalfOfWhatItCanCountIsInUse) {
  const unsigned half = 4 * slots_;
  const Request hit = PageAt(0x20);
  keep_ = true;
  for (unsigned i = 0; i < half; ++i) {
    ASSERT_TRUE(Cycle(&hit)) << i;
    Idle(20);
    ASSERT_EQ(uses_.size(), i + 1);
  }
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(Cycle(&hit));
  GiveBack(1);
  Idle(6);
  EXPECT_TRUE(Cycle(&hit));
  Idle(6);
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(Cycle(&hit));
  // Requests that are already accepted may exceed the limit, but by less than 8.
  GiveBack(half);
  for (unsigned i = 0; i < 3 * half; ++i) Cycle(&hit);
  EXPECT_GE(uses_.size(), half);
  EXPECT_LT(uses_.size(), half + 8);
  GiveBack(static_cast<unsigned>(uses_.size()));
  Drain(4000);
  EXPECT_EQ(t.l1_drained_o[n], 3);
}

TEST_P(L1Test, AResetFreesAllSlotsInAsManyCyclesAndForgetsWhatIsInUse) {
  keep_ = true;
  const Request hit = PageAt(0x20);
  for (int i = 0; i < 3; ++i) {
    while (!Cycle(&hit)) {}
    Idle(20);
  }
  TakeAllSlots();
  Reset(1);
  waiting_.clear(), lookups_.clear(), uses_.clear();
  slot_used_.assign(64, false);
  standing_.Forget();
  quiet_ = 0, keep_ = false;
  const uint64_t begin = now;
  SetScope(true);
  for (unsigned i = 0, entry = 0; lookups_.size() < slots_; ++entry) {
    ASSERT_LT(entry, 4 * slots_ + 40);
    SetSweep(entry < (small() ? 2u : 16u), entry);
    const Request miss = PageAt(0x1000 + 64 * i);
    const bool offers = i < slots_;
    i += Cycle(offers ? &miss : nullptr, false);
    if (now - begin <= slots_) EXPECT_TRUE(lookups_.empty()) << "before all slots were written";
  }
  EXPECT_LT(now - begin, 2 * slots_ + 24);
  Drain(4000);
  EXPECT_EQ(t.l1_drained_o[n], 3);
}

INSTANTIATE_TEST_SUITE_P(Sizes, L1Test, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::bench
