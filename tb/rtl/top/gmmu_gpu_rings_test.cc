// SPDX-License-Identifier: Apache-2.0
// Tests all rings at once: each ring keeps its own order and has its own fences, and an error stops
// only the ring in which it occurs.
#include <gtest/gtest.h>

#include "tb/rtl/top/top_machine.h"

namespace gmmu::top {
namespace {

using regs::Opcode;
using regs::Target;

constexpr uint64_t kRings = 0x10000, kBuffers = 0x40000, kFences = 0x30000, kSource = 0x1'0000'0000;
constexpr uint64_t kBufferBytes = 0x1000, kPiece = 0x1000;

class GpuRings : public ::testing::Test {
 protected:
  GpuRings() {
    gpu.host.memory.Make(kRings, 0x1000 * sizes::kNumRings);
    gpu.host.memory.Make(kBuffers, 16 * kBufferBytes * sizes::kNumRings);
    gpu.host.memory.Make(kFences, 0x1000);
    gpu.host.memory.Make(kSource, 0x10000);
    for (uint64_t i = 0; i < 0x10000; i += 8) gpu.host.memory.Write64(kSource + i, gpu.rng());
    gpu.MakeSpace(1, 0x800000);
    gpu.MapPages(1, 0x400000, Target::kVram, 0x100000, 64);
    gpu.MapPages(1, 0x500000, Target::kSystem, kSource, 16);
    for (unsigned r = 0; r < sizes::kNumRings; ++r) {
      const uint32_t ring = TopMachine::RingAt(r);
      gpu.Set(regs::RingBase{}.set_address(kRings + 0x1000 * r).set_target(Target::kSystem), ring);
      gpu.Set(regs::RingFenceAddress{kFences + 64 * r}, ring);
      gpu.Set(regs::RingCtrl{}.set_size_lg2(4).set_enable(1).set_privileged(1), ring);
    }
    gpu.Set(regs::Ctrl{1});
  }
  ~GpuRings() override {
    for (const auto& error : gpu.vram.errors) ADD_FAILURE() << error;
    for (const auto& error : gpu.host.errors) ADD_FAILURE() << error;
  }

  /// Writes entry `fence` - 1 of the ring. It copies kPiece bytes to page `fence` - 1 of the ring's
  /// destination, from kSource + `from` or from an unmapped address.
  void Queue(unsigned ring, uint32_t fence, uint64_t from) {
    const uint64_t at = kBuffers + kBufferBytes * (16 * ring + fence - 1);
    const uint64_t words[] = {
        regs::CommandHeaderWord{}.set_opcode(Opcode::kCopy).set_src_space(1).set_dst_space(1).set_words(4).raw,
        0x500000 + from, To(ring, fence) - 0x100000 + 0x400000, kPiece};
    for (unsigned i = 0; i < 4; ++i) gpu.host.memory.Write64(at + 8 * i, words[i]);
    const uint64_t entry = kRings + 0x1000 * ring + 32 * (fence - 1);
    gpu.host.memory.Write64(entry, at);
    gpu.host.memory.Write64(
        entry + 8, regs::RingEntryShape{}.set_bytes(sizeof words).set_physical(1).set_target(Target::kSystem).raw);
    gpu.host.memory.Write64(entry + 16, fence);
  }
  static uint64_t To(unsigned ring, uint32_t fence) { return 0x100000 + kPiece * (16 * ring + fence - 1); }
  void Kick(unsigned ring, uint32_t tail) { gpu.Set(regs::RingTail{tail}, TopMachine::RingAt(ring)); }
  uint32_t Fence(unsigned ring) { return static_cast<uint32_t>(gpu.host.memory.Read64(kFences + 64 * ring)); }
  void ExpectCopied(unsigned ring, uint32_t fence, uint64_t from) {
    EXPECT_TRUE(gpu.vram.memory.Bytes(To(ring, fence), kPiece) == gpu.host.memory.Bytes(kSource + from, kPiece))
        << "ring " << ring << ", fence " << fence;
  }

