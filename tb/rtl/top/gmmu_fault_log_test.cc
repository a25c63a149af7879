// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/top/fault_log_machine.h"

namespace gmmu::top {
namespace {

TEST_P(FaultLog, EveryFaultIsARecordInItsOrder) {
  Enable(15);
  for (unsigned busy : {100u, 10u, 1u}) Run(1500, busy);
  Quiet();
  EXPECT_GT(written_, 80u);
  EXPECT_EQ(written_, taken_);
  EXPECT_EQ(Dropped(), 0u);
  EXPECT_EQ(t.log_tail_o[n], written_);
}

TEST_P(FaultLog, AFullQueueDropsAndCounts) {
  for (unsigned lg2 = 1; lg2 <= 4; ++lg2) {
    t.log_enable_i[n] = 0;
    Quiet();
    Enable(lg2);
    t.log_head_i[n] = tail_;
    Quiet();
    const unsigned written = written_, dropped = Dropped();
    Log(Size() - 1);  // One entry of the queue must stay free.
    EXPECT_EQ(written_ - written, Size() - 1);
    EXPECT_EQ(Dropped(), dropped);
    Log(3);
    EXPECT_EQ(written_ - written, Size() - 1);
    EXPECT_EQ(Dropped(), dropped + 3);
    // Software's head counter may exceed the size.
    t.log_head_i[n] = t.log_head_i[n] + 1 + 4 * Size();
    Quiet();
    Log(2);
    EXPECT_EQ(written_ - written, Size());
    EXPECT_EQ(Dropped(), dropped + 4);
  }
}

TEST_P(FaultLog, ARecordThatTheBusRefusesIsDroppedAndTheNextTakesItsPlace) {
  refused_percent_ = 100;
  Enable(4);
  Log(3);
  EXPECT_EQ(written_, 0u);
  EXPECT_EQ(Dropped(), 3u);
  EXPECT_EQ(t.log_tail_o[n], 0) << "software would read what was never written";
  refused_percent_ = 0;
  Log(2);
  EXPECT_EQ(written_, 2u);
  EXPECT_EQ(t.log_tail_o[n], 2);
  refused_percent_ = 40;
  for (int i = 0; i < 3000; ++i) {
    Step(30);
    if (Chance(5)) t.log_head_i[n] = t.log_tail_o[n];
  }
  Quiet();
  EXPECT_EQ(written_ + Dropped(), taken_);
  EXPECT_GT(refused_, 10u);
}

TEST_P(FaultLog, ARecordPastTheEndOfTheAddressesIsDropped) {
  base_ = t.log_base_i[n] = 0xffff'ffff'f000;
  Enable(15);
  Log(128);
  EXPECT_EQ(written_, 128u);
  Log(5);
  EXPECT_EQ(written_, 128u) << "an address has wrapped";
  EXPECT_EQ(Dropped(), 5u);
  EXPECT_EQ(t.log_tail_o[n], 128);
}

TEST_P(FaultLog, SoftwareFollowsWithItsHead) {
  Enable(2);
  for (int i = 0; i < 8000; ++i) {
    Step(i / 2000 % 2 ? 30 : 3);
    if (Chance(2)) t.log_head_i[n] = t.log_tail_o[n];
  }
  Quiet();
  EXPECT_EQ(written_ + Dropped(), taken_);
  EXPECT_GT(written_, 100u);
  EXPECT_GT(Dropped(), 20u);
}

TEST_P(FaultLog, WhileTheBusIsClosedNobodyWaits) {
  Enable(15);
  for (int i = 0; i < 40; ++i) {
    t.log_open_i[n] = 0;
    Run(100, 60);  // CheckFaults allows less time while the bus is closed.
    t.log_open_i[n] = 1;
    Run(Random(0, 100), 60);
  }
  Quiet();
  EXPECT_EQ(written_ + Dropped(), taken_);
  EXPECT_GT(written_, 20u);
  EXPECT_GT(Dropped(), 200u);
}

TEST_P(FaultLog, AQueueThatIsOffOnlyNumbers) {
  counts_ = false;
  Log(7);
  EXPECT_EQ(written_, 0u);
  EXPECT_EQ(t.log_tail_o[n], 0);
  t.log_open_i[n] = 0;
  Log(4);
  t.log_open_i[n] = 1;
  EXPECT_EQ(Dropped(), 0u) << "off is not dropped";
  Enable(4);
  Log(6);  // CheckRecord checks that sequence numbers continue.
  EXPECT_EQ(written_, 6u);
  EXPECT_EQ(t.log_tail_o[n], 6);
  t.log_enable_i[n] = 0;
  Log(3);
  EXPECT_EQ(t.log_tail_o[n], 6) << "it keeps its place";
  EXPECT_EQ(written_, 6u);
  Enable(2);
  EXPECT_EQ(tail_, 2u) << "modulo the new size";
  t.log_head_i[n] = 2;
  Quiet();
  Log(3);
  EXPECT_EQ(written_, 9u);
  EXPECT_EQ(t.log_tail_o[n], 1);
  EXPECT_EQ(Dropped(), 0u);
}

TEST_P(FaultLog, SourcesTakeTurns) {
  Enable(15);
  manner = {0, 0};
  longest_ = 1;
  Run(600, 100);
  ASSERT_GT(order_.size(), 40u);
  for (size_t i = 0; i < order_.size(); ++i) EXPECT_EQ(order_[i], i % Sources());
  if (n == 0) {
    Quiet();
    const size_t from = order_.size() + 3;
    Run(400, 100, 0b10101);
    for (size_t i = from; i < order_.size(); ++i) EXPECT_EQ(order_[i], (order_[i - 1] + 2) % 6);
  }
}

class FaultLogLong : public FaultLog {};

TEST_P(FaultLogLong, TheCountOfDroppedFaultsSaturates) {
  Enable(4);
  t.log_open_i[n] = 0;
  for (int i = 0; i < 1000000 && taken_ < 66000; ++i) Step(100);
  ASSERT_GE(taken_, 66000u);
  EXPECT_EQ(Dropped(), 65535u);
}

TEST_P(FaultLogLong, TheLargestQueueIsWrittenToItsEnd) {
  manner = {0, 0};
  longest_ = 1;
  Enable(15);
  for (int i = 0; i < 1000000 && written_ < 33000; ++i) {
    Step(100);
    if (i % 4096 == 0) t.log_head_i[n] = t.log_tail_o[n];
  }
  EXPECT_EQ(written_, 33000u);
  EXPECT_EQ(t.log_tail_o[n], 33000 - 32768);
  EXPECT_EQ(Dropped(), 0u);
}

TEST_P(FaultLog, ResetBeginsAnew) {
  Enable(4);
  Log(5);
  t.log_enable_i[n] = 0;
  t.log_fault_valid_i[n] = 0;
  Reset();
  Settle();
  EXPECT_EQ(t.log_tail_o[n], 0);
  taken_ = written_ = 0;
  EXPECT_EQ(Dropped(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, FaultLog, SizesAndSeeds(2, 8));
INSTANTIATE_TEST_SUITE_P(Sizes, FaultLogLong, testing::Combine(testing::Range(0, 2), testing::Values(4)));

}  // namespace
}  // namespace gmmu::top
