// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/base/bug_check.h"
#include "tb/sw/os/vidsch/vidsch_bench.h"

namespace gmmu::os::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Kind = VidSch::Recovery::Kind;

void ExpectAResetBitWithoutAFence() {
  for (const auto& [fence, flags] : {std::pair{0u, 0u}, {1u, unsigned{DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED}}}) {
    Faults test;
    test.Submit(test.Render(1, test.guilty));
    EXPECT_THROW(test.PageFault(fence, 1, DXGK_PAGE_FAULT_FENCE_INVALID | flags), BugCheck) << fence << " " << flags;
  }
}
TEST(PageFaultFlags, WithoutAFenceAResetBitIsCompulsoryAndTheFenceIs0) { ExpectAResetBitWithoutAFence(); }
TEST(Rule11, WithAnUnknownFenceAResetBitIsCompulsory) { ExpectAResetBitWithoutAFence(); }

TEST(PageFaultFlags, WithoutAFenceTheEngineIsResetAndThePacketThatRanIsLost) {
  Faults test;
  const PacketId ran = test.Submit(test.Render(1, test.guilty));
  const PacketId behind = test.Submit(test.Render(2, test.other));
  test.driver.last_aborted = 2;
  test.Run([&] {
    test.PageFault(0, 1, DXGK_PAGE_FAULT_FENCE_INVALID | DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED);
    EXPECT_FALSE(test.vidsch.Ended(ran)) << "no fence is completed by it";
    test.Sleep(2000);
    EXPECT_THAT(test.driver.reset, ElementsAre(1u));
    EXPECT_EQ(test.vidsch.EndOf(ran), PacketEnd::kLost);
    test.Complete(test.vidsch.last_submitted(1), 1);
    EXPECT_EQ(test.vidsch.EndOf(behind), PacketEnd::kCompleted);
  });
  EXPECT_TRUE(test.guilty->lost);
  EXPECT_FALSE(test.other->lost);
}

TEST(PageFaultFlags, TheProcessHandleSaysWhoseDeviceIsLost) {
  Faults test;
  const PacketId ran = test.Submit(test.Render(2, test.other));
  const PacketId behind = test.Submit(test.Render(1, test.guilty));
  test.driver.last_aborted = 2;
  test.Run([&] {
    test.PageFault(0, 1,
                   DXGK_PAGE_FAULT_FENCE_INVALID | DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED |
                       DXGK_PAGE_FAULT_PROCESS_HANDLE_VALID,
                   &test.guilty);
    test.Sleep(2000);
    ASSERT_THAT(test.driver.reset, ElementsAre(1u));
    EXPECT_EQ(test.vidsch.EndOf(behind), PacketEnd::kLost);
    test.Complete(test.vidsch.last_submitted(1), 1);
    EXPECT_EQ(test.vidsch.EndOf(ran), PacketEnd::kCompleted) << "it ran, and was not named";
  });
  EXPECT_TRUE(test.guilty->lost);
  EXPECT_FALSE(test.other->lost);
  EXPECT_EQ(test.vidsch.recoveries()[0].device, "guilty");
}

TEST(PageFaultFlags, AProcessThatIsNamedAndEndsBeforeTheResetTakesNobodyWithIt) {
  for (const auto& [reset, before] :
       std::vector<std::pair<unsigned, bool>>{{DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED, false},
                                              {DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED, false},
                                              {DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED, true},
                                              {DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED, true}}) {
    SCOPED_TRACE(before ? "gone when the fault is reported" : "gone behind the report");
    Faults test;
    const unsigned flags = DXGK_PAGE_FAULT_FENCE_INVALID | reset | DXGK_PAGE_FAULT_PROCESS_HANDLE_VALID;
    const bool adapter = reset == DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED;
    const PacketId ran = test.Submit(test.Render(2, test.other));
    test.driver.last_aborted = 1;
    test.Run([&] {
      if (before) test.vidsch.DestroyDevice(test.guilty);
      test.PageFault(0, 1, flags, &test.guilty);
      if (!before) test.vidsch.DestroyDevice(test.guilty);
      test.vidsch.CreateDevice("one more");  // may have the address of the freed device
      test.Sleep(2000);
      if (!adapter) test.Complete(test.vidsch.last_submitted(1), 1);
    });
    ASSERT_THAT(test.vidsch.recoveries(), SizeIs(1));
    EXPECT_EQ(test.vidsch.recoveries()[0].device, "");
    EXPECT_EQ(test.vidsch.EndOf(ran), adapter ? PacketEnd::kLost : PacketEnd::kCompleted);
    EXPECT_EQ(test.other->lost, adapter);
  }
}

