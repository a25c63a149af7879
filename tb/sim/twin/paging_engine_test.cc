// SPDX-License-Identifier: Apache-2.0
// Tests ring entries, and their preemption at command boundaries.

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tb/sim/twin/work.h"

namespace gmmu::sim::twin {
namespace {

using regs::Opcode;
using regs::Target;

constexpr uint64_t kPreempted = regs::IntStatus().set_preempted(1).raw;

struct Preempt : ::testing::Test {
  explicit Preempt(unsigned rings = 3) : b(Config(rings)) {
    for (unsigned ring = 0; ring < rings; ++ring) b.StartRing(ring);
    b.bare.Write(regs::IntEnable::kOffset, kPreempted);
  }
  static regs::RingCtrl Ctrl() { return regs::RingCtrl().set_size_lg2(4).set_privileged(1).set_enable(1); }
  void Write(unsigned ring, regs::RingCtrl ctrl) {
    b.bare.Write(Bench::Block(ring) + regs::RingCtrl::kOffset, ctrl.raw);
  }
  void Ask(unsigned ring) { Write(ring, Ctrl().set_preempt(1)); }
  /// Restarts the ring. Its entry 0 is the rest of the previous entry `index`, beginning at byte
  /// `offset` of that entry's buffer.
  void Resume(unsigned ring, unsigned index, uint64_t offset, uint64_t words, uint32_t fence) {
    Write(ring, regs::RingCtrl());
    b.Ring(ring, 0);
    const uint64_t entry[4] = {Bench::RingAt(ring) + 0x4000 + 0x200 * index + offset,
                               regs::RingEntryShape().set_bytes(8 * words - offset).set_physical(1).set_irq(1).raw,
                               fence, 0};
    EXPECT_TRUE(b.machine.ram().Write(Bench::RingAt(ring), entry, sizeof entry));
    Write(ring, Ctrl());
    b.Ring(ring, 1);
  }
  regs::RingStatus Status(unsigned ring) { return {b.bare.Read(Bench::Block(ring) + regs::RingStatus::kOffset)}; }
  uint64_t Register(unsigned ring, uint32_t offset) { return b.bare.Read(Bench::Block(ring) + offset); }
  void Let(uint64_t ns) {
    const uint64_t end = b.machine.NowNs() + ns;
    while (b.machine.NowNs() < end && b.machine.WaitForMessage(end - b.machine.NowNs())) b.machine.TakeMessage();
  }
  uint64_t Vram(uint64_t offset) { return b.machine.MmioRead(BareMachine::kWindow + offset, 8); }
  static std::vector<uint64_t> Fill(uint64_t to, uint64_t bytes, uint32_t pattern) {
    return {regs::CommandHeaderWord()
                .set_opcode(Opcode::kFill)
                .set_words(4)
                .set_dst_physical(1)
                .set_dst_target(Target::kVram)
                .raw,
            to, bytes, pattern};
  }
  static std::vector<uint64_t> Fills(unsigned count, uint64_t bytes) {
    std::vector<uint64_t> words;
    for (unsigned i = 0; i < count; ++i)
      for (const uint64_t word : Fill(0x100000 * i, bytes, i + 1)) words.push_back(word);
    return words;
  }

