// SPDX-License-Identifier: Apache-2.0
#include "memory/vram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <stdexcept>
#include <vector>

namespace gmmu::sim {
namespace {

using Write = std::pair<uint64_t, size_t>;

TEST(VramCore, IsZeroAtPowerOnAndKeepsWhatIsWritten) {
  VramCore vram(1 << 20);
  uint64_t word = 1;
  ASSERT_TRUE(vram.Read(0xFFFF8, &word, 8));
  EXPECT_EQ(word, 0u);
  word = 0x1122334455667788;
  ASSERT_TRUE(vram.Write(0x123, &word, 8));
  uint64_t back = 0;
  ASSERT_TRUE(vram.Read(0x123, &back, 8));
  EXPECT_EQ(back, word);
}

TEST(VramCore, ReadsAndWritesMayCrossPagesThatWereNotWritten) {
  VramCore vram(1 << 20);
  const std::vector<uint8_t> ones(8, 1);
  ASSERT_TRUE(vram.Write(0x2FFC, ones.data(), ones.size()));
  std::vector<uint8_t> back(0x4000, 7);
  ASSERT_TRUE(vram.Read(0x1000, back.data(), back.size()));
  for (size_t i = 0; i < back.size(); ++i) ASSERT_EQ(back[i], i >= 0x1FFC && i < 0x2004 ? 1 : 0) << i;
}

TEST(VramCore, WhatWasWrittenByItsPointerIsReadAndKept) {
  VramCore vram(1 << 20);
  uint8_t* const bytes = vram.Open();
  bytes[0x5000] = 0x2A;
  uint8_t byte = 0;
  ASSERT_TRUE(vram.Read(0x5000, &byte, 1));
  EXPECT_EQ(byte, 0x2A);
  ASSERT_TRUE(vram.Write(0x5001, &byte, 1));
  ASSERT_TRUE(vram.Read(0x5000, &byte, 1));
  EXPECT_EQ(byte, 0x2A);
}

TEST(VramCore, LosesEveryByteWithItsPowerAndTellsItsHooks) {
  VramCore vram(10000);
  const uint8_t was[3] = {1, 2, 3};
  ASSERT_TRUE(vram.Write(9997, was, sizeof was));
  uint64_t written = 0;
  vram.AddWriteHook([&](uint64_t, const uint8_t*, size_t size) { written += size; });
  vram.LosePower();
  EXPECT_EQ(written, 10000u - 8192);  // the last page: no other page has been written
  for (int i = 0; i < 2; ++i) {
    uint8_t now[10000];
    ASSERT_TRUE(vram.Read(0, now, sizeof now));
    for (size_t at = 0; at < sizeof now; ++at) ASSERT_NE(now[at], at < 9997 ? 0 : was[at - 9997]) << at;
    vram.LosePower();  // a second power loss changes the contents again
  }
}

TEST(VramCore, RefusesAccessesPastTheEndAndChangesNothing) {
  VramCore vram(4096);
  int hooks = 0;
  vram.AddWriteHook([&](uint64_t, const uint8_t*, size_t) { ++hooks; });
  const uint64_t word = ~uint64_t{0};
  uint64_t kept = 5;
  EXPECT_FALSE(vram.Write(4092, &word, 8));
  EXPECT_FALSE(vram.Write(~uint64_t{0}, &word, 8));
  EXPECT_FALSE(vram.Read(4090, &kept, 8));
  EXPECT_FALSE(vram.WriteStrobed(4096, &word, 8, 1));
  EXPECT_EQ(kept, 5u);
  EXPECT_EQ(hooks, 0);
  ASSERT_TRUE(vram.Read(4088, &kept, 8));
  EXPECT_EQ(kept, 0u);
}

TEST(VramCore, CallsHooksBeforeTheBytesChange) {
  VramCore vram(4096);
  uint8_t old = 0xFF, next = 0;
  vram.AddWriteHook([&](uint64_t address, const uint8_t* from, size_t) {
    ASSERT_TRUE(vram.Read(address, &old, 1));
    next = *from;
  });
  const uint8_t byte = 7;
  ASSERT_TRUE(vram.Write(16, &byte, 1));
  EXPECT_EQ(old, 0);
  EXPECT_EQ(next, 7);
  EXPECT_EQ(vram.data()[16], 7);
}

TEST(VramCore, WritesOnlyStrobedBytesOneHookCallARun) {
  VramCore vram(4096);
  std::vector<Write> writes;
  vram.AddWriteHook([&](uint64_t address, const uint8_t*, size_t size) { writes.emplace_back(address, size); });
  const uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  ASSERT_TRUE(vram.WriteStrobed(0x100, bytes, 8, 0b10110110));
  EXPECT_THAT(writes, testing::ElementsAre(Write{0x101, 2}, Write{0x104, 2}, Write{0x107, 1}));
  EXPECT_THAT(std::vector<uint8_t>(vram.data() + 0x100, vram.data() + 0x108),
              testing::ElementsAre(0, 2, 3, 0, 5, 6, 0, 8));
  writes.clear();
  ASSERT_TRUE(vram.WriteStrobed(0x100, bytes, 8, 0));
  EXPECT_TRUE(writes.empty());
}

TEST(VramCore, ALossOfPowerChangesEveryByteAndTouchesNoPage) {
  constexpr uint64_t kBytes = uint64_t{1} << 36;  // 64 GiB, more memory than test machines have
  VramCore vram(kBytes);
  std::vector<Write> writes;
  vram.AddWriteHook([&](uint64_t address, const uint8_t*, size_t size) { writes.emplace_back(address, size); });
  const uint8_t byte = 7;
  ASSERT_TRUE(vram.Write(3, &byte, 1));
  writes.clear();
  std::set<uint8_t> written, untouched, late;
  for (int i = 0; i < 3; ++i) {
    uint8_t at[2], far, first = static_cast<uint8_t>(i + 1);
    ASSERT_TRUE(vram.Read(3, at, 2) && vram.Read(kBytes - 1, &far, 1));
    written.insert(at[0]), untouched.insert(far);
    EXPECT_EQ(at[1], far);  // the written page has lost its contents like all others
    ASSERT_TRUE(vram.Write(uint64_t{4096} * (i + 9), &first, 1) && vram.Read(uint64_t{4096} * (i + 9) + 1, &first, 1));
    late.insert(first);
    vram.LosePower();
  }
  EXPECT_EQ(written.size(), 3u);
  EXPECT_EQ(untouched.size(), 3u);
  EXPECT_EQ(late, untouched);  // bytes next to `first` have an untouched page's value
  EXPECT_EQ(std::count(writes.begin(), writes.end(), Write{0, 4096}), 3);
  EXPECT_EQ(writes.size(), 3u + 2 + 3 + 4) << "three writes, and each touched page at each loss";
  std::ifstream status("/proc/self/statm");
  uint64_t pages = 0, resident = 0;
  status >> pages >> resident;
  EXPECT_LT(resident, 1u << 20) << "pages of 4 KiB";
}

// The OS model fills all new memory with zeros. On many computers, 4 GiB of stored zeros would not
// fit into memory.
TEST(VramCore, ZerosInUntouchedPagesTakeNoMemory) {
  constexpr uint64_t kBytes = uint64_t{4} << 30, kBlock = 1 << 20;
  VramCore vram(kBytes);
  uint64_t told = 0;
  vram.AddWriteHook([&](uint64_t, const uint8_t*, size_t size) { told += size; });
  const std::vector<uint8_t> zeros(kBlock);
  for (uint64_t at = 0; at < kBytes; at += kBlock) ASSERT_TRUE(vram.Write(at, zeros.data(), kBlock));
  EXPECT_EQ(told, kBytes);
  std::ifstream status("/proc/self/statm");
  uint64_t pages = 0, resident = 0;
  status >> pages >> resident;
  EXPECT_LT(resident, 1u << 18) << "pages of 4 KiB";
  uint8_t byte = 7;
  ASSERT_TRUE(vram.Write(5, &byte, 1) && vram.Write(4, zeros.data(), 4));
  ASSERT_TRUE(vram.Read(5, &byte, 1));
  EXPECT_EQ(byte, 0) << "a page that was touched";
}

TEST(VramCore, FlipsABitBehindTheHooks) {
  VramCore vram(4096);
  int hooks = 0;
  vram.AddWriteHook([&](uint64_t, const uint8_t*, size_t) { ++hooks; });
  EXPECT_TRUE(vram.FlipBit(9, 3));
  EXPECT_EQ(vram.data()[9], 8);
  EXPECT_FALSE(vram.FlipBit(4096, 0));
  EXPECT_FALSE(vram.FlipBit(0, 8));
  EXPECT_EQ(hooks, 0);
}

TEST(VramTiming, GivesABurstItsLatencyAndOneBeatACycle) {
  VramParameters p;
  p.latency_cycles = 40;
  VramTiming vram(p);
  const auto first = vram.Read(100, 8);
  EXPECT_EQ(first.first, 140u);
  EXPECT_EQ(first.last, 147u);
  EXPECT_EQ(vram.Read(101, 8).first, 148u);   // the bus is busy until cycle 148
  EXPECT_EQ(vram.Write(101, 4).first, 101u);  // the write direction is idle
  EXPECT_EQ(vram.Read(500, 1).first, 540u);
}

TEST(VramTiming, KeepsItsBandwidthExactlyOverManyBursts) {
  VramParameters p;
  p.latency_cycles = 0;
  p.beats_per_cycle_num = 2;
  p.beats_per_cycle_den = 3;
  VramTiming vram(p);
  VramTiming::Beats beats;
  for (int i = 0; i < 100; ++i) beats = vram.Read(0, 4);
  EXPECT_EQ(beats.last, (400u - 1) * 3 / 2);
}

TEST(VramTiming, RefusesParametersThatMakeNoMemory) {
  VramParameters p;
  p.beats_per_cycle_num = 2;
  EXPECT_THROW(VramTiming{p}, std::invalid_argument);
  p = {};
  p.beats_per_cycle_num = 0;
  EXPECT_THROW(VramTiming{p}, std::invalid_argument);
  p = {};
  p.outstanding = 0;
  EXPECT_THROW(VramTiming{p}, std::invalid_argument);
}

}  // namespace
}  // namespace gmmu::sim
