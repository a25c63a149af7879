// SPDX-License-Identifier: Apache-2.0
#include "os/vidsch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "os/bug_check.h"
#include "platform/config.h"
#include "twin/machine.h"

namespace gmmu::os {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Fences {
  explicit Fences(uint32_t last = 0) : vidsch(kernel, last) {}

  uint32_t Submit(uint32_t node = 0) {
    const uint32_t place = next++;
    return vidsch.NewFence(node, "test", [this, place] { retired.push_back(place); });
  }
  void Complete(uint32_t fence, uint32_t node = 0) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
    data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    data.DmaCompleted.SubmissionFenceId = fence;
    data.DmaCompleted.NodeOrdinal = node;
    const Irql old = kernel.scheduler().Raise(kDevice);
    vidsch.OnInterrupt(data);
    kernel.scheduler().Lower(old);
    vidsch.OnDpc();
  }

  sim::twin::Machine platform{sim::twin::MachineParameters::From(sim::MachineConfig::Default())};
  Kernel kernel{platform, Parameters{}};
  VidSch vidsch;
  uint32_t next = 0;
  std::vector<uint32_t> retired;
};

TEST(VidSch, ACompletionRetiresAllSmallerFencesInOrder) {
  Fences test;
  const uint32_t first = test.Submit(), second = test.Submit(), third = test.Submit();
  EXPECT_FALSE(test.vidsch.Completed(0, first));
  test.Complete(second);
  EXPECT_THAT(test.retired, ElementsAre(0u, 1u));
  EXPECT_TRUE(test.vidsch.Completed(0, first));
  EXPECT_FALSE(test.vidsch.Completed(0, third));
  test.Complete(second);  // told again: nothing new
  test.Complete(third);
  EXPECT_THAT(test.retired, ElementsAre(0u, 1u, 2u));
  EXPECT_THAT(test.kernel.ledger().Leaks(), IsEmpty());
}

TEST(VidSch, FencesOfNodesAreUnrelated) {
  Fences test;
  const uint32_t a = test.Submit(0);
  const uint32_t b = test.Submit(1);
  EXPECT_EQ(a, b);
  test.Complete(a, 0);
  EXPECT_TRUE(test.vidsch.Completed(0, a));
  EXPECT_FALSE(test.vidsch.Completed(1, b));
}

TEST(VidSch, IdsWrapPast2To32WithoutAZero) {
  Fences test(0xFFFFFFFE);
  const uint32_t last = test.Submit(), first = test.Submit(), second = test.Submit();
  EXPECT_EQ(last, 0xFFFFFFFFu);
  EXPECT_EQ(first, 1u);
  test.Complete(last);
  EXPECT_THAT(test.retired, ElementsAre(0u));
  EXPECT_FALSE(test.vidsch.Completed(0, first));
  test.Complete(second);
  EXPECT_THAT(test.retired, ElementsAre(0u, 1u, 2u));
  EXPECT_TRUE(test.vidsch.Completed(0, last)) << "an id from before the wrap is an old one";
}

TEST(VidSch, AFenceThatWasNeverSubmittedIsABugCheck) {
  Fences test(0xFFFFFFFE);
  test.Submit();
  EXPECT_THROW(test.Complete(1), BugCheck);
}

TEST(VidSch, AnInterruptIsToldAtDeviceLevelOnly) {
  Fences test;
  EXPECT_THROW(test.vidsch.OnInterrupt({}), BugCheck);
}

}  // namespace
}  // namespace gmmu::os
