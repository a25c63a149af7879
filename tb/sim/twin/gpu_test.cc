// SPDX-License-Identifier: Apache-2.0
// Tests silencing a GPU through ctrl.silence and status.silent.
#include "twin/gpu.h"

#include <gtest/gtest.h>

#include <vector>

#include "tb/sim/twin/bench.h"

namespace gmmu::sim::twin {
namespace {

using regs::Target;

struct Silence : ::testing::Test {
  Silence() {
    b.bare.MapSpace({0x10000, 0x11000, 0x12000, 0x13000});
    b.StartRing(0);
    b.bare.Fill(0x400000, 1 << 20, 3);
  }
  void Ask(bool on) { b.bare.Write(regs::Ctrl::kOffset, regs::Ctrl().set_enable(1).set_silence(on ? 1 : 0).raw); }
  bool Silent() { return regs::Status{b.bare.Read(regs::Status::kOffset)}.silent() != 0; }
  void BeSilent() {
    Ask(true);
    for (int i = 0; i < 1000 && !Silent(); ++i) b.machine.WaitForMessage(1'000);
    ASSERT_TRUE(Silent());
  }
  void Let(uint64_t ns) {
    const uint64_t end = b.machine.NowNs() + ns;
    while (b.machine.NowNs() < end && b.machine.WaitForMessage(end - b.machine.NowNs()))
      ++messages_, b.machine.TakeMessage();
  }
  /// Returns the number of accesses that have left through each port.
  std::vector<uint64_t> Accesses() {
    const hw::BusCounts host = b.machine.BusAccesses(BareMachine::kGpu);
    const auto counter = [&](uint32_t offset) { return b.bare.Read(regs::kCountersBase + offset); };
    return {host.reads,
            host.writes,
            host.messages,
            counter(regs::CountersVramReadBytes::kOffset),
            counter(regs::CountersVramWriteBytes::kOffset),
            counter(regs::CountersMessages::kOffset)};
  }
  void StartClient(uint32_t count) {
    b.bare.Write(regs::kClientBase + regs::ClientLines::kOffset, regs::ClientLines().set_stride(1).raw);
    b.bare.Write(regs::kClientBase + regs::ClientOrder::kOffset, regs::ClientOrder().set_count(count).set_step(1).raw);
    b.bare.Write(regs::kClientBase, regs::ClientCtrl().set_access(regs::Access::kWrite).set_start(1).set_space(1).raw);
  }

  Bench b;
  unsigned messages_ = 0;
};

TEST_F(Silence, IsSilentAtOnceWhenNothingIsInFlight) {
  EXPECT_FALSE(Silent());
  Ask(true);
  EXPECT_TRUE(Silent());
  EXPECT_EQ(b.bare.Read(regs::Ctrl::kOffset), 3u);
  Ask(false);
  EXPECT_FALSE(Silent());
}

TEST_F(Silence, NothingMovesAndAllWorkIsDoneAfterwards) {
  b.Put(0, 0, BareMachine::Copy(Target::kSystem, 0x400000, Target::kVram, 0x100000, 1 << 20), 7);
  b.Ring(0, 1);
  StartClient(250);
  b.machine.WaitForMessage(20'000);
  Ask(true);
  EXPECT_FALSE(Silent());  // accesses are still in flight
  BeSilent();
  const auto before = Accesses();
  Let(2'000'000);
  EXPECT_EQ(Accesses(), before);
  EXPECT_TRUE(Silent());
  EXPECT_EQ(b.Fence(0), 0u);
  Ask(false);
  Let(2'000'000);
  EXPECT_EQ(b.Fence(0), 7u);
  EXPECT_GE(messages_, 1u);
  const uint64_t last = b.machine.MmioRead(BareMachine::kWindow + 0x1FFFF8, 8);
  uint64_t expected = 0;
  ASSERT_TRUE(b.machine.ram().Read(0x4FFFF8, &expected, 8));
  EXPECT_EQ(last, expected);
  EXPECT_EQ(regs::ClientStatus{b.bare.Read(regs::kClientBase + regs::ClientStatus::kOffset)}.count(), 250u);
}

TEST_F(Silence, AMessageWaits) {
  b.bare.Write(regs::IntEnable::kOffset, 0x3F);
  BeSilent();
  b.bare.Write(regs::InvCmd::kOffset, 0);
  Let(100'000);
  EXPECT_EQ(messages_, 0u);
  EXPECT_EQ(b.bare.Read(regs::IntStatus::kOffset), 16u);
  Ask(false);
  Let(100'000);
  EXPECT_EQ(messages_, 1u);
}

TEST_F(Silence, VramIsReachableThroughTheWindow) {
  BeSilent();
  const uint64_t word = 0x1234;
  b.bare.WriteVram(0x20000, &word, 8);
  EXPECT_EQ(b.machine.MmioRead(BareMachine::kWindow + 0x20000, 8), word);
  EXPECT_TRUE(Silent());
}

TEST_F(Silence, ARootBehindAnOperationIsIgnoredNotWaitedFor) {
  BeSilent();
  const uint32_t root = regs::kSpaceBase + regs::kSpaceStride * 2 + regs::SpaceRoot::kOffset;
  b.bare.Write(regs::InvCmd::kOffset, 0);
  b.bare.Write(root, 0x5000);
  EXPECT_EQ(b.bare.Read(root), 0u);
  Let(100'000);
  b.bare.Write(root, 0x5000);
  EXPECT_EQ(b.bare.Read(root), 0x5000u);
}

TEST_F(Silence, AResetEndsIt) {
  BeSilent();
  b.machine.gpu(0).Reset();
  EXPECT_FALSE(Silent());
  EXPECT_EQ(b.bare.Read(regs::Ctrl::kOffset), 0u);
}

}  // namespace
}  // namespace gmmu::sim::twin
