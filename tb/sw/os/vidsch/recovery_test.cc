// SPDX-License-Identifier: Apache-2.0
// Tests timeouts, page faults and resets with a driver that each test scripts. The expected
// behaviour follows Microsoft's documentation; it has not been observed on Windows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/base/bug_check.h"
#include "os/vidsch/vidsch.h"
#include "tb/sw/os/vidsch/vidsch_bench.h"

namespace gmmu::os::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Kind = VidSch::Recovery::Kind;

Parameters Short() {
  Parameters parameters;
  parameters.quantum_us = 10;
  parameters.tdr_delay_us = 100;
  return parameters;
}

struct Recovery : SchedulerBench {
  Recovery() : SchedulerBench(0, Short()) {}
  GpuDevice* guilty = vidsch.CreateDevice("guilty");
  GpuDevice* other = vidsch.CreateDevice("other");
};

TEST(VidSchRecovery, APacketAloneHasTheWholeDelayBeforeItIsPreempted) {
  Recovery test;
  test.Submit(test.Render(1, test.guilty));
  test.Run([&] {
    test.Sleep(90'000);
    EXPECT_THAT(test.driver.preempted, IsEmpty());
    test.Sleep(30'000);
    EXPECT_THAT(test.driver.preempted, SizeIs(1));
    test.AnswerPreemption(0, 1);
    test.Sleep(1000);
    test.Complete(test.vidsch.last_submitted(1), 1);
    EXPECT_FALSE(test.guilty->lost);
  });
  EXPECT_THAT(test.vidsch.recoveries(), IsEmpty());
}

TEST(VidSchRecovery, WhileOthersWaitItHasOneQuantum) {
  Recovery test;
  for (size_t i = 0; i < VidSch::kDepth; ++i) test.Submit(test.Render(1, test.guilty));
  const PacketId waits = test.Submit(test.Render(2, test.other));
  test.Run([&] {
    test.Sleep(25'000);
    ASSERT_THAT(test.driver.preempted, SizeIs(1));
    test.AnswerPreemption(0, 1);
    test.Sleep(1000);
    EXPECT_EQ(test.driver.submitted[VidSch::kDepth].hContext, reinterpret_cast<HANDLE>(2));
    test.Complete(test.driver.submitted[VidSch::kDepth].SubmissionFenceId, 1);
    EXPECT_TRUE(test.vidsch.Ended(waits));
    test.Sleep(1000);
    test.Complete(test.vidsch.last_submitted(1), 1);
  });
}

TEST(VidSchRecovery, ARequestThatIsNotAnsweredResetsTheEngineAndOneDeviceIsLost) {
  Recovery test;
  const PacketId hung = test.Submit(test.Render(1, test.guilty));
  const PacketId behind = test.Submit(test.Render(1, test.guilty));
  const PacketId innocent = test.Submit(test.Render(2, test.other));
  test.Run([&] {
    test.Sleep(110'000);  // preemption has been requested by now
    test.driver.last_aborted = 4;
    test.Sleep(110'000);
    ASSERT_THAT(test.driver.reset, ElementsAre(1u));
    EXPECT_EQ(test.vidsch.EndOf(hung), PacketEnd::kLost);
    EXPECT_EQ(test.vidsch.EndOf(behind), PacketEnd::kLost) << "of the lost device";
    ASSERT_FALSE(test.vidsch.Ended(innocent));
    EXPECT_EQ(test.driver.submitted.back().SubmissionFenceId, 5u) << "submitted again with a new id";
    EXPECT_EQ(test.driver.submitted.back().hContext, reinterpret_cast<HANDLE>(2));
    test.Complete(5, 1);
    EXPECT_EQ(test.vidsch.EndOf(innocent), PacketEnd::kCompleted);
    const PacketId more = test.vidsch.Submit(test.Render(1, test.guilty));
    EXPECT_EQ(test.vidsch.EndOf(more), PacketEnd::kLost) << "nothing of it reaches the GPU any more";
  });
  EXPECT_TRUE(test.guilty->lost);
  EXPECT_FALSE(test.other->lost);
  ASSERT_THAT(test.vidsch.recoveries(), SizeIs(1));
  EXPECT_EQ(test.vidsch.recoveries()[0].kind, Kind::kEngine);
  EXPECT_EQ(test.vidsch.recoveries()[0].device, "guilty");
}

// A process's second packet still waits when the driver returns its first. It must not overtake the
// first.
TEST(VidSchRecovery, WhatAResetGivesBackKeepsTheOrderWithinEachOfItsContexts) {
  Recovery test;
  GpuDevice* third = test.vidsch.CreateDevice("third");
  test.Submit(test.Render(1, test.guilty));
  const PacketId a1 = test.Submit(test.Render(2, test.other)), b1 = test.Submit(test.Render(3, third));
  const PacketId a2 = test.Submit(test.Render(2, test.other)), b2 = test.Submit(test.Render(3, third));
  test.driver.last_aborted = 4;
  test.Run([&] {
    test.Sleep(40'000);  // preemption has been requested by now
    ASSERT_THAT(test.driver.preempted, SizeIs(1));
    test.driver.last_aborted = test.driver.preempted[0].PreemptionFenceId;
    test.Sleep(120'000);
    ASSERT_THAT(test.driver.reset, ElementsAre(1u));
    test.Complete(test.vidsch.last_submitted(1), 1);
  });
  test.ended.erase(test.ended.begin());  // drops the packet that caused the reset
  EXPECT_THAT(test.ended, ElementsAre(a1, b1, a2, b2));
}

TEST(VidSchRecovery, ARequestThatIsAnsweredAtTheLastMomentResetsNothing) {
  Recovery test;
  const PacketId late = test.Submit(test.Render(1, test.guilty));
  test.driver.on_status = [&] { test.AnswerPreemption(0, 1); };
  test.Run([&] {
    test.Sleep(220'000);
    ASSERT_THAT(test.driver.preempted, SizeIs(1));
    EXPECT_THAT(test.driver.reset, IsEmpty());
    test.Complete(test.vidsch.last_submitted(1), 1);
  });
  EXPECT_EQ(test.vidsch.EndOf(late), PacketEnd::kCompleted);
  EXPECT_FALSE(test.guilty->lost);
  EXPECT_THAT(test.vidsch.recoveries(), IsEmpty());
}

TEST(VidSchRecovery, LastAbortedFenceIdMustLieBetweenCompletedAndSubmitted) {
  for (const uint32_t aborted : {0u, 9u}) {
    Recovery test;
    test.Submit(test.Render(1, test.guilty));
    test.Submit(test.Render(1, test.guilty));
    test.Complete(1, 1);
    test.driver.last_aborted = aborted;
    try {
      test.Run([&] { test.Sleep(400'000); });
      FAIL() << "no bug check for " << aborted;
    } catch (const BugCheck& stop) {
      EXPECT_EQ(stop.code(), StopCode::kVideoSchedulerInternalError);
      EXPECT_EQ(stop.parameters()[0], stop::kAbortedFence);
      EXPECT_EQ(stop.parameters()[1], aborted);
    }
  }
}

struct Limited : SchedulerBench {
  static Parameters Of(uint64_t count, uint64_t within_us) {
    Parameters parameters = Short();
    parameters.tdr_limit_count = count;
    parameters.tdr_limit_time_us = within_us;
    return parameters;
  }
  Limited(uint64_t count, uint64_t within_us) : SchedulerBench(0, Of(count, within_us)) {}
  /// Lets the engine hang `times` times, each time for a new device. Returns the number of resets.
  size_t Hang(unsigned times) {
    Run([&] {
      for (unsigned i = 0; i < times; ++i) {
        vidsch.Submit(Render(1, vidsch.CreateDevice("device")));
        Sleep(110'000);
        driver.last_aborted = vidsch.last_submitted(1);
        Sleep(150'000);
      }
    });
    return driver.reset.size();
  }
};

// "Limiting Repetitive GPU Hangs and Recoveries": within TdrLimitTime, only TdrLimitCount timeouts
// are recovered.
TEST(VidSchRecovery, OneTimeoutMoreThanTdrLimitCountIsABugCheck) {
  EXPECT_EQ(Limited(3, 60'000'000).Hang(3), 3u);
  Limited test(3, 60'000'000);
  try {
    test.Hang(4);
    FAIL() << "no bug check";
  } catch (const BugCheck& stop) {
    EXPECT_EQ(stop.code(), StopCode::kVideoTdrFailure);
    EXPECT_THAT(stop.what(), HasSubstr("the 4. timeout of an engine within 60000000 us"));
  }
  EXPECT_THAT(test.driver.reset, SizeIs(3));
}

TEST(VidSchRecovery, TimeoutsBeforeTdrLimitTimeDoNotCount) { EXPECT_EQ(Limited(2, 400).Hang(6), 6u); }

TEST(VidSchRecovery, AnEngineThatCannotBeResetResetsTheAdapterAndEveryDeviceIsLost) {
  Recovery test;
  int rebuilt = 0;
  test.vidsch.set_adapter_reset([&] { ++rebuilt; });
  const PacketId hung = test.Submit(test.Render(1, test.guilty));
  const PacketId innocent = test.Submit(test.Render(2, test.other));
  test.driver.reset_status = STATUS_IO_TIMEOUT;
  test.Run([&] { test.Sleep(300'000); });
  EXPECT_EQ(test.driver.adapter_resets, 1);
  EXPECT_EQ(rebuilt, 1);
  EXPECT_EQ(test.vidsch.EndOf(hung), PacketEnd::kLost);
  EXPECT_EQ(test.vidsch.EndOf(innocent), PacketEnd::kLost);
  EXPECT_TRUE(test.other->lost);
  EXPECT_EQ(test.vidsch.last_completed(1), test.vidsch.last_submitted(1));
  ASSERT_THAT(test.vidsch.recoveries(), SizeIs(1));
  EXPECT_EQ(test.vidsch.recoveries()[0].kind, Kind::kAdapter);
  EXPECT_EQ(test.vidsch.recoveries()[0].device, "guilty");
}

TEST(Rule11, AResetThatHitAPagingPacketBecomesAnAdapterReset) {
  Recovery test;
  const PacketId paging = test.Submit(test.Paging());
  test.driver.last_aborted = 2;
  test.Run([&] { test.Sleep(300'000); });
  EXPECT_THAT(test.driver.reset, ElementsAre(0u));
  EXPECT_EQ(test.driver.adapter_resets, 1);
  EXPECT_EQ(test.vidsch.EndOf(paging), PacketEnd::kLost);
}

TEST(Rule11, APageFaultCompletesAllSmallerFenceIds) {
  Recovery test;
  const PacketId first = test.Submit(test.Render(2, test.other));
  const PacketId faulted = test.Submit(test.Render(1, test.guilty));
  const PacketId later = test.Submit(test.Render(2, test.other));
  test.driver.last_aborted = 3;
  test.Run([&] {
    test.PageFault(2, 1);
    EXPECT_EQ(test.vidsch.EndOf(first), PacketEnd::kCompleted);
    EXPECT_EQ(test.vidsch.EndOf(faulted), PacketEnd::kLost);
    EXPECT_EQ(test.vidsch.last_completed(1), 2u);
    test.Sleep(2000);
    EXPECT_THAT(test.driver.reset, ElementsAre(1u)) << "the engine must be reset";
    EXPECT_EQ(test.driver.submitted.back().SubmissionFenceId, 4u);
    test.Complete(4, 1);
    EXPECT_EQ(test.vidsch.EndOf(later), PacketEnd::kCompleted);
  });
  EXPECT_TRUE(test.guilty->lost);
  EXPECT_THAT(test.guilty->why, HasSubstr("0x2430000"));
  EXPECT_FALSE(test.other->lost);
  EXPECT_THAT(test.kernel.faults(), IsEmpty());
}

TEST(VidSchRecovery, APageFaultOfPagingEndsTheRun) {
  Recovery test;
  test.Submit(test.Paging());
  test.PageFault(1, 0);
  ASSERT_THAT(test.kernel.faults(), SizeIs(1));
  EXPECT_EQ(test.kernel.faults()[0].address, 0x2430000u);
}

TEST(VidSchRecovery, ARefusedRenderPacketEndsAfterThoseBeforeItAndItsDeviceIsLost) {
  Recovery test;
  const PacketId first = test.Submit(test.Render(2, test.other));
  test.driver.submit_status = STATUS_INVALID_PARAMETER;
  const PacketId refused = test.Submit(test.Render(1, test.guilty));
  EXPECT_FALSE(test.vidsch.Ended(refused));
  EXPECT_TRUE(test.guilty->lost);
  test.Complete(1, 1);
  EXPECT_EQ(test.vidsch.EndOf(first), PacketEnd::kCompleted);
  EXPECT_EQ(test.vidsch.EndOf(refused), PacketEnd::kLost);
}

TEST(VidSchRecovery, ARefusedRenderPacketThatComesBackStillEndsAfterThoseBeforeIt) {
  Recovery test;
  const PacketId first = test.Submit(test.Render(2, test.other));
  test.driver.submit_status = STATUS_INVALID_PARAMETER;
  const PacketId refused = test.Submit(test.Render(1, test.guilty));
  test.driver.submit_status = STATUS_SUCCESS;
  test.vidsch.Preempt(1);
  test.AnswerPreemption(0, 1);
  test.Run([&] {
    test.Sleep(1000);
    ASSERT_THAT(test.driver.submitted, SizeIs(3));
    EXPECT_EQ(test.driver.submitted.back().hContext, reinterpret_cast<HANDLE>(2)) << "the refused one is no more";
    EXPECT_FALSE(test.vidsch.Ended(refused)) << "one before it runs";
    test.Complete(test.driver.submitted.back().SubmissionFenceId, 1);
  });
  EXPECT_THAT(test.ended, ElementsAre(first, refused));
  EXPECT_EQ(test.vidsch.EndOf(first), PacketEnd::kCompleted);
  EXPECT_EQ(test.vidsch.EndOf(refused), PacketEnd::kLost);
}

}  // namespace
}  // namespace gmmu::os::test
