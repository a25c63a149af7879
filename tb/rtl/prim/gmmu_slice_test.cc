// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_slice at full and at half rate against a deque, with and without idle input and back-pressure.
#include "inner_prims.h"

namespace gmmu::inner {
namespace {

constexpr std::array<Queue, 4> kSlices{{{0, "full rate", 32, 2, 1, 100},
                                        {1, "full rate, one bit", 1, 2, 1, 100},
                                        {2, "half rate", 32, 1, 1, 50},
                                        {3, "half rate, one bit", 1, 1, 1, 50}}};

class SliceTest : public QueuesTest {};

TEST_P(SliceTest, KeepsOrderUnderIdleInputAndBackPressure) { KeepsOrder(kSlices); }
TEST_P(SliceTest, LatencyCapacityAndRateAreAsStated) { LatencyCapacityAndRate(kSlices); }

INSTANTIATE_TEST_SUITE_P(Seeds, SliceTest, Seeds(3));

}  // namespace
}  // namespace gmmu::inner
