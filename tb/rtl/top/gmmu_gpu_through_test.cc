// SPDX-License-Identifier: Apache-2.0
// Tests the through-port in the whole GPU: its accesses use the translation, memories and fault log
// that the clients use. The handling of bursts is tested in tb/rtl/client.
#include <gtest/gtest.h>

#include "tb/rtl/top/bits.h"
#include "tb/rtl/top/top_machine.h"

namespace gmmu::top {
namespace {

using regs::Target;

constexpr uint64_t kVa = 0x10000000, kHost = 0x40000;
constexpr unsigned kSpace = 3;

class GpuThrough : public ::testing::Test {
 protected:
  GpuThrough() {
    gpu.host.memory.Make(kHost, 0x4000);
    for (uint64_t i = 0; i < 0x4000; i += 8) {
      gpu.vram.memory.Write64(i, gpu.rng());
      gpu.host.memory.Write64(kHost + i, gpu.rng());
    }
    gpu.MakeSpace(kSpace, 0x800000);
    gpu.MapPages(kSpace, kVa, Target::kVram, 0, 4);
    gpu.MapPages(kSpace, kVa + 0x4000, Target::kSystem, kHost, 4);
    gpu.Set(regs::Ctrl{1});
    auto& t = gpu.t;
    t.s_thr_arsize = t.s_thr_awsize = 3;
    t.s_thr_arburst = t.s_thr_awburst = 1;
    t.s_thr_aruser = t.s_thr_awuser = kSpace;
    t.s_thr_wstrb = 0xff;
  }
  ~GpuThrough() override {
    for (const auto& error : gpu.vram.errors) ADD_FAILURE() << error;
    for (const auto& error : gpu.host.errors) ADD_FAILURE() << error;
  }

  uint64_t At(uint64_t va) {
    return va < kVa + 0x4000 ? gpu.vram.memory.Read64(va - kVa) : gpu.host.memory.Read64(kHost + va - kVa - 0x4000);
  }
  void Settle() { gpu.t.eval(); }
  uint64_t Lookups(unsigned port) {
    return gpu.Get<regs::PortCountersLookups>(regs::kPortCountersBase + port * regs::kPortCountersStride).n();
  }
  void Write(unsigned id, uint64_t va, const std::vector<uint64_t>& words) {
    auto& t = gpu.t;
    t.s_thr_awvalid = 1, t.s_thr_awid = id, t.s_thr_awaddr = va;
    t.s_thr_awlen = words.size() - 1;
    Settle();
    gpu.Until([&] { return t.s_thr_awready; }, "AW");
    gpu.Step();
    t.s_thr_awvalid = 0;
    for (size_t i = 0; i < words.size(); ++i) {
      t.s_thr_wvalid = 1, t.s_thr_wdata = words[i], t.s_thr_wlast = i + 1 == words.size();
      Settle();
      gpu.Until([&] { return t.s_thr_wready; }, "W");
      gpu.Step();
    }
    t.s_thr_wvalid = 0, t.s_thr_bready = 1;
    Settle();
    gpu.Until([&] { return t.s_thr_bvalid; }, "B");
    EXPECT_EQ(t.s_thr_bid, id);
    EXPECT_EQ(t.s_thr_bresp, 0u);
    gpu.Step();
    t.s_thr_bready = 0;
  }
  /// Reads a burst of `beats` words and compares each with memory.
  void Read(unsigned id, uint64_t va, unsigned beats) {
    auto& t = gpu.t;
    t.s_thr_arvalid = 1, t.s_thr_arid = id, t.s_thr_araddr = va, t.s_thr_arlen = beats - 1;
    Settle();
    gpu.Until([&] { return t.s_thr_arready; }, "AR");
    gpu.Step();
    t.s_thr_arvalid = 0, t.s_thr_rready = 1;
    for (unsigned i = 0; i < beats; ++i) {
      Settle();
      gpu.Until([&] { return t.s_thr_rvalid; }, "R");
      EXPECT_EQ(t.s_thr_rid, id);
      EXPECT_EQ(t.s_thr_rresp, 0u);
      EXPECT_EQ(t.s_thr_rdata, At(va + 8 * i)) << "beat " << i;
      EXPECT_EQ(t.s_thr_rlast, i == beats - 1);
      gpu.Step();
    }
    t.s_thr_rready = 0;
  }

