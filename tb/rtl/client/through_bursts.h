// SPDX-License-Identifier: Apache-2.0
// Bursts that a plain AXI4 manager offers to the through-port, and the lines that they touch.
#pragma once

#include "tb/rtl/client/blocks.h"

namespace gmmu::client {

struct ThroughBurst {
  unsigned id = 0, space = 0;
  uint64_t va = 0;
  unsigned len = 0, size = 0, burst = 1;
  bool execute = false;

  bool legal() const { return burst == 1 && (1u << size) <= kBeat; }
  /// Beat `i` may carry the bytes in [begin(i), end(i)).
  uint64_t begin(unsigned i) const { return i == 0 ? va : (va & ~((uint64_t{1} << size) - 1)) + (uint64_t{i} << size); }
  uint64_t end(unsigned i) const { return (va & ~((uint64_t{1} << size) - 1)) + (uint64_t{i + 1} << size); }
  /// Returns one access per line that the burst touches, or none if the burst is illegal. The
  /// caller assigns the ids.
  std::vector<Request> lines(regs::Access access) const {
    std::vector<Request> result;
    for (uint64_t at = va; legal() && at < end(len); at = (at / kLine + 1) * kLine) {
      Request request;
      request.va = at, request.space = space, request.access = access;
      request.bytes = static_cast<unsigned>(std::min((at / kLine + 1) * kLine, end(len)) - at);
      result.push_back(request);
    }
    return result;
  }
  /// Returns the burst as a value for an AR or AW port; `Ax` is the bench's through_ax_t.
  template <typename Ax>
  auto Port() const {
    Ax ax{};
    ax.id = static_cast<uint8_t>(id), ax.va = va, ax.space = static_cast<uint8_t>(space);
    ax.len = static_cast<uint8_t>(len), ax.size = static_cast<uint8_t>(size);
    ax.burst = static_cast<uint8_t>(burst), ax.execute = execute;
    return Pack(ax);
  }
  void Put(Vgmmu_client_blocks_bench& t) const { t.ax_i = Port<GMMU_STRUCT(gmmu_client_blocks_bench, through_ax_t)>(); }
  /// Returns bursts that must get SLVERR: one of each type other than INCR, and one with beats
  /// wider than the bus.
  static std::vector<ThroughBurst> Illegal() {
    std::vector<ThroughBurst> bursts(4);
    for (unsigned i = 0; i < 3; ++i) {
      const unsigned kind = i == 0 ? 0 : i + 1;
      bursts[i].va = 0x1000, bursts[i].len = 7, bursts[i].size = 2, bursts[i].burst = kind, bursts[i].id = kind;
    }
    bursts[3].size = 7;
    return bursts;
  }
  /// Returns the longest burst of full-width beats from `va` on, which must be the start of a page.
  static ThroughBurst Longest(uint64_t va) {
    ThroughBurst burst;
    while (1u << burst.size < kBeat) ++burst.size;
    burst.len = std::min(256u, 4096 / kBeat) - 1;
    burst.va = va;
    return burst;
  }
  static ThroughBurst Draw(Blocks& blocks, unsigned illegal_percent) {
    ThroughBurst b;
    b.id = static_cast<unsigned>(blocks.Random(0, 255));
    b.space = static_cast<unsigned>(blocks.Random(0, 63));
    b.va = blocks.rng() & ~uint64_t{4095};
    const bool whole = blocks.Chance(40);
    do b.size = static_cast<unsigned>(blocks.Random(0, 6));
    while (whole ? 1u << b.size != kBeat : 1u << b.size > kBeat);
    const unsigned at = static_cast<unsigned>(blocks.Random(0, 4095));
    const unsigned fit = (4096 - (at & ~((1u << b.size) - 1))) >> b.size;
    b.va += at;
    b.len = static_cast<unsigned>(blocks.Random(0, std::min(fit, blocks.Chance(5) ? 256u : 20u) - 1));
    b.execute = blocks.Chance(20);
    if (!blocks.Chance(illegal_percent)) return b;
    b.burst = static_cast<unsigned>(blocks.Chance(50) ? 0 : blocks.Random(2, 3));
    if (kBeat < 64 && blocks.Chance(40)) b.burst = 1, b.size = blocks.Chance(50) ? 6 : 7;
    b.len &= 15;
    return b;
  }
};

}  // namespace gmmu::client
