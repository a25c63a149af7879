// SPDX-License-Identifier: Apache-2.0
#include "os/vidsch/vidsch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "os/base/bug_check.h"
#include "tb/sw/os/vidsch/vidsch_bench.h"

namespace gmmu::os::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Flags 0x81 (Paging and Resubmission) are documented, and were observed on Windows build 26100.
TEST(Rule11, PagingPacketsKeepTheirFenceIdsWhenTheyComeBack) {
  SchedulerBench test;
  for (int i = 0; i < 3; ++i) test.Submit(test.Paging());
  test.vidsch.Preempt(0);
  ASSERT_THAT(test.driver.preempted, SizeIs(1));
  EXPECT_EQ(test.driver.preempted[0].PreemptionFenceId, 4u) << "an id of the same node";
  const PacketId later = test.Submit(test.Paging());
  EXPECT_THAT(test.driver.submitted, SizeIs(3)) << "nothing is submitted while the request is open";
  test.Run([&] {
    test.AnswerPreemption(1, 0);
    test.Sleep(1000);
    EXPECT_THAT(test.driver.FencesFrom(3), ElementsAre(2u, 3u, 5u)) << "in order, before anything new";
    EXPECT_EQ(test.driver.submitted[3].Flags.Value, 0x81u);
    EXPECT_EQ(test.driver.submitted[5].Flags.Value, 0x01u);
    test.Complete(5);
  });
  EXPECT_EQ(test.ended.back(), later);
  EXPECT_THAT(test.kernel.ledger().Leaks(), IsEmpty());
}

// This was observed on Windows build 26100, with fence ids 2494, 2495 and 2496.
TEST(VidSch, ARenderPacketComesBackWithANewId) {
  SchedulerBench test;
  const PacketId packet = test.Submit(test.Render(1));
  test.Run([&] {
    for (const uint32_t id : {1u, 3u, 5u}) {
      EXPECT_EQ(test.driver.submitted.back().SubmissionFenceId, id);
      test.vidsch.Preempt(1);
      test.AnswerPreemption(id - 1, 1);
      test.Sleep(1000);
    }
    EXPECT_EQ(test.driver.submitted.back().Flags.Value, 0x80u);
    test.Complete(7, 1);
  });
  EXPECT_THAT(test.ended, ElementsAre(packet));
}

TEST(VidSch, WhatComesBackStandsBeforeThePacketsOfItsOwnContext) {
  SchedulerBench test;
  std::vector<PacketId> first;
  for (size_t i = 0; i < VidSch::kDepth + 1; ++i) first.push_back(test.Submit(test.Render(1)));
  const PacketId second = test.Submit(test.Render(2));
  test.Run([&] {
    test.vidsch.Preempt(1);
    test.AnswerPreemption(1, 1);  // one packet completed; three are returned
    test.Sleep(1000);
    EXPECT_EQ(test.driver.submitted[4].hContext, reinterpret_cast<HANDLE>(1));
    test.Complete(test.vidsch.last_submitted(1), 1);
    test.Sleep(1000);
    test.Complete(test.vidsch.last_submitted(1), 1);
  });
  EXPECT_THAT(test.ended, ElementsAre(first[0], first[1], first[2], first[3], first[4], second));
}

TEST(VidSch, AfterAPreemptionOtherContextsHaveTheirTurn) {
  SchedulerBench test;
  const PacketId preempted = test.Submit(test.Render(1));
  test.vidsch.Preempt(1);
  const PacketId overtakes = test.Submit(test.Render(2));
  test.Run([&] {
    test.AnswerPreemption(0, 1);
    test.Sleep(1000);
    test.Complete(test.vidsch.last_submitted(1), 1);
  });
  EXPECT_THAT(test.ended, ElementsAre(overtakes, preempted));
}

// The driver holds packets of several contexts when it is preempted. b2 may run only after b1,
// although b1 was not the running packet.
TEST(VidSch, WhatComesBackKeepsTheOrderWithinEachOfItsContexts) {
  constexpr uint64_t kA = 1, kB = 2, kOther = 3;
  SchedulerBench test;
  const PacketId a1 = test.Submit(test.Render(kA)), b1 = test.Submit(test.Render(kB));
  const PacketId a2 = test.Submit(test.Render(kA)), a3 = test.Submit(test.Render(kA));
  const PacketId other = test.Submit(test.Render(kOther)), b2 = test.Submit(test.Render(kB));
  ASSERT_THAT(test.driver.submitted, SizeIs(VidSch::kDepth));
  test.Run([&] {
    test.vidsch.Preempt(1);
    test.AnswerPreemption(0, 1);
    test.Sleep(1000);
    test.Complete(test.vidsch.last_submitted(1), 1);
    test.Sleep(1000);
    test.Complete(test.vidsch.last_submitted(1), 1);
  });
  EXPECT_THAT(test.ended, ElementsAre(other, a1, b1, a2, a3, b2)) << "and another context has its turn first";
}

TEST(VidSch, APreemptionThatNobodyAskedForIsABugCheck) {
  SchedulerBench test;
  test.Submit(test.Paging());
  test.driver.preempted.push_back({7, 0, 0, 0});
  EXPECT_THROW(test.AnswerPreemption(0, 0), BugCheck);
}

// Observed on Windows build 26100: the next packet is submitted from inside the call that reports
// the preemption.
TEST(VidSch, APacketCanBeSubmittedWhileThePreemptionIsBeingTold) {
  for (const bool told : {false, true}) {
    Parameters parameters;
    parameters.submit_during_preemption = told;
    SchedulerBench test(0, parameters);
    test.Submit(test.Paging());
    test.vidsch.Preempt(0);
    test.Submit(test.Paging());
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
    data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
    data.DmaPreempted.PreemptionFenceId = test.driver.preempted.back().PreemptionFenceId;
    test.Tell(data, false);
    EXPECT_THAT(test.driver.submitted, SizeIs(told ? 3 : 1));
    EXPECT_EQ(test.kernel.scheduler().irql(), kPassive);
  }
}

}  // namespace
}  // namespace gmmu::os::test
