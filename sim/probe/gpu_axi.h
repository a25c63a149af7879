// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "probe/axi_checker.h"

namespace gmmu::sim {

/// The model was built with the port of linked GPUs, s_peer (parameter LinkPort).
template <typename Top, typename = void>
inline constexpr bool kHasPeerPort = false;
template <typename Top>
inline constexpr bool
    kHasPeerPort<Top, std::void_t<decltype(std::declval<Top&>().s_peer_arvalid_i)>> = true;

/// A checker on each AXI port of gmmu_gpu: m_vram, m_host, s_reg, s_win, s_thr, s_peer.
///
/// `Top` is any Verilated model with the pins of gmmu_gpu. Sample stands between the settled inputs
/// and the clock edge of every cycle, those of the reset too.
class GpuAxi {
 public:
  /// A host port's answers come from the other side of a link and its translation.
  explicit GpuAxi(unsigned beat_bytes, uint64_t wait_limit = 1'000'000)
      : vram_(Manager("m_vram", beat_bytes, wait_limit)),
        host_(Manager("m_host", beat_bytes, wait_limit)),
        registers_(Subordinate("s_reg", wait_limit)),
        window_(Subordinate("s_win", wait_limit)),
        through_(Through("s_thr", beat_bytes, wait_limit)),
        peer_(Peer("s_peer", beat_bytes, wait_limit)) {}

  /// The through-port's contract (gmmu_through): any size, no WLAST, answers of an id in order, W
  /// before AW as far as its queues go.
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
    vram_.Begin(cycle, top.rst_i);
    vram_.Ar(top.m_vram_arvalid_o, top.m_vram_arready_i, [&] {
      return Ax{top.m_vram_arid_o, top.m_vram_araddr_o, top.m_vram_arlen_o,
                top.m_vram_arsize_o, top.m_vram_arburst_o, 0};
    });
    vram_.Rd(top.m_vram_rvalid_i, top.m_vram_rready_o, [&] {
      return R{top.m_vram_rid_i, &top.m_vram_rdata_i, top.m_vram_rresp_i, top.m_vram_rlast_i != 0};
    });
    vram_.Aw(top.m_vram_awvalid_o, top.m_vram_awready_i, [&] {
      return Ax{top.m_vram_awid_o, top.m_vram_awaddr_o, top.m_vram_awlen_o,
                top.m_vram_awsize_o, top.m_vram_awburst_o, 0};
    });
    vram_.Wd(top.m_vram_wvalid_o, top.m_vram_wready_i,
             [&] { return W{&top.m_vram_wdata_o, top.m_vram_wstrb_o, top.m_vram_wlast_o != 0}; });
    vram_.Bd(top.m_vram_bvalid_i, top.m_vram_bready_o,
             [&] { return B{top.m_vram_bid_i, top.m_vram_bresp_i}; });
    vram_.End();

    host_.Begin(cycle, top.rst_i);
    host_.Ar(top.m_host_arvalid_o, top.m_host_arready_i, [&] {
      return Ax{top.m_host_arid_o, top.m_host_araddr_o, top.m_host_arlen_o,
                top.m_host_arsize_o, top.m_host_arburst_o, top.m_host_aruser_o};
    });
    host_.Rd(top.m_host_rvalid_i, top.m_host_rready_o, [&] {
      return R{top.m_host_rid_i, &top.m_host_rdata_i, top.m_host_rresp_i, top.m_host_rlast_i != 0};
    });
    host_.Aw(top.m_host_awvalid_o, top.m_host_awready_i, [&] {
      return Ax{top.m_host_awid_o, top.m_host_awaddr_o, top.m_host_awlen_o,
                top.m_host_awsize_o, top.m_host_awburst_o, top.m_host_awuser_o};
    });
    host_.Wd(top.m_host_wvalid_o, top.m_host_wready_i,
             [&] { return W{&top.m_host_wdata_o, top.m_host_wstrb_o, top.m_host_wlast_o != 0}; });
    host_.Bd(top.m_host_bvalid_i, top.m_host_bready_o,
             [&] { return B{top.m_host_bid_i, top.m_host_bresp_i}; });
    host_.End();

    registers_.Begin(cycle, top.rst_i);
    registers_.Ar(top.s_reg_arvalid_i, top.s_reg_arready_o,
                  [&] { return Lite(top.s_reg_araddr_i); });
    registers_.Rd(top.s_reg_rvalid_o, top.s_reg_rready_i,
                  [&] { return R{0, &top.s_reg_rdata_o, top.s_reg_rresp_o, true}; });
    registers_.Aw(top.s_reg_awvalid_i, top.s_reg_awready_o,
                  [&] { return Lite(top.s_reg_awaddr_i); });
    registers_.Wd(top.s_reg_wvalid_i, top.s_reg_wready_o,
                  [&] { return W{&top.s_reg_wdata_i, top.s_reg_wstrb_i, true}; });
    registers_.Bd(top.s_reg_bvalid_o, top.s_reg_bready_i, [&] { return B{0, top.s_reg_bresp_o}; });
    registers_.End();

