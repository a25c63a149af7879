// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "probe/axi_checker.h"

namespace gmmu::sim {

/// Attaches a checker to each AXI port of gmmu_gpu: m_vram, m_host, s_reg, s_win, s_thr, s_peer.
///
/// `Top` is any Verilated model with the pins of gmmu_gpu. Call Sample in every cycle, reset included, when the inputs
/// have settled and before the clock edge.
class GpuAxi {
 public:
  /// `wait_limit` is large because responses at the host port have passed through the PCIe link and the IOMMU.
  /// `through`: also watch s_thr.
  explicit GpuAxi(unsigned beat_bytes, uint64_t wait_limit = 1'000'000, bool through = true)
      : vram_(Vram("m_vram", beat_bytes, wait_limit)),
        host_(Manager("m_host", beat_bytes, wait_limit)),
        registers_(Subordinate("s_reg", wait_limit)),
        window_(Subordinate("s_win", wait_limit)),
        through_(Through("s_thr", beat_bytes, wait_limit)),
        peer_(Peer("s_peer", beat_bytes, wait_limit)),
        has_through_(through) {}

  /// Allows host memory, from now on, to delay responses deliberately by up to `cycles` cycles.
  void AllowHostWait(uint64_t cycles) { host_.AllowWait(cycles); }

  /// Returns the rules of m_vram: window writes (requester 5) of the same generation share an id.
  static AxiPort Vram(const char* name, unsigned beat_bytes, uint64_t wait_limit) {
    AxiPort port = Manager(name, beat_bytes, wait_limit);
    port.ordered_write_ids = {0x0500, 0x8500};
    return port;
  }

  /// Returns the rules of the through-port (gmmu_through): any access size, no WLAST, in-order responses per id. W may
  /// precede AW as far as the port's queues allow.
  static AxiPort Through(const char* name, unsigned beat_bytes, uint64_t wait_limit) {
    AxiPort port = Manager(name, beat_bytes, wait_limit);
    port.id_bits = 8;
    port.unique_ids = false;
    port.full_width = false;
    port.has_w_last = false;
    port.early_beats = 256;
    return port;
  }

  template <typename Top>
  void Sample(const Top& top, uint64_t cycle) {
    using Ax = AxiChecker::Ax;
    using W = AxiChecker::W;
    using R = AxiChecker::R;
    using B = AxiChecker::B;
// Samples one cycle of a port. `m` and `s` are the suffixes of the pins that the manager and the subordinate drive.
#define GMMU_SAMPLE_AXI4(checker, port, m, s, ar_user, aw_user, w_last)                                   \
  checker.Begin(cycle, top.rst_i);                                                                        \
  checker.Ar(top.port##_arvalid_##m, top.port##_arready_##s, [&] {                                        \
    return Ax{top.port##_arid_##m,   top.port##_araddr_##m,  top.port##_arlen_##m,                        \
              top.port##_arsize_##m, top.port##_arburst_##m, ar_user};                                    \
  });                                                                                                     \
  checker.Rd(top.port##_rvalid_##s, top.port##_rready_##m, [&] {                                          \
    return R{top.port##_rid_##s, &top.port##_rdata_##s, top.port##_rresp_##s, top.port##_rlast_##s != 0}; \
  });                                                                                                     \
  checker.Aw(top.port##_awvalid_##m, top.port##_awready_##s, [&] {                                        \
    return Ax{top.port##_awid_##m,   top.port##_awaddr_##m,  top.port##_awlen_##m,                        \
              top.port##_awsize_##m, top.port##_awburst_##m, aw_user};                                    \
  });                                                                                                     \
  checker.Wd(top.port##_wvalid_##m, top.port##_wready_##s,                                                \
             [&] { return W{&top.port##_wdata_##m, top.port##_wstrb_##m, w_last}; });                     \
  checker.Bd(top.port##_bvalid_##s, top.port##_bready_##m,                                                \
             [&] { return B{top.port##_bid_##s, top.port##_bresp_##s}; });                                \
  checker.End()
#define GMMU_SAMPLE_AXI_LITE(checker, port)                                                          \
  checker.Begin(cycle, top.rst_i);                                                                   \
  checker.Ar(top.port##_arvalid_i, top.port##_arready_o, [&] { return Lite(top.port##_araddr_i); }); \
  checker.Rd(top.port##_rvalid_o, top.port##_rready_i,                                               \
             [&] { return R{0, &top.port##_rdata_o, top.port##_rresp_o, true}; });                   \
  checker.Aw(top.port##_awvalid_i, top.port##_awready_o, [&] { return Lite(top.port##_awaddr_i); }); \
  checker.Wd(top.port##_wvalid_i, top.port##_wready_o,                                               \
             [&] { return W{&top.port##_wdata_i, top.port##_wstrb_i, true}; });                      \
  checker.Bd(top.port##_bvalid_o, top.port##_bready_i, [&] { return B{0, top.port##_bresp_o}; });    \
  checker.End()

    GMMU_SAMPLE_AXI4(vram_, m_vram, o, i, 0, 0, top.m_vram_wlast_o != 0);
    GMMU_SAMPLE_AXI4(host_, m_host, o, i, top.m_host_aruser_o, top.m_host_awuser_o, top.m_host_wlast_o != 0);
    GMMU_SAMPLE_AXI_LITE(registers_, s_reg);
    GMMU_SAMPLE_AXI_LITE(window_, s_win);
    if (has_through_) {  // this port has no WLAST
      GMMU_SAMPLE_AXI4(through_, s_thr, i, o, top.s_thr_aruser_i, top.s_thr_awuser_i, false);
    }
    GMMU_SAMPLE_AXI4(peer_, s_peer, i, o, 0, 0, top.s_peer_wlast_i != 0);
#undef GMMU_SAMPLE_AXI4
#undef GMMU_SAMPLE_AXI_LITE
  }

  std::vector<hw::Finding> Findings() const {
    std::vector<hw::Finding> all;
    for (const AxiChecker* port : {&vram_, &host_, &registers_, &window_, &through_, &peer_})
      all.insert(all.end(), port->findings().begin(), port->findings().end());
    return all;
  }

 private:
  static AxiPort Manager(const char* name, unsigned beat_bytes, uint64_t wait_limit) {
    AxiPort port;
    port.name = name;
    port.beat_bytes = beat_bytes;
    port.wait_limit = wait_limit;
    return port;
  }
  static AxiPort Subordinate(const char* name, uint64_t wait_limit) {
    AxiPort port = AxiLitePort(name);
    port.wait_limit = wait_limit;
    return port;
  }
  static AxiChecker::Ax Lite(uint64_t address) {  // strobes select bytes of the aligned word
    return {0, address & ~uint64_t{7}, 0, 3, 1, 0};
  }

  static AxiPort Peer(const char* name, unsigned beat_bytes, uint64_t wait_limit) {
    AxiPort port = Manager(name, beat_bytes, wait_limit);
    port.id_bits = 8;
    return port;
  }

  AxiChecker vram_, host_, registers_, window_, through_, peer_;
  const bool has_through_;
};

}  // namespace gmmu::sim
