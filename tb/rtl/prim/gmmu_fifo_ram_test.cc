// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_fifo_ram against a deque, with and without block RAM. The FIFO holds the words of the
// RAM and two more in its output stage.
#include "inner_prims.h"

namespace gmmu::inner {
namespace {

constexpr std::array<Queue, 3> kFifos{
    {{4, "of 64 words", 32, 66, 3, 100}, {5, "of 4 words", 32, 6, 3, 100}, {6, "of 4 words of one bit", 1, 6, 3, 100}}};

class FifoRamTest : public QueuesTest {};

TEST_P(FifoRamTest, KeepsOrderUnderIdleInputAndBackPressure) { KeepsOrder(kFifos); }
TEST_P(FifoRamTest, LatencyCapacityAndRateAreAsStated) { LatencyCapacityAndRate(kFifos); }

INSTANTIATE_TEST_SUITE_P(Seeds, FifoRamTest, Seeds(3));

}  // namespace
}  // namespace gmmu::inner
