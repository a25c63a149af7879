// SPDX-License-Identifier: Apache-2.0
#include "gpu_link/wires.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace gmmu::sim {
namespace {

constexpr uint64_t kHead = GpuLinkWires::kHeadBytes;

TEST(GpuLinkWires, APacketTakesItsBytesAndTheLatency) {
  GpuLinkWires wires({2, 5'000, 4});
  EXPECT_EQ(wires.Send(0, 1, 128, 1'000), 1'000 + (128 + kHead) * 250 + 5'000);
}

TEST(GpuLinkWires, PacketsOfOneSenderFollowEachOther) {
  GpuLinkWires wires({3, 5'000, 4});
  const uint64_t first = wires.Send(0, 1, 128, 0);
  EXPECT_EQ(wires.Send(0, 2, 128, 0), first + (128 + kHead) * 250);
  EXPECT_EQ(wires.free_ps(0), 2 * (128 + kHead) * 250);
}

TEST(GpuLinkWires, PacketsToOneReceiverFollowEachOther) {
  GpuLinkWires wires({3, 5'000, 4});
  const uint64_t first = wires.Send(0, 2, 128, 0);
  EXPECT_EQ(wires.Send(1, 2, 128, 0), first + (128 + kHead) * 250);
  EXPECT_EQ(wires.free_ps(1), (128 + kHead) * 250);
}

TEST(GpuLinkWires, DirectionsAndPairsDoNotDisturbEachOther) {
  GpuLinkWires wires({4, 5'000, 4});
  const uint64_t one = wires.Send(0, 1, 128, 0);
  EXPECT_EQ(wires.Send(1, 0, 128, 0), one);
  EXPECT_EQ(wires.Send(2, 3, 128, 0), one);
}

TEST(GpuLinkWires, CountWhatAUnitSent) {
  GpuLinkWires wires({2, 5'000, 4});
  wires.Send(0, 1, 128, 0);
  wires.Send(0, 1, 0, 0);
  const auto counters = wires.Counters(0);
  EXPECT_EQ(counters[0].value, 2u);
  EXPECT_EQ(counters[1].value, 128u);
  EXPECT_EQ(counters[2].value, (128 + 2 * kHead) * 250);
  EXPECT_EQ(wires.Counters(1)[0].value, 0u);
}

TEST(GpuLinkWires, RefusesWhatIsNoLink) {
  EXPECT_THROW(GpuLinkWires({0, 1, 1}), std::invalid_argument);
  EXPECT_THROW(GpuLinkWires({1, 1, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace gmmu::sim
