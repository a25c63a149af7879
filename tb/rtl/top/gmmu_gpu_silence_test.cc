// SPDX-License-Identifier: Apache-2.0
// Tests silencing the GPU with ctrl.silence. From the time that status.silent is set until software
// clears ctrl.silence, no access starts on the memory ports; afterwards all work completes.
#include "tb/rtl/top/gpu_work.h"

namespace gmmu::top {
namespace {

constexpr unsigned kWindow = 5;  // requester number of the window

/// Counts offers and beats on the memory ports, except those of window accesses.
class GpuSilence : public GpuWork {
 protected:
  GpuSilence() {
    gpu.watch = [this](const Vgmmu_gpu_axi& t) {
      const auto own = [](unsigned id) { return (id >> 8 & 0x7f) != kWindow; };
      seen_ += t.m_vram_arvalid && own(t.m_vram_arid);
      seen_ += t.m_vram_awvalid && own(t.m_vram_awid);
      seen_ += t.m_vram_rvalid && own(t.m_vram_rid);
      seen_ += t.m_vram_bvalid && own(t.m_vram_bid);
      seen_ += t.m_host_arvalid || t.m_host_awvalid || t.m_host_wvalid || t.m_host_rvalid || t.m_host_bvalid;
      if (!window_) seen_ += t.m_vram_wvalid;
    };
  }
  void Ask(bool on) { gpu.Set(regs::Ctrl{}.set_enable(1).set_silence(on)); }
  void BeSilent() {
    Ask(true);
    gpu.Until([&] { return gpu.Get<regs::Status>().silent() != 0; }, "silence");
    seen_ = 0;
  }
  void StartClients(uint32_t count) {
    const auto traffic = regs::ClientCtrl{}.set_space(1).set_verify(1).set_access(regs::Access::kWrite);
    for (unsigned c = 0; c < TopMachine::kEngines; ++c)  // Half of the first client's lines are in host memory.
      gpu.StartTraffic(c, traffic, c == 0 ? 0x530000 : 0x420000 + 0x8000 * c, 0, 1, count, 1, c);
  }
  void EndClients(uint32_t count) {
    for (unsigned c = 0; c < TopMachine::kEngines; ++c) {
      EXPECT_EQ(gpu.EndTraffic(c).count(), 2 * count);
      EXPECT_EQ(gpu.Get<regs::ClientResult>(TopMachine::ClientAt(c)).mismatches(), 0u);
    }
  }

