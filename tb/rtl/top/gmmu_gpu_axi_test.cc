// SPDX-License-Identifier: Apache-2.0
// Tests that the checkers at the GPU's AXI ports are connected: a wrong pin of each port is reported under the port's
// name. TopMachine runs every other test of this folder with these checkers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/rtl/top/top_machine.h"

namespace gmmu::top {
namespace {

using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(GpuAxi, FindsAWrongAnswerAtEachPort) {
  TopMachine machine;
  Vgmmu_top_bench& pins = machine.t;
  sim::GpuAxi axi(8);
  axi.Sample(pins, 0);
  EXPECT_THAT(axi.Findings(), SizeIs(0));
  pins.m_vram_bvalid_i = 1;
  pins.m_host_rvalid_i = 1;
  pins.s_reg_bvalid_o = 1;
  pins.s_win_rvalid_o = 1;
  pins.s_thr_bvalid_o = 1;
  pins.s_peer_rvalid_o = 1;
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
  Vgmmu_top_bench& pins = machine.t;
  sim::GpuAxi axi(8);
  pins.m_vram_awvalid_o = pins.m_host_arvalid_o = pins.s_thr_awvalid_i = pins.s_peer_arvalid_i = 1;
  pins.m_vram_awready_i = pins.m_host_arready_i = pins.s_thr_awready_o = pins.s_peer_arready_o = 0;
  pins.m_vram_awsize_o = pins.m_host_arsize_o = pins.s_thr_awsize_i = pins.s_peer_arsize_i = 3;
  pins.m_vram_awburst_o = pins.m_host_arburst_o = pins.s_thr_awburst_i = pins.s_peer_arburst_i = 1;
  axi.Sample(pins, 0);
  pins.m_vram_awaddr_o += 64;
  pins.m_host_aruser_o += 1;
  pins.s_thr_awuser_i ^= 1;
  pins.s_peer_araddr_i += 64;
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
