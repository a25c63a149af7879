// SPDX-License-Identifier: Apache-2.0
// Tests that the checkers at the GPU's AXI ports are connected: a wrong value on a pin of each port
// must be reported under the port's name. Every other test in this folder runs with these checkers
// (TopMachine).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/rtl/top/top_machine.h"

namespace gmmu::top {
namespace {

using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(GpuAxi, FindsAWrongAnswerAtEachPort) {
  TopMachine machine;
  Vgmmu_gpu_axi& pins = machine.t;
  sim::GpuAxi axi(8);
  axi.Sample(pins, 0);
  EXPECT_THAT(axi.Findings(), SizeIs(0));
  pins.m_vram_bvalid = 1;
  pins.m_host_rvalid = 1;
  pins.s_reg_bvalid = 1;
  pins.s_win_rvalid = 1;
  pins.s_thr_bvalid = 1;
  pins.s_peer_rvalid = 1;
  axi.Sample(pins, 1);
  const auto findings = axi.Findings();
  ASSERT_THAT(findings, SizeIs(6));
  EXPECT_THAT(findings[0].text, StartsWith("m_vram, cycle 1, b-id"));
  EXPECT_THAT(findings[1].text, StartsWith("m_host, cycle 1, r-id"));
  EXPECT_THAT(findings[2].text, StartsWith("s_reg, cycle 1, b-id"));
  EXPECT_THAT(findings[3].text, StartsWith("s_win, cycle 1, r-id"));
  EXPECT_THAT(findings[4].text, StartsWith("s_thr, cycle 1, b-id"));
  EXPECT_THAT(findings[5].text, StartsWith("s_peer, cycle 1, r-id"));
}

TEST(GpuAxi, FindsAnAddressThatChangesWhileItWaits) {
  TopMachine machine;
  Vgmmu_gpu_axi& pins = machine.t;
  sim::GpuAxi axi(8);
  pins.m_vram_awvalid = pins.m_host_arvalid = pins.s_thr_awvalid = pins.s_peer_arvalid = 1;
  pins.m_vram_awready = pins.m_host_arready = pins.s_thr_awready = pins.s_peer_arready = 0;
  pins.m_vram_awsize = pins.m_host_arsize = pins.s_thr_awsize = pins.s_peer_arsize = 3;
  pins.m_vram_awburst = pins.m_host_arburst = pins.s_thr_awburst = pins.s_peer_arburst = 1;
  axi.Sample(pins, 0);
  pins.m_vram_awaddr += 64;
  pins.m_host_aruser += 1;
  pins.s_thr_awuser ^= 1;
  pins.s_peer_araddr += 64;
  axi.Sample(pins, 1);
  const auto findings = axi.Findings();
  ASSERT_THAT(findings, SizeIs(4));
  EXPECT_THAT(findings[0].text, StartsWith("m_vram, cycle 1, stable: the payload of AW"));
  EXPECT_THAT(findings[1].text, StartsWith("m_host, cycle 1, stable: the payload of AR"));
  EXPECT_THAT(findings[2].text, StartsWith("s_thr, cycle 1, stable: the payload of AW"));
  EXPECT_THAT(findings[3].text, StartsWith("s_peer, cycle 1, stable: the payload of AR"));
}

}  // namespace
}  // namespace gmmu::top