  Bench b;
};

TEST_F(Preempt, AnIdleRingAnswersAtOnceWithFence0) {
  Ask(1);
  EXPECT_TRUE(b.machine.WaitForMessage(10'000));
  EXPECT_EQ(Status(1).raw, regs::RingStatus().set_preempted(1).raw);
  EXPECT_EQ(Status(0).raw, 0u);
  EXPECT_EQ(b.bare.Read(regs::IntStatus::kOffset), kPreempted);
  b.Put(1, 0, Fill(0, 8, 1), 5);
  b.Ring(1, 1);
  Let(100'000);
  EXPECT_EQ(b.Fence(1), 0u);
  EXPECT_EQ(b.bare.Read(regs::Status::kOffset) & 1, 1u);  // a preempted ring counts as idle
}

TEST_F(Preempt, TheEntryAtWorkStopsInFrontOfItsNextCommand) {
  b.Put(0, 0, Fills(3, 1 << 20), 7);
  b.Ring(0, 1);
  Let(5'000);
  Ask(0);
  Let(10'000);
  EXPECT_EQ(Status(0).preempted(), 0u);  // the first fill is resumed
  EXPECT_TRUE(b.machine.WaitForMessage(1'000'000));
  EXPECT_EQ(Status(0).raw, regs::RingStatus().set_preempted(1).set_fence(7).raw);
  EXPECT_EQ(Register(0, regs::RingErrorCommand::kOffset), 32u);
  EXPECT_EQ(Register(0, regs::RingHead::kOffset), 0u);
  EXPECT_EQ(Vram((1 << 20) - 8), 0x1'0000'0001u);
  Let(1'000'000);
  EXPECT_EQ(Vram(0x100000), 0u);
  EXPECT_EQ(b.Fence(0), 0u);
  Resume(0, 0, 32, 12, 8);
  Let(1'000'000);
  EXPECT_EQ(b.Fence(0), 8u);
  EXPECT_EQ(Status(0).raw, 0u);
  EXPECT_EQ(Vram(0x100000), 0x2'0000'0002u);
  EXPECT_EQ(Vram(0x2FFFF8), 0x3'0000'0003u);
}

TEST_F(Preempt, AnEntryPastItsLastCommandCompletes) {
  b.bare.Write(regs::IntEnable::kOffset, 0x3F);
  b.Put(0, 0, Fills(1, 1 << 20), 7);
  b.Put(0, 1, Fills(1, 8), 8);
  b.Ring(0, 2);
  Let(5'000);
  Ask(0);
  Let(1'000'000);
  EXPECT_EQ(Status(0).raw, regs::RingStatus().set_preempted(1).raw);
  EXPECT_EQ(Register(0, regs::RingHead::kOffset), 1u);
  EXPECT_EQ(Register(0, regs::RingLastFence::kOffset), 7u);
  EXPECT_EQ(b.Fence(0), 7u);
  EXPECT_EQ(b.bare.Read(regs::IntStatus::kOffset), kPreempted | 1);
}

TEST_F(Preempt, AnErrorThatComesFirstWins) {
  auto words = Fills(1, 1 << 20);
  words[1] = (64 << 20) - (1 << 19);  // exceeds the end of VRAM
  b.Put(0, 0, words, 7);
  b.Ring(0, 1);
  Let(5'000);
  Ask(0);
  Let(1'000'000);
  EXPECT_EQ(Status(0).error(), 1u);
  EXPECT_EQ(Status(0).preempted(), 0u);
  EXPECT_EQ(b.bare.Read(regs::IntStatus::kOffset) & kPreempted, 0u);
}

TEST_F(Preempt, OtherRingsGoOn) {
  b.Put(0, 0, Fills(3, 1 << 20), 7);
  b.Put(2, 0, Fills(1, 8), 9);
  b.Ring(0, 1);
  Let(5'000);
  b.Ring(2, 1);
  Ask(0);
  Let(1'000'000);
  EXPECT_EQ(Status(0).fence(), 7u);
  EXPECT_EQ(b.Fence(2), 9u);
  EXPECT_EQ(b.Fence(0), 0u);
}

TEST_F(Preempt, ARequestThatStandsIsAnsweredAgainInTheNextLife) {
  Ask(0);
  Let(10'000);
  b.bare.Write(regs::IntStatus::kOffset, kPreempted);
  Write(0, regs::RingCtrl());
  EXPECT_EQ(Status(0).preempted(), 1u);  // stays set until the ring is enabled again
  Ask(0);
  Let(10'000);
  EXPECT_EQ(Status(0).preempted(), 1u);
  EXPECT_EQ(b.bare.Read(regs::IntStatus::kOffset), kPreempted);
  Write(0, regs::RingCtrl());
  Write(0, Ctrl());
  EXPECT_EQ(Status(0).raw, 0u);
}

/// A buffer that is preempted at any time and then resumed writes the same bytes as one that is not preempted.
TEST_F(Preempt, InterruptedBuffersDoEveryCommandOnce) {
  std::mt19937 random(1);
  unsigned interrupted = 0;
  for (unsigned round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    constexpr unsigned kCommands = 12;
    std::vector<uint64_t> words;
    std::vector<uint64_t> expected(kCommands);
    for (unsigned i = 0; i < kCommands; ++i) {
      const uint64_t bytes = 8 * (1 + random() % 2000);
      for (const uint64_t word : Fill(0x10000 * i, bytes, round * 100 + i + 1)) words.push_back(word);
      expected[i] = 0x1'0000'0001u * (round * 100 + i + 1);
    }
    b.Put(0, 0, words, 1000 + round);
    Resume(0, 0, 0, words.size(), 1000 + round);
    uint64_t offset = 0;
    for (unsigned i = 0; i < 100 && b.Fence(0) != 1000 + round; ++i) {
      Let(random() % 8000);
      Ask(0);
      Let(50'000);
      ASSERT_EQ(Status(0).preempted(), 1u);
      if (Status(0).fence() == 0) {
        EXPECT_EQ(Register(0, regs::RingHead::kOffset), 1u);
        EXPECT_EQ(b.Fence(0), 1000 + round);
        break;
      }
      ++interrupted;
      EXPECT_EQ(Status(0).fence(), 1000 + round);
      offset += Register(0, regs::RingErrorCommand::kOffset);
      EXPECT_EQ(offset % 32, 0u);
      for (unsigned n = 0; n < kCommands; ++n) {
        const bool done = Vram(0x10000 * n) == expected[n];
        ASSERT_EQ(done, n < offset / 32) << n;
      }
      Resume(0, 0, offset, words.size(), 1000 + round);
    }
    for (unsigned n = 0; n < kCommands; ++n) ASSERT_EQ(Vram(0x10000 * n), expected[n]);
  }
  EXPECT_GT(interrupted, 60u);
}

TEST_F(Work, TheRingGoesRound) {
  for (unsigned i = 0; i < 20; ++i) EXPECT_EQ(Execute({Head(Opcode::kNop, 1)}), regs::Fault::kNone);
  EXPECT_EQ(b.bare.Read(Bench::Block(0) + regs::RingHead::kOffset), 4u);
  EXPECT_EQ(b.bare.Read(regs::kCountersBase + regs::CountersRingEntries::kOffset), 20u);
}

}  // namespace
}  // namespace gmmu::sim::twin
