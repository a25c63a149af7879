// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "probe/axi_checker.h"

namespace gmmu::sim {

/// Attaches a checker to each AXI port of gmmu_gpu_axi: m_vram, m_host, s_reg, s_win, s_thr, s_peer.
///
/// `Top` is any Verilated model with the pins of gmmu_gpu_axi. Call Sample in every cycle, reset included, after the
/// inputs have settled and before the clock edge.
class GpuAxi {
 public:
  /// `wait_limit` is large because responses at the host port come through the PCIe link and the
  /// IOMMU. If `through` is true, s_thr is checked.
  explicit GpuAxi(unsigned beat_bytes, uint64_t wait_limit = 1'000'000, bool through = true)
      : vram_(Vram("m_vram", beat_bytes, wait_limit)),
        host_(Manager("m_host", beat_bytes, wait_limit)),
        registers_(Subordinate("s_reg", wait_limit)),
        window_(Subordinate("s_win", wait_limit)),
        through_(Through("s_thr", beat_bytes, wait_limit)),
        peer_(Peer("s_peer", beat_bytes, wait_limit)),
        has_through_(through) {}

  /// From now on, tolerates responses that host memory deliberately delays by up to `cycles`
  /// cycles.
  void AllowHostWait(uint64_t cycles) { host_.AllowWait(cycles); }

  /// Returns the rules for m_vram. They exempt the ids of window writes (requester 5), because all
  /// window writes of a generation share one id.
  static AxiPort Vram(const char* name, unsigned beat_bytes, uint64_t wait_limit) {
    AxiPort port = Manager(name, beat_bytes, wait_limit);
    port.ordered_write_ids = {0x0500, 0x8500};
    return port;
  }

  /// Returns the rules for the through-port (gmmu_through): any access size, no WLAST, responses in
  /// order per id. W may precede AW by as many beats as the port's queues hold.
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
// Samples one cycle of a port.
#define GMMU_SAMPLE_AXI4(checker, port, ar_user, aw_user, w_last)                                                    \
  checker.Begin(cycle, top.areset);                                                                                  \
  checker.Ar(top.port##_arvalid, top.port##_arready, [&] {                                                           \
    return Ax{top.port##_arid, top.port##_araddr, top.port##_arlen, top.port##_arsize, top.port##_arburst, ar_user}; \
  });                                                                                                                \
  checker.Rd(top.port##_rvalid, top.port##_rready,                                                                   \
             [&] { return R{top.port##_rid, &top.port##_rdata, top.port##_rresp, top.port##_rlast != 0}; });         \
  checker.Aw(top.port##_awvalid, top.port##_awready, [&] {                                                           \
    return Ax{top.port##_awid, top.port##_awaddr, top.port##_awlen, top.port##_awsize, top.port##_awburst, aw_user}; \
  });                                                                                                                \
  checker.Wd(top.port##_wvalid, top.port##_wready, [&] { return W{&top.port##_wdata, top.port##_wstrb, w_last}; });  \
  checker.Bd(top.port##_bvalid, top.port##_bready, [&] { return B{top.port##_bid, top.port##_bresp}; });             \
  checker.End()
#define GMMU_SAMPLE_AXI_LITE(checker, port)                                                                          \
  checker.Begin(cycle, top.areset);                                                                                  \
  checker.Ar(top.port##_arvalid, top.port##_arready, [&] { return Lite(top.port##_araddr); });                       \
  checker.Rd(top.port##_rvalid, top.port##_rready, [&] { return R{0, &top.port##_rdata, top.port##_rresp, true}; }); \
  checker.Aw(top.port##_awvalid, top.port##_awready, [&] { return Lite(top.port##_awaddr); });                       \
  checker.Wd(top.port##_wvalid, top.port##_wready, [&] { return W{&top.port##_wdata, top.port##_wstrb, true}; });    \
  checker.Bd(top.port##_bvalid, top.port##_bready, [&] { return B{0, top.port##_bresp}; });                          \
  checker.End()

    GMMU_SAMPLE_AXI4(vram_, m_vram, 0, 0, top.m_vram_wlast != 0);
    GMMU_SAMPLE_AXI4(host_, m_host, top.m_host_aruser, top.m_host_awuser, top.m_host_wlast != 0);
    GMMU_SAMPLE_AXI_LITE(registers_, s_reg);
    GMMU_SAMPLE_AXI_LITE(window_, s_win);
    if (has_through_) {  // the through-port has no WLAST
      GMMU_SAMPLE_AXI4(through_, s_thr, top.s_thr_aruser, top.s_thr_awuser, false);
    }
    GMMU_SAMPLE_AXI4(peer_, s_peer, 0, 0, top.s_peer_wlast != 0);
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
  static AxiChecker::Ax Lite(uint64_t address) {  // strobes select the bytes of the aligned word
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
