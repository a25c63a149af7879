// SPDX-License-Identifier: Apache-2.0
#include "host/host_time.h"

#include <gtest/gtest.h>

namespace gmmu::sim {
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
  EXPECT_GT(first, hit + 60'000);  // the miss waits for a walk of two reads
  EXPECT_GE(joins + 20'000, first);
  EXPECT_LT(time.Serve(kGpu, 0x5000, 64, false, 1'000'000), 1'000'000 + hit + 20'000);
}

TEST(HostTime, ARequestThatHitBeforeItsPagesWalkEndsInTimeHasJoinedIt) {
  HostTime time{TimeParameters{}};
  time.WalkRead(0x1000);
  time.Translated(kGpu, 0x5000, 0x9000, false, true);
  for (int i = 0; i < 2; ++i) time.Translated(kGpu, 0x5040, 0x9000, true);
  static_cast<void>(time.Serve(kGpu, 0x5000, 64, false, 0));
  EXPECT_FALSE(time.joined()) << "its own walk";
  static_cast<void>(time.Serve(kGpu, 0x5040, 64, false, 1'000));
  EXPECT_TRUE(time.joined());
  EXPECT_TRUE(time.joined_below_top());
  static_cast<void>(time.Serve(kGpu, 0x5040, 64, false, 1'000'000));
  EXPECT_FALSE(time.joined()) << "the walk is over";
  static_cast<void>(time.Serve(kGpu, 0x5080, 64, false, 1'000));
  EXPECT_FALSE(time.joined()) << "nothing was looked up for it";
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

TEST(HostTime, ABankTakesOneRowAfterTheOtherInTheOrderOfTheAccesses) {
  TimeParameters parameters;
  parameters.dram.trefi_ps = 0;
  const uint64_t row = parameters.dram.row_bytes * parameters.dram.channels * parameters.dram.banks;
  HostTime time(parameters);
  const auto read = [&](uint64_t hpa, uint64_t at_ps) {
    time.Translated(1, hpa, hpa);
    return time.Serve(1, hpa, 64, false, at_ps) - at_ps;
  };
  const uint64_t empty = read(0, 1'000'000);
  const uint64_t hit = read(64 * parameters.dram.channels, 2'000'000);
  EXPECT_EQ(empty - hit, parameters.dram.trcd_ps);
  EXPECT_EQ(read(row, 3'000'000) - hit, parameters.dram.trp_ps + parameters.dram.trcd_ps);
  // Three row activations that are requested at the same time are serialised. A read that is issued
  // afterwards with an earlier timestamp does not wait for them.
  const uint64_t first = read(2 * row, 5'000'000), second = read(3 * row, 5'000'000), third = read(4 * row, 5'000'000);
  EXPECT_GE(second - first, parameters.dram.trp_ps + parameters.dram.trcd_ps);
  EXPECT_EQ(third - second, second - first);
  EXPECT_EQ(read(row + 64 * parameters.dram.channels, 4'000'000), hit);
}

TEST(HostTime, DataOfAChannelComeInTheOrderOfTheAccesses) {
  TimeParameters parameters;
  parameters.dram.trefi_ps = 0;
  parameters.dram.channels = 1;
  HostTime time(parameters);
  const auto read = [&](uint64_t hpa, uint64_t at_ps) {
    time.Translated(1, hpa, hpa);
    return time.Serve(1, hpa, 64, false, at_ps);
  };
  static_cast<void>(read(0, 1'000'000));
  static_cast<void>(read(parameters.dram.row_bytes, 2'000'000));  // another bank, whose row is now open
  const uint64_t slow = read(parameters.dram.row_bytes * parameters.dram.banks, 5'000'000);  // a closed row of the bank
  EXPECT_GE(read(parameters.dram.row_bytes, 5'000'001), slow + parameters.dram.burst_ps - 1);
}

}  // namespace
}  // namespace gmmu::sim
