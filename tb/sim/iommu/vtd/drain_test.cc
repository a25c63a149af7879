// SPDX-License-Identifier: Apache-2.0
#include "iommu/vtd/drain.h"

#include <gtest/gtest.h>

namespace gmmu::sim {
namespace {

TEST(VtdDrain, CoversWhatWasInFlightAndNothingLater) {
  VtdDrainTracker tracker;
  const uint64_t a = tracker.Enter(VtdDrainTracker::kWalk);
  const auto walks = tracker.Mark(false, false);
  const auto reads = tracker.Mark(true, false);
  const uint64_t b = tracker.Enter(VtdDrainTracker::kWrite);
  EXPECT_FALSE(tracker.Done(walks));
  tracker.Change(a, VtdDrainTracker::kWalk, VtdDrainTracker::kRead);
  EXPECT_TRUE(tracker.Done(walks));
  EXPECT_FALSE(tracker.Done(reads));
  tracker.Leave(a, VtdDrainTracker::kRead);
  EXPECT_TRUE(tracker.Done(reads));
  EXPECT_FALSE(tracker.Done(tracker.Mark(false, true)));
  tracker.Leave(b, VtdDrainTracker::kWrite);
  EXPECT_EQ(tracker.in_flight(), 0u);
}

}  // namespace
}  // namespace gmmu::sim