  TopMachine gpu;
};

TEST_F(GpuRings, TheCapabilitiesSayHowMany) {
  EXPECT_EQ(gpu.Get<regs::Cap0>().rings(), sizes::kNumRings);
  for (unsigned r = sizes::kNumRings; r < 4; ++r) {
    gpu.Set(regs::RingBase{}.set_address(0x5000), TopMachine::RingAt(r));
    EXPECT_EQ(gpu.Read(TopMachine::RingAt(r) + regs::RingBase::kOffset), 0u) << "ring " << r;
  }
}

TEST_F(GpuRings, AllAtOnceEachInItsOrderWithItsFences) {
  gpu.vram.shuffle = gpu.host.shuffle = true;
  gpu.vram.stall_percent = gpu.host.stall_percent = 20;
  std::vector<std::vector<uint64_t>> from(sizes::kNumRings);
  for (unsigned r = 0; r < sizes::kNumRings; ++r) {
    for (uint32_t fence = 1; fence <= 12; ++fence) {
      from[r].push_back(gpu.rng() % 0xF000);
      Queue(r, fence, from[r].back());
    }
  }
  for (unsigned r = 0; r < sizes::kNumRings; ++r) Kick(r, 12);
  std::vector<uint32_t> last(sizes::kNumRings);
  gpu.Until(
      [&] {
        bool done = true;
        for (unsigned r = 0; r < sizes::kNumRings; ++r) {
          const uint32_t now = Fence(r);
          EXPECT_TRUE(now == last[r] || now == last[r] + 1) << "ring " << r << ": " << last[r] << ", then " << now;
          if (now != last[r]) ExpectCopied(r, now, from[r][now - 1]);
          last[r] = now;
          done &= now == 12;
        }
        return done;
      },
      "the last fences");
  for (unsigned r = 0; r < sizes::kNumRings; ++r) {
    gpu.Until([&] { return gpu.Get<regs::RingHead>(TopMachine::RingAt(r)).index() == 12; }, "the head");
    EXPECT_EQ(gpu.Get<regs::RingLastFence>(TopMachine::RingAt(r)).fence(), 12u);
  }
  EXPECT_EQ(gpu.Get<regs::CountersRingEntries>(regs::kCountersBase).n(), 12u * sizes::kNumRings);
}

TEST_F(GpuRings, OneThatStopsAtAnErrorStopsAlone) {
  constexpr unsigned kBad = sizes::kNumRings - 1;
  for (unsigned r = 0; r < sizes::kNumRings; ++r) {
    for (uint32_t fence = 1; fence <= 6; ++fence) Queue(r, fence, r == kBad && fence == 3 ? 0x80000 : 0x800 * fence);
  }
  for (unsigned r = 0; r < sizes::kNumRings; ++r) Kick(r, 6);
  gpu.Until([&] { return gpu.Get<regs::RingStatus>(TopMachine::RingAt(kBad)).error() == 1; }, "the error");
  for (unsigned r = 0; r < kBad; ++r) {
    gpu.Until([&] { return Fence(r) == 6; }, "the other rings");
    for (uint32_t fence = 1; fence <= 6; ++fence) ExpectCopied(r, fence, 0x800 * fence);
    EXPECT_EQ(gpu.Get<regs::RingStatus>(TopMachine::RingAt(r)).error(), 0u);
  }
  gpu.Run(2000);
  EXPECT_EQ(Fence(kBad), 2u);
  const auto status = gpu.Get<regs::RingStatus>(TopMachine::RingAt(kBad));
  EXPECT_EQ(status.reason(), regs::Fault::kEntryInvalid);
  EXPECT_EQ(status.fence(), 3u);
  EXPECT_EQ(gpu.Get<regs::RingHead>(TopMachine::RingAt(kBad)).index(), 2u);
}

}  // namespace
}  // namespace gmmu::top
