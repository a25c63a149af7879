// SPDX-License-Identifier: Apache-2.0
// gmmu_fifo_ram with Sliced against a deque: three words stand behind the RAM. gmmu_fifo_test.cc has the others.
#include "inner_prims.h"

namespace gmmu::inner {
namespace {

constexpr std::array<Queue, 3> kFifos{
    {{4, "of 64 words", 32, 67, 3, 100}, {5, "of 4 words", 32, 7, 3, 100}, {6, "of 4 words of one bit", 1, 7, 3, 100}}};

class SlicedFifoTest : public QueuesTest {};

TEST_P(SlicedFifoTest, KeepsOrderUnderIdleInputAndBackPressure) { KeepsOrder(kFifos); }
TEST_P(SlicedFifoTest, LatencyCapacityAndRateAreAsStated) { LatencyCapacityAndRate(kFifos); }

INSTANTIATE_TEST_SUITE_P(Seeds, SlicedFifoTest, Seeds(3));

}  // namespace
}  // namespace gmmu::inner
