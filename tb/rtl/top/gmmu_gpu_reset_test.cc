// SPDX-License-Identifier: Apache-2.0
// Tests function-level reset and the ports for software: an access that arrives in any cycle of a
// reset gets exactly one response, either from the registers before the reset or from those after
// it.
#include <array>

#include "tb/rtl/top/one_ring.h"

namespace gmmu::top {
namespace {

constexpr unsigned kTimeOut = 4096;  // the isolator's time-out
constexpr uint32_t kWritten = 0x700000, kReadFrom = 0x700100;

/// Makes one access of each kind, all offered in one cycle: register write and read, window write
/// and read.
class GpuReset : public OneRing {
 protected:
  enum Kind { kRegWrite, kRegRead, kWinWrite, kWinRead, kKinds };
  struct Access {
    bool address_taken = false, data_taken = false;
    unsigned answers = 0, response = 0;
    uint64_t data = 0, answered = 0;
  };

  GpuReset() {
    gpu.drive = [this](Vgmmu_gpu_axi& t) {
      if (from_ == 0) return;
      const bool now = gpu.now >= from_;
      t.s_reg_awvalid = now && !a[kRegWrite].address_taken;
      t.s_reg_wvalid = now && !a[kRegWrite].data_taken;
      t.s_reg_arvalid = now && !a[kRegRead].address_taken;
      t.s_win_awvalid = now && !a[kWinWrite].address_taken;
      t.s_win_wvalid = now && !a[kWinWrite].data_taken;
      t.s_win_arvalid = now && !a[kWinRead].address_taken;
      t.s_reg_awaddr = t.s_reg_araddr = regs::IntEnable::kOffset;
      t.s_reg_wdata = 0x15, t.s_reg_wstrb = 0xff;
      t.s_win_awaddr = kWritten, t.s_win_araddr = kReadFrom;
      t.s_win_wdata = value_, t.s_win_wstrb = 0xff;
      t.s_reg_bready = t.s_reg_rready = t.s_win_bready = t.s_win_rready = 1;
    };
    gpu.watch = [this](const Vgmmu_gpu_axi& t) {
      if (resetting_ && !t.resetting_o) ended_ = gpu.now;
      resetting_ = t.resetting_o;
      if (from_ == 0) return;
      a[kRegWrite].address_taken |= t.s_reg_awvalid && t.s_reg_awready;
      a[kRegWrite].data_taken |= t.s_reg_wvalid && t.s_reg_wready;
      a[kRegRead].address_taken |= t.s_reg_arvalid && t.s_reg_arready;
      a[kWinWrite].address_taken |= t.s_win_awvalid && t.s_win_awready;
      a[kWinWrite].data_taken |= t.s_win_wvalid && t.s_win_wready;
      a[kWinRead].address_taken |= t.s_win_arvalid && t.s_win_arready;
      Answer(kRegWrite, t.s_reg_bvalid, t.s_reg_bresp, 0);
      Answer(kRegRead, t.s_reg_rvalid, t.s_reg_rresp, t.s_reg_rdata);
      Answer(kWinWrite, t.s_win_bvalid, t.s_win_bresp, 0);
      Answer(kWinRead, t.s_win_rvalid, t.s_win_rresp, t.s_win_rdata);
    };
  }

  void Answer(Kind kind, bool valid, unsigned response, uint64_t data) {
    if (!valid) return;
    EXPECT_TRUE(a[kind].address_taken && (a[kind].data_taken || kind == kRegRead || kind == kWinRead));
    ++a[kind].answers;
    a[kind].response = response, a[kind].data = data, a[kind].answered = gpu.now;
  }
  bool AllAnswered() const {
    for (const Access& access : a) {
      if (access.answers == 0) return false;
    }
    return true;
  }
  /// Resets the GPU, and offers all four accesses `distance` cycles after the reset pulse. Their
  /// responses must arrive within `bound` cycles after the end of the reset.
  void ResetAndAccess(unsigned distance, unsigned bound = 100) {
    SCOPED_TRACE(testing::Message() << "offered " << distance << " cycles behind the pulse");
    a = {};
    value_ = gpu.rng();
    gpu.vram.memory.Write64(kReadFrom, ~value_);
    gpu.vram.memory.Write64(kWritten, 0);
    from_ = gpu.now + 1 + distance;
    Reset();
    gpu.Until([&] { return AllAnswered() && !gpu.t.resetting_o; }, "an answer to each access");
    gpu.Run(60);  // long enough to see a second response
    const uint64_t late = ended_ + bound;
    for (unsigned kind = 0; kind < kKinds; ++kind) {
      EXPECT_EQ(a[kind].answers, 1u) << "kind " << kind;
      EXPECT_EQ(a[kind].response, 0u) << "kind " << kind;
      EXPECT_LE(a[kind].answered, std::max(late, from_ + bound)) << "kind " << kind;
    }
    EXPECT_EQ(gpu.vram.memory.Read64(kWritten), value_);
    EXPECT_EQ(a[kWinRead].data, ~value_);
    from_ = 0;
    // A write that was answered before the end of the reset went to the old registers and is lost.
    // A later write is kept.
    EXPECT_EQ(gpu.Read(regs::IntEnable::kOffset), a[kRegWrite].answered < ended_ ? 0u : 0x15u);
    const bool write_first = a[kRegWrite].answered < a[kRegRead].answered;
    const uint64_t old = write_first && a[kRegWrite].answered < ended_ ? 0x15 : kBefore;
    const uint64_t later = write_first && a[kRegWrite].answered >= ended_ ? 0x15 : 0;
    EXPECT_EQ(a[kRegRead].data, a[kRegRead].answered < ended_ ? old : later);
    gpu.Set(regs::IntEnable{kBefore});
  }