  uint64_t seen_ = 0;
  bool window_ = false;  // whether the CPU uses the window
};

TEST_F(GpuSilence, UnderFullLoadNothingMovesAndAllWorkIsDoneAfterwards) {
  for (unsigned when = 40; when < 3000; when += 211) {
    SCOPED_TRACE(when);
    const bool stalls = when % 2;
    gpu.vram.shuffle = gpu.host.shuffle = stalls;
    gpu.vram.stall_percent = gpu.host.stall_percent = stalls ? 25 : 0;
    for (uint64_t i = 0; i < 0x6000; i += 8) gpu.vram.memory.Write64(kVram + i, 0);
    // All interrupt causes have been cleared, so the new work must send at least one more message.
    const unsigned messages = gpu.Messages();
    Put(0, 0, Copies(6, 4096), when);
    Kick(0, when / 211 % 2 ? 0 : 1);
    StartClients(100);
    gpu.Run(when);
    BeSilent();
    ASSERT_TRUE(gpu.host.idle() && gpu.vram.idle()) << "silent with bursts unanswered";
    const unsigned held = gpu.Messages();
    gpu.Run(1500);
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(gpu.Get<regs::Status>().silent());
    gpu.Set(regs::IntEnable{0x3f});  // Registers stay writable.
    EXPECT_EQ(seen_, 0u) << "a port spoke";
    EXPECT_EQ(gpu.Messages(), held);
    Ask(false);
    EXPECT_FALSE(gpu.Get<regs::Status>().silent());
    EndClients(100);
    if (when / 211 % 2 == 0) {
      gpu.Until([&] { return Fence(0) == when; }, "the fence");
      EXPECT_TRUE(Copied(0, 6 * 4096));
    }
    gpu.Until([&] { return gpu.Messages() > messages; }, "a message");
    gpu.Set(regs::RingCtrl{}, TopMachine::RingAt(0));
    Kick(0, 0);
    gpu.Set(Ctrl(), TopMachine::RingAt(0));
    gpu.Set(regs::IntStatus{0x3f});
    gpu.Until([&] { return gpu.t.idle_o; }, "the end");
  }
}

TEST_F(GpuSilence, VramStaysReachableThroughTheWindow) {
  window_ = true;
  gpu.vram.write_latency = 100;
  StartClients(400);
  gpu.Run(800);
  BeSilent();
  for (uint32_t i = 0; i < 40; ++i) gpu.WindowWrite(0x700000 + 8 * i, i + 1);
  EXPECT_EQ(gpu.Read(regs::IntEnable::kOffset), 0x3fu);
  gpu.Set(regs::InvStart{0x5000});  // A register write waits for earlier window writes.
  EXPECT_EQ(gpu.vram.memory.Read64(0x700000 + 8 * 39), 40u);
  EXPECT_EQ(gpu.WindowRead(0x700000 + 8), 2u);
  gpu.WindowSettle();
  EXPECT_TRUE(gpu.Get<regs::Status>().silent());
  EXPECT_EQ(seen_, 0u);
  Ask(false);
  EndClients(400);
}

TEST_F(GpuSilence, AnInvalidationMayEndAfterItAndARootBehindItIsIgnored) {
  StartClients(400);
  gpu.Run(800);
  BeSilent();
  const uint32_t root = TopMachine::SpaceAt(2);
  gpu.Set(regs::InvCmd{0});
  gpu.Run(500);
  ASSERT_TRUE(gpu.Get<regs::InvStatus>().busy()) << "accesses that are held still use translations";
  gpu.Set(regs::SpaceRoot{0x5000}, root);
  EXPECT_EQ(gpu.Get<regs::SpaceRoot>(root).raw, 0u);
  EXPECT_EQ(seen_, 0u);
  Ask(false);
  gpu.Until([&] { return gpu.Get<regs::InvStatus>().busy() == 0; }, "the invalidation");
  gpu.Set(regs::SpaceRoot{0x5000}, root);
  EXPECT_EQ(gpu.Get<regs::SpaceRoot>(root).raw, 0x5000u);
  EndClients(400);
}

TEST_F(GpuSilence, AMessageWaitsForTheRelease) {
  BeSilent();
  gpu.Set(regs::InvCmd{0});
  gpu.Run(500);
  EXPECT_EQ(gpu.Read(regs::IntStatus::kOffset), regs::IntStatus{}.set_invalidate(1).raw);
  EXPECT_EQ(gpu.Messages(), 0u);
  EXPECT_FALSE(gpu.t.idle_o) << "it waits";
  Ask(false);
  gpu.Until([&] { return gpu.Messages() == 1; }, "the message");
}

TEST_F(GpuSilence, AMessageWhoseCauseIsClearedMeanwhileIsDropped) {
  BeSilent();
  gpu.Set(regs::InvCmd{0});
  gpu.Run(500);
  gpu.Set(regs::IntStatus{0x3f});
  gpu.Run(50);
  EXPECT_TRUE(gpu.t.idle_o) << "nothing waits";
  Ask(false);
  gpu.Run(500);
  EXPECT_EQ(gpu.Messages(), 0u);
}

TEST_F(GpuSilence, WithoutWorkItIsSilentAtOnceAndIdle) {
  Ask(true);
  gpu.Run(20);
  EXPECT_TRUE(gpu.Get<regs::Status>().silent());
  gpu.Run(20);
  EXPECT_TRUE(gpu.t.idle_o);
  EXPECT_TRUE(gpu.Get<regs::Status>().idle());
  Ask(false);
  EXPECT_FALSE(gpu.Get<regs::Status>().silent());
}

TEST_F(GpuSilence, AResetEndsIt) {
  BeSilent();
  gpu.t.reset_i = 1;
  gpu.Step();
  gpu.t.reset_i = 0;
  gpu.Run(200);
  EXPECT_EQ(gpu.Read(regs::Ctrl::kOffset), 0u);
  EXPECT_FALSE(gpu.Get<regs::Status>().silent());
}

#if GMMU_TOP_ThroughPorts
TEST_F(GpuSilence, AtTheThroughPortItHoldsToo) {
  auto& t = gpu.t;
  BeSilent();
  t.s_thr_arvalid = 1;
  t.s_thr_araddr = 0x400000;
  t.s_thr_arsize = 3;
  t.s_thr_arburst = 1;
  t.s_thr_aruser = 1;
  t.s_thr_rready = 1;
  gpu.Until([&] { return t.s_thr_arready; }, "AR");
  gpu.Step();
  t.s_thr_arvalid = 0;
  gpu.Run(500);
  EXPECT_EQ(seen_, 0u);
  Ask(false);
  gpu.Until([&] { return t.s_thr_rvalid; }, "R");
}
#endif

}  // namespace
}  // namespace gmmu::top
