// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_sdram with a model of the chip at its pins and an array as the expected contents:
// random bursts, row conflicts, refresh under load, the ends of pages and of the chip, and resets.
// The chip model reports every violated rule.
#include <array>
#include <iomanip>

#include "sdram_machine.h"

namespace gmmu::bench {
namespace {

class SdramTest : public BlockTest<SdramMachine> {
 protected:
  void TearDown() override { ExpectNoFinding(); }

  void PowerUp() {
    Until([&] { return t.initialized_o[n] != 0; }, "the power-up", 40'000);
    Run(40);
  }
  /// Returns a random address and length inside 4 KiB. Only a few rows of a few banks are used, so
  /// that accesses conflict; some bursts are at the end of a page or of the chip, or beyond the
  /// chip.
  Burst Draw(bool write) {
    Burst burst;
    burst.id = static_cast<uint16_t>(rng());
    const unsigned beats = Chance(30) ? 32 : 1 + Random(32);
    uint64_t page = Random(4) * 0x400'000 + Random(3) * 0x1000;
    if (Chance(5)) page = kBytes - 0x1000;
    if (Chance(5)) page = Chance(50) ? kBytes + Random(2) * 0x1000 : (rng() & 0xffff'ffff'f000) | kBytes;
    const uint64_t offset = Chance(20) ? 0x1000 - 8 * beats : Random(512) * 8;
    burst.address = page + offset + (Chance(30) ? Random(8) : 0);
    burst.beats = static_cast<unsigned>(std::min<uint64_t>(beats, (0x1000 - (offset & ~7u)) / 8));
    if (write) Fill(burst, Random(3));
    return burst;
  }
  /// Fills the burst with random data and with strobes that are all set, random, or mostly clear.
  /// The strobes of lanes below the address are clear.
  void Fill(Burst& burst, unsigned how) {
    for (unsigned i = 0; i < burst.beats; ++i) {
      burst.data.push_back(rng());
      burst.strobes.push_back(how == 0 ? 0xff : how == 1 || Chance(20) ? static_cast<uint8_t>(rng()) : 0);
    }
    burst.strobes[0] &= static_cast<uint8_t>(0xff << (burst.address & 7));
  }
  void Traffic(unsigned bursts, unsigned at_once = 12) {
    for (unsigned i = 0; i < bursts; ++i) {
      const bool write = Chance(50);
      const Burst burst = Draw(write);
      Until([&] { return outstanding() < at_once && Free(burst, write); }, "room for a burst", 60'000);
      write ? Write(burst) : Read(burst);
    }
  }
  void ExpectTheChipHoldsTheArray() {
    for (const auto& [address, byte] : bytes) ASSERT_EQ(chip.Byte(address), byte) << "address " << std::hex << address;
  }
  Burst At(uint64_t address, unsigned beats, bool write = false) {
    Burst burst;
    burst.id = static_cast<uint16_t>(rng());
    burst.address = address;
    burst.beats = beats;
    if (write) Fill(burst, 0);
    return burst;
  }
};

TEST_P(SdramTest, PowersTheChipUpAfter200MicrosecondsAndDoesThenWhatWaits) {
  Write(At(0x1000, 4, true));
  Read(At(0x2000, 4));
  const uint64_t wait = 200'000'000 / kSdramSizes[n].clock_ps;
  Run(wait);
  EXPECT_FALSE(t.initialized_o[n]);
  EXPECT_EQ(outstanding(), 2u);
  Until([&] { return t.initialized_o[n] != 0; }, "the power-up", wait / 5);
  EXPECT_EQ(chip.counts().refreshes, 8u);
  Finish();
  EXPECT_EQ((closest[{0, 3}]), 3u);  // cycles from the mode register command to the activate
}

TEST_P(SdramTest, RandomBurstsDoWhatAnArrayDoes) {
  Traffic(1200);
  Finish();
  ExpectTheChipHoldsTheArray();
  EXPECT_GT(reads_done, 400u);
  EXPECT_GT(writes_done, 400u);
  // Refreshes continue under load: one every 7.8 us, and none is skipped.
  const uint64_t intervals = chip.edges() * kSdramSizes[n].clock_ps / 7'812'500;
  EXPECT_GE(chip.counts().refreshes + 27, intervals);
}

TEST_P(SdramTest, SingleBeatsOfManyRowsFollowEachOther) {
  PowerUp();
  for (unsigned i = 0; i < 300; ++i) {
    const Burst burst = At(uint64_t{Random(8192)} << 12 | Random(4) << 10 | Random(128) << 3, 1, i % 2);
    Until([&] { return outstanding() < 30 && Free(burst, i % 2); }, "room for a burst", 20'000);
    i % 2 ? Write(burst) : Read(burst);
  }
  Finish();
  ExpectTheChipHoldsTheArray();
}

TEST_P(SdramTest, CommandsComeAsEarlyAsTheChipAllows) {
  PowerUp();
  Traffic(1500, 30);
  Finish();
  constexpr unsigned kRefresh = 1, kPrecharge = 2, kActivate = 3, kWrite = 4, kRead = 5;
  const auto cycles = [&](uint64_t ns) { return (1000 * ns + kSdramSizes[n].clock_ps - 1) / kSdramSizes[n].clock_ps; };
  const uint64_t least = 3;  // after a precharge or activate, the controller compares the row again
  EXPECT_EQ((closest[{kRefresh, kRefresh}]), cycles(66));
  EXPECT_EQ((closest[{kPrecharge, kRefresh}]), cycles(21));
  EXPECT_EQ((closest[{kPrecharge, kActivate}]), std::max(cycles(21), least));
  EXPECT_EQ((closest[{kActivate, kRead}]), std::max(cycles(21), least));
  EXPECT_EQ((closest[{kActivate, kWrite}]), std::max(cycles(21), least));
  EXPECT_EQ((closest[{kRead, kRead}]), 4u);
  EXPECT_EQ((closest[{kWrite, kWrite}]), 4u);
  EXPECT_EQ((closest[{kWrite, kRead}]), 4u);
  EXPECT_EQ((closest[{kRead, kWrite}]), (n == 2 ? 8u : 7u));  // CAS latency, four words, one idle cycle
  // The gap is shortest if a refresh becomes due right after the activate.
  EXPECT_EQ((closest[{kActivate, kPrecharge}]), std::max(cycles(42), cycles(63) - cycles(21)));
  EXPECT_EQ((closest[{kRead, kPrecharge}]), 4u);
  EXPECT_EQ((closest[{kWrite, kPrecharge}]), 3 + std::max<uint64_t>(cycles(14), 2));
  EXPECT_EQ((closest[{kRefresh, kActivate}]), std::max(cycles(66), least));
}

TEST_P(SdramTest, AnswersSlverrPastTheEndAndTouchesNothing) {
  PowerUp();
  Write(At(kBytes - 256, 32, true));
  Finish();
  const auto counts = chip.counts();
  for (const uint64_t past : {kBytes, kBytes + 0xff8, kBytes * 2, uint64_t{0xffff'ffff'f000}}) {
    Write(At(past, 1, true));
    Read(At(past, 1));
  }
  Write(At(kBytes + 0x800, 32, true));
  Read(At(kBytes + 0x800, 32));
  Finish();  // SdramMachine expects SLVERR past the end of the chip.
  EXPECT_EQ(chip.counts().writes, counts.writes);
  EXPECT_EQ(chip.counts().reads, counts.reads);
  Read(At(kBytes - 256, 32));
  Read(At(0, 32));
  Finish();
}

TEST_P(SdramTest, AWriteThatWaitsForItsDataHoldsUpNoRead) {
  PowerUp();
  Write(At(0x2000, 8, true));  // a write with all its W beats
  Finish();
  const Burst late = At(0x3000, 8, true);
  Write(late, false);
  for (unsigned i = 0; i < 20; ++i) Read(At(0x4000 + 256 * i, 32));
  Until([&] { return reads_done == 20; }, "reads beside a write without data", 20'000);
  EXPECT_EQ(writes_done, 1u);
  WriteData(late);
  Finish();
  ExpectTheChipHoldsTheArray();
}

TEST_P(SdramTest, ReadsAndWritesTakeTurns) {
  PowerUp();
  for (unsigned i = 0; i < 100; ++i) Read(At(0x10'0000 + 64 * i, 8)), Write(At(0x20'0000 + 64 * i, 8, true));
  Until([&] { return reads_done + writes_done >= 100; }, "half of them", 60'000);
  EXPECT_GT(reads_done, 25u);
  EXPECT_GT(writes_done, 25u);
  Finish();
}

TEST_P(SdramTest, AnswersThatNobodyTakesStopNothingForGood) {
  PowerUp();
  manner = {0, 100};
  for (unsigned i = 0; i < 20; ++i) Read(At(0x1000 * i, 32)), Write(At(0x10'0000 + 0x1000 * i, 32, true));
  Run(8'000);
  EXPECT_EQ(outstanding(), 40u);
  manner = {0, 0};
  Finish();
  ExpectTheChipHoldsTheArray();
}

TEST_P(SdramTest, AResetKeepsWhatWasAnsweredAndWritesNothingElse) {
  PowerUp();
  for (unsigned round = 0; round < 12; ++round) {
    Traffic(10 + Random(20));
    Run(Random(300));
    const std::deque<Burst> lost = ResetNow(1 + Random(20));
    // After the reset, a byte of an unanswered write may have its old or its new value; the array
    // adopts the chip's value.
    std::map<uint64_t, std::vector<uint8_t>> maybe;
    for (const Burst& burst : lost) {
      for (unsigned i = 0; burst.Inside() && i < 8 * burst.beats; ++i)
        if (burst.strobes[i / 8] >> (i % 8) & 1)
          maybe[burst.First() + i].push_back(static_cast<uint8_t>(burst.data[i / 8] >> (i % 8 * 8)));
    }
    for (const auto& [address, news] : maybe) {
      const uint8_t is = chip.Byte(address);
      EXPECT_TRUE(is == Byte(address) || std::find(news.begin(), news.end(), is) != news.end());
      bytes[address] = is;
    }
    ExpectTheChipHoldsTheArray();
    EXPECT_TRUE(t.initialized_o[n]);
    // After a reset without a power-up pause, the controller must be ready again within 20 us.
    Read(At(0x1000, 1));
    manner = {0, 0};
    const uint64_t start = now;
    Finish();
    EXPECT_LT((now - start) * kSdramSizes[n].clock_ps, 20'000'000u);
    manner = kManners[(seed + round) % 4];
  }
}

TEST_P(SdramTest, AResetInThePowerUpBeginsItAnew) {
  const uint64_t wait = 200'000'000 / kSdramSizes[n].clock_ps;
  if (seed % 2) {
    Run(Random(static_cast<unsigned>(wait)));
  } else {
    const uint64_t refreshes = 1 + Random(7);
    Until([&] { return chip.counts().refreshes == refreshes; }, "refreshes of the power-up", 40'000);
  }
  ASSERT_FALSE(t.initialized_o[n]);
  ResetNow(2);
  Run(wait);
  EXPECT_FALSE(t.initialized_o[n]);
  Traffic(20);
  Finish();
}

TEST_P(SdramTest, ADamagedBitIsRead) {
  PowerUp();
  Write(At(0x5000, 1, true));
  Finish();
  chip.FlipBit(0x5003, 2);
  bytes[0x5003] ^= 4;
  Read(At(0x5000, 1));
  Finish();
}

/// Measures the cycles of a sequential stream of 256 KiB in bursts of 256 bytes.
///
/// Bound: a beat takes 4 cycles of dq, so a row of 1 KiB takes 512 cycles. Changing the row costs
/// one cycle of write recovery, a precharge and an activate. Precharge and activate take at least
/// three cycles each, because the controller compares the row again after each. A refresh, every
/// 7.8 us, costs a precharge, its own time, an activate and two cycles.
TEST_P(SdramTest, SequentialBurstsUseTheBus) {
  PowerUp();
  manner = {0, 0};
  const uint64_t ps = kSdramSizes[n].clock_ps;
  const auto cycles = [&](uint64_t time) { return (time + ps - 1) / ps; };
  const uint64_t again = std::max<uint64_t>(cycles(21'000), 3), row = 2 * again + 1;
  const uint64_t refresh = cycles(21'000) + cycles(66'000) + again + 2;
  const double bound = 512.0 / static_cast<double>(512 + row) *
                       (1 - static_cast<double>(refresh) / static_cast<double>(7'800'000 / ps));
  for (const bool write : {false, true}) {
    const uint64_t start = now, total = 1024;
    for (uint64_t i = 0; i < total; ++i) {
      Until([&] { return outstanding() < 4; }, "room for a burst", 5'000);
      const Burst burst = At(256 * i, 32, write);
      write ? Write(burst) : Read(burst);
    }
    Finish();
    const double used = static_cast<double>(total * 32 * 4) / static_cast<double>(now - start);
    std::cout << "sequential " << (write ? "writes" : "reads") << " at " << std::setprecision(4)
              << 1e6 / static_cast<double>(ps) << " MHz: " << 100 * used << " % of dq, "
              << used * 2e6 / static_cast<double>(ps) << " MB/s (bound " << 100 * bound << " %)\n";
    EXPECT_GT(used, bound);
  }
  const uint64_t start = now;
  Read(At(0x40'0000, 1));
  Finish();
  std::cout << "read of a beat, row of another open: " << now - start << " cycles\n";
}

TEST_P(SdramTest, BeatsOfAnOpenRowFollowEveryFourCycles) {
  PowerUp();
  manner = {0, 0};
  // Start right after a refresh: the next one is due 7.8 us later.
  const uint64_t refreshes = chip.counts().refreshes;
  Until([&] { return chip.counts().refreshes != refreshes; }, "a refresh", 2'000);
  for (unsigned i = 0; i < 4; ++i) Read(At(0x8000 + 32 * i, 4));
  Finish();
  EXPECT_EQ(last_beat - first_beat, 15 * 4u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, SdramTest, SizesAndSeeds(3, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::bench