    window_.Begin(cycle, top.rst_i);
    window_.Ar(top.s_win_arvalid_i, top.s_win_arready_o, [&] { return Lite(top.s_win_araddr_i); });
    window_.Rd(top.s_win_rvalid_o, top.s_win_rready_i,
               [&] { return R{0, &top.s_win_rdata_o, top.s_win_rresp_o, true}; });
    window_.Aw(top.s_win_awvalid_i, top.s_win_awready_o, [&] { return Lite(top.s_win_awaddr_i); });
    window_.Wd(top.s_win_wvalid_i, top.s_win_wready_o,
               [&] { return W{&top.s_win_wdata_i, top.s_win_wstrb_i, true}; });
    window_.Bd(top.s_win_bvalid_o, top.s_win_bready_i, [&] { return B{0, top.s_win_bresp_o}; });
    window_.End();

    through_.Begin(cycle, top.rst_i);
    through_.Ar(top.s_thr_arvalid_i, top.s_thr_arready_o, [&] {
      return Ax{top.s_thr_arid_i,   top.s_thr_araddr_i,  top.s_thr_arlen_i,
                top.s_thr_arsize_i, top.s_thr_arburst_i, top.s_thr_aruser_i};
    });
    through_.Rd(top.s_thr_rvalid_o, top.s_thr_rready_i, [&] {
      return R{top.s_thr_rid_o, &top.s_thr_rdata_o, top.s_thr_rresp_o, top.s_thr_rlast_o != 0};
    });
    through_.Aw(top.s_thr_awvalid_i, top.s_thr_awready_o, [&] {
      return Ax{top.s_thr_awid_i,   top.s_thr_awaddr_i,  top.s_thr_awlen_i,
                top.s_thr_awsize_i, top.s_thr_awburst_i, top.s_thr_awuser_i};
    });
    through_.Wd(top.s_thr_wvalid_i, top.s_thr_wready_o,
                [&] { return W{&top.s_thr_wdata_i, top.s_thr_wstrb_i, false}; });
    through_.Bd(top.s_thr_bvalid_o, top.s_thr_bready_i,
                [&] { return B{top.s_thr_bid_o, top.s_thr_bresp_o}; });
    through_.End();

    if constexpr (kHasPeerPort<Top>) SamplePeer(top, cycle);
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
  static AxiChecker::Ax Lite(uint64_t address) {  // strobes are of the aligned word
    return {0, address & ~uint64_t{7}, 0, 3, 1, 0};
  }

  static AxiPort Peer(const char* name, unsigned beat_bytes, uint64_t wait_limit) {
    AxiPort port = Manager(name, beat_bytes, wait_limit);
    port.id_bits = 8;
    return port;
  }

  template <typename Top>
  void SamplePeer(const Top& top, uint64_t cycle) {
    using Ax = AxiChecker::Ax;
    using W = AxiChecker::W;
    using R = AxiChecker::R;
    using B = AxiChecker::B;
    peer_.Begin(cycle, top.rst_i);
    peer_.Ar(top.s_peer_arvalid_i, top.s_peer_arready_o, [&] {
      return Ax{top.s_peer_arid_i,   top.s_peer_araddr_i,  top.s_peer_arlen_i,
                top.s_peer_arsize_i, top.s_peer_arburst_i, 0};
    });
    peer_.Rd(top.s_peer_rvalid_o, top.s_peer_rready_i, [&] {
      return R{top.s_peer_rid_o, &top.s_peer_rdata_o, top.s_peer_rresp_o, top.s_peer_rlast_o != 0};
    });
    peer_.Aw(top.s_peer_awvalid_i, top.s_peer_awready_o, [&] {
      return Ax{top.s_peer_awid_i,   top.s_peer_awaddr_i,  top.s_peer_awlen_i,
                top.s_peer_awsize_i, top.s_peer_awburst_i, 0};
    });
    peer_.Wd(top.s_peer_wvalid_i, top.s_peer_wready_o, [&] {
      return W{&top.s_peer_wdata_i, top.s_peer_wstrb_i, top.s_peer_wlast_i != 0};
    });
    peer_.Bd(top.s_peer_bvalid_o, top.s_peer_bready_i,
             [&] { return B{top.s_peer_bid_o, top.s_peer_bresp_o}; });
    peer_.End();
  }

  AxiChecker vram_, host_, registers_, window_, through_, peer_;
};

}  // namespace gmmu::sim
