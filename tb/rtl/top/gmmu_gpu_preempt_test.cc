// SPDX-License-Identifier: Apache-2.0
// Tests preemption through registers: the request, the interrupt message, the status, and the
// completion of the rest of the work.
#include "tb/rtl/top/gpu_work.h"

namespace gmmu::top {
namespace {

constexpr uint64_t kPreempted = regs::IntStatus{}.set_preempted(1).raw;

class GpuPreempt : public GpuWork {
 protected:
  void Preempt(unsigned ring) { gpu.Set(Ctrl().set_preempt(1), TopMachine::RingAt(ring)); }
  /// Disables the ring, sets its tail to 0, and enables it again.
  void NewLife(unsigned ring) {
    gpu.Set(regs::RingCtrl{}, TopMachine::RingAt(ring));
    Kick(ring, 0);
    gpu.Set(Ctrl(), TopMachine::RingAt(ring));
  }
};

TEST_F(GpuPreempt, AnIdleRingSendsTheMessageAtOnce) {
  Preempt(0);
  gpu.Until([&] { return gpu.Messages() == 1; }, "the message");
  EXPECT_EQ(Status(0).raw, regs::RingStatus{}.set_preempted(1).raw);
  EXPECT_EQ(gpu.Read(regs::IntStatus::kOffset), kPreempted);
  gpu.Run(100);
  EXPECT_TRUE(gpu.t.idle_o);
  EXPECT_TRUE(gpu.Get<regs::Status>().idle());
  gpu.Set(regs::IntStatus{kPreempted});
  NewLife(0);
  EXPECT_EQ(Status(0).raw, 0u);
  Put(0, 0, Copies(1, 4096), 9);
  Kick(0, 1);
  gpu.Until([&] { return Fence(0) == 9; }, "the fence");
}

TEST_F(GpuPreempt, TheMessageComesWhenEverythingBeforeIsBehindIt) {
  gpu.vram.write_latency = 200;
  gpu.Set(regs::IntEnable{kPreempted});
  unsigned stopped = 0;
  for (unsigned when = 100; when < 6000; when += 251) {
    SCOPED_TRACE(when);
    const auto words = Copies(12, 2048 + 8);
    for (uint64_t i = 0; i < 0x7000; i += 8) gpu.vram.memory.Write64(kVram + i, 0);
    Put(0, 0, words, when);
    Kick(0, 1);
    const unsigned messages = gpu.Messages();
    gpu.Run(when);
    Preempt(0);
    gpu.Until([&] { return gpu.Messages() > messages; }, "the message");
    EXPECT_TRUE(gpu.vram.idle() && gpu.host.HasWrite() == false);
    const auto status = Status(0);
    ASSERT_TRUE(status.preempted());
    const uint64_t offset = gpu.Get<regs::RingErrorCommand>(TopMachine::RingAt(0)).raw;
    const bool done = status.fence() == 0 && gpu.Get<regs::RingHead>(TopMachine::RingAt(0)).index() == 1;
    EXPECT_EQ(Fence(0) == when, done);
    const uint64_t copies = done ? 12 : offset / 32;
    EXPECT_TRUE(Copied(0, copies * 2056));
    if (copies < 12) EXPECT_EQ(gpu.vram.memory.Read64(kVram + copies * 2056 + 8), 0u) << "the next one has begun";
    stopped += status.fence() == when;
    gpu.Set(regs::IntStatus{0x3f});
    NewLife(0);
    if (done) continue;
    Put(0, 0, words, when, offset);
    Kick(0, 1);
    gpu.Until([&] { return Fence(0) == when; }, "the rest");
    EXPECT_TRUE(Copied(0, 12 * 2056));
    gpu.Until([&] { return gpu.Get<regs::RingStatus>(TopMachine::RingAt(0)).busy() == 0; }, "the end");
    NewLife(0);
  }
  EXPECT_GT(stopped, 4u);
}

TEST_F(GpuPreempt, WithClientsAndUnderStalls) {
  gpu.vram.shuffle = gpu.host.shuffle = true;
  gpu.vram.stall_percent = gpu.host.stall_percent = 30;
  const auto traffic = regs::ClientCtrl{}.set_space(1).set_verify(1).set_access(regs::Access::kWrite);
  for (unsigned c = 0; c < TopMachine::kEngines; ++c)
    gpu.StartTraffic(c, traffic, 0x420000 + 0x8000 * c, 0, 1, 256, 1, c);
  const auto words = Copies(16, 4096 + 24);
  uint64_t offset = 0;
  unsigned interrupted = 0;
  for (uint32_t piece = 1; offset < 8 * words.size() && piece < 60; ++piece) {
    Put(0, 0, words, piece, offset);
    Kick(0, 1);
    gpu.Run(gpu.rng() % 1000);
    Preempt(0);
    gpu.Until([&] { return Status(0).preempted(); }, "preemption");
    if (Status(0).fence() == piece) offset += gpu.Get<regs::RingErrorCommand>(TopMachine::RingAt(0)).raw, ++interrupted;
    else if (gpu.Get<regs::RingHead>(TopMachine::RingAt(0)).index() == 1) offset = 8 * words.size();
    NewLife(0);
  }
  EXPECT_EQ(offset, 8 * words.size());
  EXPECT_GT(interrupted, 2u);
  EXPECT_TRUE(Copied(0, 16 * 4120));
  for (unsigned c = 0; c < TopMachine::kEngines; ++c) {
    EXPECT_EQ(gpu.EndTraffic(c).count(), 512u);
    EXPECT_EQ(gpu.Get<regs::ClientResult>(TopMachine::ClientAt(c)).mismatches(), 0u);
  }
}

#if GMMU_TOP_NumRings > 1
TEST_F(GpuPreempt, OtherRingsGoOn) {
  const unsigned last = sizes::kNumRings - 1;
  Put(0, 0, Copies(16, 4096), 5);
  Put(last, 0, Copies(2, 4096), 6);
  Kick(0, 1);
  Kick(last, 1);
  gpu.Run(1000);
  Preempt(0);
  gpu.Until([&] { return Fence(last) == 6; }, "the other ring");
  gpu.Until([&] { return Status(0).preempted(); }, "preemption");
  EXPECT_EQ(Status(0).fence(), 5u);
  EXPECT_EQ(Fence(0), 0u);
  EXPECT_FALSE(Status(last).preempted());
}
#endif

}  // namespace
}  // namespace gmmu::top
