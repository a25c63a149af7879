// SPDX-License-Identifier: Apache-2.0
#include "twin/host_time.h"

#include <gtest/gtest.h>

namespace gmmu::sim::twin {
namespace {

constexpr uint16_t kGpu = 0x100;

TEST(HostTime, RequestsOfAPageWaitForItsWalk) {
  HostTime time{TimeParameters{}};
  time.WalkRead(0x1000);
  time.WalkRead(0x2000);
  time.Translated(kGpu, 0x5000, 0x9000);
  time.Translated(kGpu, 0x6000, 0xA000);
  const uint64_t first = time.Serve(kGpu, 0x5000, 64, false, 0);
  const uint64_t joins = time.Serve(kGpu, 0x5040, 64, false, 0);
  const uint64_t hit = time.Serve(kGpu, 0x6000, 64, false, 0);
  EXPECT_GT(first, hit + 60'000);  // two reads of the walk
  EXPECT_GE(joins + 20'000, first);
  EXPECT_LT(time.Serve(kGpu, 0x5000, 64, false, 1'000'000), 1'000'000 + hit + 20'000);
}

TEST(HostTime, OneWalkerServesOneWalkAfterTheOther) {
  TimeParameters one;
  one.iommu_walks = 1;
  HostTime time{one};
  uint64_t last = 0;
  for (uint64_t page = 1; page <= 4; ++page) {
    time.WalkRead(page << 16);
    time.Translated(kGpu, page << 12, page << 20);
    const uint64_t served = time.Serve(kGpu, page << 12, 64, false, 0);
    EXPECT_GT(served, last + 30'000);
    last = served;
  }
}

TEST(HostTime, AnOpenRowIsFaster) {
  HostTime time{TimeParameters{}};
  time.Translated(kGpu, 0x5000, 0x9000);
  const uint64_t first = time.Serve(kGpu, 0x5000, 64, false, 0);
  const uint64_t again = time.Serve(kGpu, 0x5000, 64, false, 1'000'000) - 1'000'000;
  EXPECT_EQ(first - again, TimeParameters{}.dram.trcd_ps);
}

}  // namespace
}  // namespace gmmu::sim::twin
