// SPDX-License-Identifier: Apache-2.0
// Tests waits by the scheduler's callers, and the IRQL of the driver's notifications.
#include "os/vidsch/vidsch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "os/base/bug_check.h"
#include "os/base/errors.h"
#include "os/miniport/driver_calls.h"
#include "tb/sw/os/vidsch/vidsch_bench.h"

namespace gmmu::os::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(VidSch, AnInterruptIsToldAtDeviceLevelOnly) {
  SchedulerBench test;
  EXPECT_THROW(test.vidsch.OnInterrupt({}), BugCheck);
}

constexpr uint64_t kBoundNs = 100'000'000;

/// A scheduler with the default timeout of two seconds.
struct Waits : SchedulerBench {
  HANDLE Context(uint64_t number) { return reinterpret_cast<HANDLE>(number); }
  GpuDevice* guilty = vidsch.CreateDevice("guilty");
};

TEST(VidSchWaits, PagingBehindAPacketThatHangsIsWaitedForUntilThatIsReset) {
  Waits test;
  test.driver.last_aborted = 1;
  const PacketId hung = test.Submit(test.Render(1, test.guilty));
  const PacketId paging = test.Submit(test.Paging());
  test.Run([&] {
    const uint64_t start = test.kernel.hal().NowNs();
    test.kernel.scheduler().Spawn("the GPU", [&] {
      test.kernel.scheduler().Wait([&] { return !test.driver.reset.empty(); }, 60'000'000'000, "the reset");
      test.Complete(1);
    });
    EXPECT_EQ(test.vidsch.Wait(paging, kBoundNs), PacketEnd::kCompleted);
    EXPECT_GE(test.kernel.hal().NowNs() - start, 4'000'000'000u) << "the delay twice";
  });
  EXPECT_EQ(test.vidsch.EndOf(hung), PacketEnd::kLost);
}

TEST(VidSchWaits, PagingThatNothingHoldsUpHasItsOwnBound) {
  Waits test;
  const PacketId paging = test.Submit(test.Paging());
  test.Run([&] {
    const uint64_t start = test.kernel.hal().NowNs();
    EXPECT_THROW(test.vidsch.Wait(paging, kBoundNs), OsTimeout);
    EXPECT_LT(test.kernel.hal().NowNs() - start, kBoundNs + 1'000'000);
    test.Complete(1);
  });
}

TEST(VidSchWaits, AContextIsSuspendedAndTheDriverIsQuietAfterTheReset) {
  Waits test;
  test.driver.last_aborted = 1;
  test.Submit(test.Render(1, test.guilty));
  test.Run([&] {
    test.vidsch.SuspendContext(test.Context(1), kBoundNs);
    EXPECT_THAT(test.driver.reset, SizeIs(1));
    test.vidsch.WaitQuiet(kBoundNs);
  });
  EXPECT_TRUE(test.guilty->lost);
}

TEST(VidSchWaits, ARequestToPreemptThatIsOpenIsNotQuiet) {
  Waits test;
  test.vidsch.Preempt(1);
  test.Run([&] {
    bool quiet = false;
    test.kernel.scheduler().Spawn("waits", [&] {
      test.vidsch.WaitQuiet(kBoundNs);
      quiet = true;
    });
    test.Sleep(10'000);
    EXPECT_TRUE(test.vidsch.idle());
    EXPECT_FALSE(quiet);
    test.AnswerPreemption(0, 1);
    test.Sleep(10'000);
    EXPECT_TRUE(quiet);
  });
}

TEST(VidSchWaits, SuspensionsAreCounted) {
  Waits test;
  test.vidsch.Suspend();
  test.vidsch.Suspend();
  test.Submit(test.Render(1));
  test.vidsch.Resume();
  EXPECT_THAT(test.driver.submitted, IsEmpty()) << "one more suspends it";
  test.vidsch.Resume();
  EXPECT_THAT(test.driver.submitted, SizeIs(1));
  EXPECT_THROW(test.vidsch.Resume(), BugCheck);
  test.Run([&] { test.Complete(1, 1); });
}

TEST(VidSchWaits, ASuspensionEndsWithItsContextAndWithAResetOfTheAdapter) {
  Waits test;
  test.Run([&] {
    test.vidsch.SuspendContext(test.Context(1), kBoundNs);
    test.vidsch.ForgetContext(test.Context(1));
    // The new context may have the old one's address.
    const PacketId packet = test.Submit(test.Render(1));
    EXPECT_THAT(test.driver.submitted, SizeIs(1));
    test.Complete(1, 1);
    EXPECT_TRUE(test.vidsch.Ended(packet));

    test.vidsch.SuspendContext(test.Context(2), kBoundNs);
    test.PageFault(0, 1, DXGK_PAGE_FAULT_FENCE_INVALID | DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED);
    test.Sleep(10'000);
    ASSERT_EQ(test.driver.adapter_resets, 1);
    test.Submit(test.Render(2));
    EXPECT_THAT(test.driver.submitted, SizeIs(2));
    test.Complete(test.vidsch.last_submitted(1), 1);
  });
}

/// Paging work that is submitted between an adapter reset and the rebuild ends as lost at once.
/// Otherwise the rebuild, which waits for it, would never finish.
TEST(VidSchWaits, WhatIsSubmittedBetweenAResetOfTheAdapterAndItsRebuildIsLost) {
  Waits test;
  PacketId before = 0, after = 0;
  test.vidsch.set_adapter_reset([&] {
    EXPECT_TRUE(test.vidsch.discarding());
    before = test.Submit(test.Paging());
    EXPECT_EQ(test.vidsch.EndOf(before), PacketEnd::kLost);
    test.vidsch.BeginRebuild();
    after = test.Submit(test.Paging());
    EXPECT_FALSE(test.vidsch.Ended(after));
  });
  test.Run([&] {
    test.PageFault(0, 1, DXGK_PAGE_FAULT_FENCE_INVALID | DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED);
    test.Sleep(10'000);
    ASSERT_THAT(test.driver.submitted, SizeIs(1)) << "the one that came after";
    test.Complete(test.vidsch.last_submitted(0));
    EXPECT_EQ(test.vidsch.EndOf(after), PacketEnd::kCompleted);
  });
  EXPECT_THAT(test.kernel.ledger().Leaks(), IsEmpty());
}

TEST(VidSchWaits, NothingWaitsForAnAdapterThatWasRemoved) {
  Waits test;
  test.Run([&] {
    GpuDevice* const device = test.vidsch.CreateDevice("device");
    const PacketId running = test.Submit(test.Render(1, device)), paging = test.Submit(test.Paging());
    EXPECT_THAT(test.driver.submitted, SizeIs(2));
    test.vidsch.OnRemoval();
    EXPECT_TRUE(test.vidsch.removed());
    for (const PacketId packet : {running, paging, test.Submit(test.Render(1, device)), test.Submit(test.Paging())})
      EXPECT_EQ(test.vidsch.Wait(packet, kBoundNs), PacketEnd::kLost);
    EXPECT_TRUE(device->lost);
    EXPECT_THAT(device->why, HasSubstr("removed"));
    test.vidsch.SuspendContext(test.Context(1), kBoundNs, true);
    EXPECT_TRUE(test.vidsch.quiet());
    EXPECT_THAT(test.driver.submitted, SizeIs(2));
    EXPECT_THAT(test.driver.preempted, IsEmpty());
    test.vidsch.DestroyDevice(device);
    test.vidsch.Connect(&test.miniport);  // as at the next start
    EXPECT_FALSE(test.vidsch.removed());
  });
  EXPECT_THAT(test.kernel.ledger().Leaks(), IsEmpty());
}

/// A drain recovers hung and unreported packets with the same driver calls as a timeout. The
/// exclusive access then fails, because this driver has no DxgkDdiBeginExclusiveAccess.
TEST(VidSchWaits, ExclusiveAccessIsDrainedOfWhatHangsAndOfWhatNobodyTold) {
  const auto refusal = [](SchedulerBench& test) -> std::string {
    std::string text;
    test.vidsch.Suspend();
    try {
      test.miniport.driver().BeginExclusiveAccess([&] { test.vidsch.WaitQuiet(kBoundNs); });
    } catch (const OsError& error) {
      text = error.what();
    }
    test.vidsch.Resume();
    return text;
  };
  {
    Waits hangs;
    hangs.driver.last_aborted = 1;
    hangs.Submit(hangs.Render(1, hangs.guilty));
    hangs.Run([&] { EXPECT_THAT(refusal(hangs), HasSubstr("the driver's table has no DxgkDdiBeginExclusiveAccess")); });
    EXPECT_THAT(hangs.driver.reset, SizeIs(1));
  }
  Waits untold;
  untold.driver.current_fence = 1;
  untold.Submit(untold.Render(1, untold.guilty));
  untold.Run([&] { EXPECT_THAT(refusal(untold), HasSubstr("the driver's table has no DxgkDdiBeginExclusiveAccess")); });
  EXPECT_EQ(untold.vidsch.missed_completions(), 1u);
}

}  // namespace
}  // namespace gmmu::os::test
