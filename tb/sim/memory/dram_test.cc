// SPDX-License-Identifier: Apache-2.0
#include "memory/dram.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace gmmu::sim {
namespace {

DramParameters Plain() {
  DramParameters p;
  p.channels = 1;
  p.banks = 4;
  p.row_bytes = 1024;
  p.burst_bytes = 64;
  p.burst_ps = 4'000;
  p.trcd_ps = 10'000;
  p.trp_ps = 12'000;
  p.tcas_ps = 14'000;
  p.controller_ps = 1'000;
  p.trefi_ps = 0;
  return p;
}

uint64_t CounterOf(const DramTiming& dram, const std::string& name) {
  for (const hw::Counter& counter : dram.Counters())
    if (counter.name == name) return counter.value;
  ADD_FAILURE() << "no counter " << name;
  return 0;
}

TEST(DramTiming, ActivatesReadsAndMovesTheFirstBurst) {
  DramTiming dram(Plain());
  EXPECT_EQ(dram.Access(100'000, 0, 64, false), 100'000u + 10'000 + 14'000 + 4'000 + 1'000);
}

TEST(DramTiming, FindsAnOpenRowFasterAndAConflictSlower) {
  DramTiming dram(Plain());
  dram.Access(0, 0, 64, false);
  EXPECT_EQ(dram.Access(1'000'000, 64, 64, false) - 1'000'000, 14'000u + 4'000 + 1'000);
  // Row 1 of bank 0 begins 4 banks x 1024 bytes after row 0.
  EXPECT_EQ(dram.Access(2'000'000, 4096, 64, false) - 2'000'000, 12'000u + 10'000 + 14'000 + 4'000 + 1'000);
  EXPECT_EQ(CounterOf(dram, "row_hits"), 1u);
  EXPECT_EQ(CounterOf(dram, "row_conflicts"), 1u);
  EXPECT_EQ(CounterOf(dram, "row_empty"), 1u);
}

TEST(DramTiming, StreamsAnOpenRowAtTheBusRate) {
  DramTiming dram(Plain());
  const uint64_t first = dram.Access(0, 0, 64, false);
  EXPECT_EQ(dram.Access(0, 64, 512, false) - first, 8 * 4'000u);
}

TEST(DramTiming, OverlapsBanksButNotTheBus) {
  DramTiming dram(Plain());
  const uint64_t first = dram.Access(0, 0, 64, false);
  EXPECT_EQ(dram.Access(0, 1024, 64, false), first + 4'000);  // both banks are activated at once
}

TEST(DramTiming, ClosesARowOnlyAfterItsLastColumnCommand) {
  DramTiming dram(Plain());
  dram.Access(0, 0, 64, false);  // the column command of this access ends at 14,000 ps
  EXPECT_EQ(dram.Access(0, 4096, 64, false), 14'000u + 12'000 + 10'000 + 14'000 + 4'000 + 1'000);
}

TEST(DramTiming, SpreadsBurstsOverChannels) {
  DramParameters p = Plain();
  p.channels = 2;
  DramTiming dram(p);
  const uint64_t first = dram.Access(0, 0, 64, false);
  EXPECT_EQ(dram.Access(0, 64, 64, false), first);
  EXPECT_DOUBLE_EQ(dram.PeakBytesPerSecond(), 2 * 64 / 4e-9);
}

TEST(DramTiming, CountsAnUnalignedAccessAsTheBurstsItTouches) {
  DramTiming dram(Plain());
  dram.Access(0, 60, 8, true);
  EXPECT_EQ(CounterOf(dram, "row_empty") + CounterOf(dram, "row_hits"), 2u);
  EXPECT_EQ(CounterOf(dram, "bytes_written"), 8u);
  EXPECT_EQ(CounterOf(dram, "writes"), 1u);
}

TEST(DramTiming, WaitsForARefreshAndFindsTheRowClosedAfterIt) {
  DramParameters p = Plain();
  p.trefi_ps = 1'000'000;
  p.trfc_ps = 200'000;
  DramTiming dram(p);
  dram.Access(500'000, 0, 64, false);
  EXPECT_EQ(dram.Access(1'000'000, 64, 64, false), 1'200'000u + 10'000 + 14'000 + 4'000 + 1'000);
  EXPECT_EQ(dram.Access(1'500'000, 128, 64, false), 1'500'000u + 14'000 + 4'000 + 1'000);
}

TEST(DramTiming, ReachesNearlyItsPeakOnALongStreamWithTheDefaults) {
  DramTiming dram{DramParameters()};
  constexpr unsigned kBytes = 1u << 20;
  const uint64_t time = dram.Access(0, 0, kBytes, false);
  const double rate = kBytes / (static_cast<double>(time) * 1e-12);
  EXPECT_GT(rate, 0.85 * dram.PeakBytesPerSecond());
  EXPECT_LE(rate, dram.PeakBytesPerSecond());
}

TEST(DramTiming, GivesTheSameTimesToTheSameAccesses) {
  DramTiming a{DramParameters()}, b{DramParameters()};
  uint64_t x = 1;
  for (int i = 0; i < 1000; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    const uint64_t address = x >> 20 & 0xFFFFFFFFC0, time = static_cast<uint64_t>(i) * 5'000;
    ASSERT_EQ(a.Access(time, address, 64, i % 3 == 0), b.Access(time, address, 64, i % 3 == 0));
  }
}

TEST(DramTiming, GivesTheTimesOfTheWorkedExampleInItsPage) {
  DramTiming dram{DramParameters()};
  EXPECT_EQ(dram.Access(100'000, 0x1000, 64, false), 150'833u);
  EXPECT_EQ(dram.Access(200'000, 0x1080, 64, false), 237'083u);
}

TEST(DramTiming, RefusesParametersThatMakeNoMemory) {
  DramParameters p;
  p.channels = 0;
  EXPECT_THROW(DramTiming{p}, std::invalid_argument);
  p = {};
  p.burst_bytes = 48;
  EXPECT_THROW(DramTiming{p}, std::invalid_argument);
  p = {};
  p.row_bytes = 100;
  EXPECT_THROW(DramTiming{p}, std::invalid_argument);
  p = {};
  p.trefi_ps = p.trfc_ps;
  EXPECT_THROW(DramTiming{p}, std::invalid_argument);
}

}  // namespace
}  // namespace gmmu::sim