TEST(PageFaultFlags, AdapterResetAndFatalErrorResetTheAdapter) {
  for (const unsigned flag : {DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED, DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR}) {
    Faults test;
    test.Submit(test.Render(1, test.guilty));
    test.Run([&] {
      test.PageFault(0, 1, DXGK_PAGE_FAULT_FENCE_INVALID | flag);
      test.Sleep(2000);
    });
    EXPECT_THAT(test.driver.reset, IsEmpty()) << "not the engine";
    EXPECT_EQ(test.driver.adapter_resets, 1);
    ASSERT_THAT(test.vidsch.recoveries(), SizeIs(1));
    EXPECT_EQ(test.vidsch.recoveries()[0].kind, Kind::kAdapter);
    EXPECT_TRUE(test.other->lost) << "every device is";
  }
}

TEST(DmaFaults, LoseTheDeviceOfThePacketThatTheFenceNames) {
  Faults test;
  const PacketId first = test.Submit(test.Render(2, test.other));  // completes, but is not reported
  const PacketId faulted = test.Submit(test.Render(1, test.guilty));
  const PacketId later = test.Submit(test.Render(2, test.other));
  test.driver.last_aborted = 3;
  test.Run([&] {
    test.DmaFault(2, 1);
    EXPECT_EQ(test.vidsch.EndOf(first), PacketEnd::kCompleted);
    EXPECT_EQ(test.vidsch.EndOf(faulted), PacketEnd::kLost);
    test.Sleep(2000);
    EXPECT_THAT(test.driver.reset, ElementsAre(1u));
    ASSERT_THAT(test.driver.FencesFrom(3), ElementsAre(4u)) << "what came later, and nothing else";
    test.Complete(4, 1);
    EXPECT_EQ(test.vidsch.EndOf(later), PacketEnd::kCompleted);
  });
  EXPECT_TRUE(test.guilty->lost);
  EXPECT_THAT(test.guilty->why, HasSubstr("fence 2"));
  EXPECT_FALSE(test.other->lost);
  ASSERT_THAT(test.vidsch.recoveries(), SizeIs(1));
  EXPECT_EQ(test.vidsch.recoveries()[0].device, "guilty");
  EXPECT_THAT(test.kernel.faults(), IsEmpty());
}

TEST(DmaFaults, OfAPagingPacketOrOfNoneThatRunsEndTheRun) {
  for (const uint32_t fence : {1u, 7u}) {
    Faults test;
    test.Submit(test.Paging());
    test.Submit(test.Render(1, test.guilty, 0));  // waits behind the paging packet
    test.DmaFault(fence, 0);
    ASSERT_THAT(test.kernel.faults(), SizeIs(1));
    EXPECT_EQ(test.kernel.faults()[0].fence, fence);
    EXPECT_FALSE(test.guilty->lost);
  }
}

TEST(PageFaultFlags, WhoAsksForAnAdapterResetGetsItWhateverFenceIsNamed) {
  for (const unsigned flag : {DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED, DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR}) {
    for (const uint32_t fence : {1u, 2u, 7u}) {  // paging packet, render packet, no packet
      SCOPED_TRACE(std::to_string(flag) + ", fence " + std::to_string(fence));
      Faults test;
      const PacketId paging = test.Submit(test.Paging(1)), render = test.Submit(test.Render(1, test.guilty));
      test.Run([&] {
        test.PageFault(fence, 1, flag);
        test.Sleep(2000);
      });
      EXPECT_THAT(test.kernel.faults(), IsEmpty());
      EXPECT_THAT(test.driver.reset, IsEmpty()) << "not the engine";
      EXPECT_EQ(test.driver.adapter_resets, 1);
      EXPECT_EQ(test.vidsch.EndOf(paging), fence == 2 ? PacketEnd::kCompleted : PacketEnd::kLost);
      EXPECT_EQ(test.vidsch.EndOf(render), PacketEnd::kLost);
      EXPECT_TRUE(test.other->lost) << "every device is";
    }
  }
}

TEST(PageFaultFlags, AFaultThatNeedsLessDoesNotTakeAnAdapterResetBack) {
  Faults test;
  test.Submit(test.Render(1, test.guilty));
  test.Submit(test.Render(2, test.other));
  test.Run([&] {
    test.PageFault(1, 1, DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED);
    test.PageFault(2, 1, DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED);
    test.Sleep(2000);
  });
  EXPECT_THAT(test.driver.reset, IsEmpty());
  EXPECT_EQ(test.driver.adapter_resets, 1);
}

}  // namespace
}  // namespace gmmu::os::test