  TopMachine gpu;
};

#if GMMU_TOP_ThroughPorts

TEST_F(GpuThrough, WritesAndReadsBothMemories) {
  gpu.vram.shuffle = gpu.host.shuffle = true;
  gpu.vram.stall_percent = gpu.host.stall_percent = 20;
  // Use the end of VRAM and the start of host memory.
  for (const uint64_t va : {kVa + 0x3F80, kVa + 0x4000}) {
    std::vector<uint64_t> words(16);
    for (auto& word : words) word = gpu.rng();
    Write(7, va, words);
    for (unsigned i = 0; i < words.size(); ++i) EXPECT_EQ(At(va + 8 * i), words[i]) << "word " << i;
  }
  Read(9, kVa + 0x3E08, 63);
  Read(2, kVa + 0x4000, 64);
  gpu.Until([&] { return gpu.t.idle_o; }, "idle");
  EXPECT_EQ(Lookups(sizes::kNumClients), 16u) << "reads: a lookup a line";
  EXPECT_EQ(Lookups(sizes::kNumClients + 1), 4u) << "writes";
}

TEST_F(GpuThrough, AFaultIsSlverrAndARecordWithThePortsNumber) {
  gpu.host.memory.Make(0x50000, 0x1000);
  gpu.Set(regs::FaultQueueBase{0x50000});
  gpu.Set(regs::FaultQueueSize{}.set_size_lg2(4).set_enable(1));
  auto& t = gpu.t;
  t.s_thr_arvalid = 1, t.s_thr_araddr = kVa + 0x8000, t.s_thr_arlen = 0;
  Settle();
  gpu.Until([&] { return t.s_thr_arready; }, "AR");
  gpu.Step();
  t.s_thr_arvalid = 0, t.s_thr_rready = 1;
  Settle();
  gpu.Until([&] { return t.s_thr_rvalid; }, "R");
  EXPECT_EQ(t.s_thr_rresp, 2u);
  gpu.Step();
  gpu.Until([&] { return gpu.Get<regs::FaultQueueTail>().index() == 1; }, "the record");
  const regs::FaultRecordWhat what{gpu.host.memory.Read64(0x50000)};
  EXPECT_EQ(what.reason(), regs::Fault::kEntryInvalid);
  EXPECT_EQ(what.port_index(), sizes::kNumClients);
  EXPECT_EQ(what.space(), kSpace);
  EXPECT_EQ(gpu.host.memory.Read64(0x50008), kVa + 0x8000);
}

TEST_F(GpuThrough, TakesNothingWhileTheGpuIsNotEnabledOrInReset) {
  auto& t = gpu.t;
  gpu.Set(regs::Ctrl{0});
  t.s_thr_arvalid = t.s_thr_awvalid = 1;
  t.s_thr_araddr = t.s_thr_awaddr = kVa;
  t.s_thr_arlen = t.s_thr_awlen = 0;
  for (unsigned i = 0; i < 100; ++i) {
    Settle();
    ASSERT_FALSE(t.s_thr_arready || t.s_thr_awready);
    gpu.Step();
  }
  t.reset_i = 1;
  gpu.Step();
  t.reset_i = 0;
  for (unsigned i = 0; i < 100; ++i) {
    Settle();
    ASSERT_FALSE(t.s_thr_arready || t.s_thr_awready || t.s_thr_rvalid || t.s_thr_bvalid);
    gpu.Step();
  }
}

#else

TEST_F(GpuThrough, WithoutThePortNothingIsEverReady) {
  auto& t = gpu.t;
  t.s_thr_arvalid = t.s_thr_awvalid = t.s_thr_wvalid = 1;
  for (unsigned i = 0; i < 300; ++i) {
    Settle();
    ASSERT_FALSE(t.s_thr_arready || t.s_thr_awready || t.s_thr_wready || t.s_thr_rvalid || t.s_thr_bvalid);
    gpu.Step();
  }
  EXPECT_EQ(gpu.vram.reads + gpu.vram.writes + gpu.host.reads + gpu.host.writes, 0u);
}

#endif

}  // namespace
}  // namespace gmmu::top
