// SPDX-License-Identifier: Apache-2.0
#include "os/vidsch/vidsch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/base/bug_check.h"
#include "tb/sw/os/vidsch/vidsch_bench.h"

namespace gmmu::os::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(VidSch, ACompletionRetiresAllSmallerFencesInOrder) {
  SchedulerBench test;
  const PacketId first = test.Submit(test.Paging()), second = test.Submit(test.Paging()),
                 third = test.Submit(test.Paging());
  EXPECT_THAT(test.driver.FencesFrom(0), ElementsAre(1u, 2u, 3u));
  EXPECT_FALSE(test.vidsch.Ended(first));
  test.Complete(2);
  EXPECT_THAT(test.ended, ElementsAre(first, second));
  EXPECT_EQ(test.vidsch.EndOf(first), PacketEnd::kCompleted);
  EXPECT_EQ(test.vidsch.EndOf(third), PacketEnd::kPending);
  test.Complete(2);  // a repeated report completes nothing more
  test.Complete(3);
  EXPECT_THAT(test.ended, ElementsAre(first, second, third));
  EXPECT_THAT(test.kernel.ledger().Leaks(), IsEmpty());
}

TEST(VidSch, FencesOfNodesAreUnrelated) {
  SchedulerBench test;
  const PacketId paging = test.Submit(test.Paging());
  const PacketId render = test.Submit(test.Render(1));
  EXPECT_EQ(test.driver.submitted[0].SubmissionFenceId, test.driver.submitted[1].SubmissionFenceId);
  test.Complete(1, 0);
  EXPECT_TRUE(test.vidsch.Ended(paging));
  EXPECT_FALSE(test.vidsch.Ended(render));
  EXPECT_NE(test.driver.submitted[0].Flags.Paging, test.driver.submitted[1].Flags.Paging);
}

TEST(VidSch, IdsWrapPast2To32WithoutAZero) {
  SchedulerBench test(0xFFFFFFFE);
  const PacketId last = test.Submit(test.Paging()), first = test.Submit(test.Paging()),
                 second = test.Submit(test.Paging());
  EXPECT_THAT(test.driver.FencesFrom(0), ElementsAre(0xFFFFFFFFu, 1u, 2u));
  test.Complete(0xFFFFFFFF);
  EXPECT_THAT(test.ended, ElementsAre(last));
  test.Complete(2);
  EXPECT_THAT(test.ended, ElementsAre(last, first, second));
  test.Complete(0xFFFFFFFF);  // too old: from before the wrap
  EXPECT_EQ(test.vidsch.last_completed(0), 2u);
}

TEST(VidSch, AFenceThatWasNeverSubmittedIsABugCheck) {
  SchedulerBench test(0xFFFFFFFE);
  test.Submit(test.Paging());
  EXPECT_THROW(test.Complete(1), BugCheck);
}

}  // namespace
}  // namespace gmmu::os::test