  static constexpr uint64_t kBefore = 0x0a;
  std::array<Access, kKinds> a;
  uint64_t from_ = 0, ended_ = 0, value_ = 0;
  bool resetting_ = false;
};

TEST_F(GpuReset, AnAccessAtAnyCycleOfAResetOfAnIdleGpuIsAnsweredOnce) {
  gpu.Set(regs::IntEnable{kBefore});
  for (unsigned distance = 0; distance < 90; ++distance) {
    ResetAndAccess(distance);
    if (HasFailure()) return;
  }
}

TEST_F(GpuReset, AnAccessAtAnyCycleOfAResetThatWaitsForTheHostIsAnsweredOnce) {
  std::vector<unsigned> distances = {0, 1, 2, 3, 4, 5, 6, 7, 8, 100};
  for (int i = 0; i < 6; ++i) distances.push_back(static_cast<unsigned>(200 + gpu.rng() % 3800));
  for (unsigned d = kTimeOut - 12; d < kTimeOut + 24; ++d) distances.push_back(d);
  for (unsigned distance : distances) {
    Program();
    gpu.Set(regs::IntEnable{kBefore});
    gpu.host.latency = kTimeOut + 400;
    Submit(Copy(0x500000, 0x400000, 0x1000), 1);
    gpu.Run(150);  // The read of the ring's entry outlasts the isolator's time-out.
    ASSERT_FALSE(gpu.host.idle());
    ResetAndAccess(distance);
    gpu.host.latency = 20;
    gpu.Until([&] { return gpu.host.idle() && gpu.t.idle_o; }, "the late answer");
    if (HasFailure()) return;
  }
}

TEST_F(GpuReset, WhatVramDoesNotAnswerIsAnsweredWithAnErrorOnce) {
  gpu.vram.latency = gpu.vram.write_latency = 3 * kTimeOut;
  a = {};
  from_ = gpu.now + 1;
  gpu.Run(30);  // One window access is in flight, and the other waits for it.
  ASSERT_TRUE(a[kWinWrite].data_taken && a[kWinWrite].answers + a[kWinRead].answers == 0);
  Reset();
  gpu.Run(100);
  EXPECT_TRUE(gpu.t.resetting_o);
  gpu.vram.latency = gpu.vram.write_latency = 10;
  gpu.Until([&] { return AllAnswered(); }, "an answer to each access");
  gpu.Run(4 * kTimeOut);  // time for the old response to arrive and be dropped
  EXPECT_EQ(a[kWinWrite].response + a[kWinRead].response, 2u) << "one was lost, the other done later";
  for (const Access& access : a) EXPECT_EQ(access.answers, 1u);
  EXPECT_TRUE(gpu.t.idle_o);
}

TEST_F(GpuReset, ItSaysWhenItHasEnded) {
  EXPECT_FALSE(gpu.t.resetting_o);
  Reset();
  gpu.Settle();
  EXPECT_TRUE(gpu.t.resetting_o);
  gpu.Until([&] { return !gpu.t.resetting_o; }, "the end of the reset");
  EXPECT_EQ(gpu.Read(regs::Ctrl::kOffset), 0u);
}

TEST_F(GpuReset, TheLevelOfTheInterruptFollowsTheEnabledCauses) {
  gpu.EnableMessages(false);
  gpu.Set(regs::IntEnable{0x1f});
  EXPECT_FALSE(gpu.t.irq_o);
  Submit(Copy(0x500000, 0x400000, 0x1000), 1);
  WaitFence(1);
  gpu.Until([&] { return gpu.t.irq_o; }, "the interrupt's level");
  gpu.Set(regs::IntEnable{0});
  gpu.Run(2);
  EXPECT_FALSE(gpu.t.irq_o);
  gpu.Set(regs::IntEnable{0x1f});
  gpu.Run(2);
  EXPECT_TRUE(gpu.t.irq_o);
  gpu.Set(regs::IntStatus{0x3f});
  gpu.Run(2);
  EXPECT_FALSE(gpu.t.irq_o);
  EXPECT_EQ(gpu.Messages(), 0u);
}

}  // namespace
}  // namespace gmmu::top
