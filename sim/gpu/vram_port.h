// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "Vgmmu_gpu_axi.h"
#include "gpu/beats.h"
#include "gpu/fifo.h"
#include "hw/platform.h"
#include "memory/vram.h"

namespace gmmu::sim {

/// The AXI4 subordinate on m_vram. VramCore holds the bytes, and VramTiming computes the cycles.
///
/// Several bursts are served at once; the R beats of a burst are contiguous. Read data is returned
/// in AR order or, if `reorder` is set, in an order that the seed determines among the bursts that
/// are due. A write takes effect at its W handshake. An access past the end of VRAM gets SLVERR.
/// Call Drive before the clock edge, and Sample when the inputs are stable.
class VramPort {
 public:
  VramPort(VramCore& core, const VramParameters& parameters, bool reorder, uint64_t seed)
      : core_(core),
        timing_(parameters),
        outstanding_(parameters.outstanding),
        reorder_(reorder),
        random_(seed * 2 + 0x9E3779B97F4A7C15u),
        reads_(outstanding_),
        writes_(outstanding_),
        answers_(outstanding_) {}

  /// Inverts one bit of byte number `bytes`, counted from 1, of those written through the port. 0
  /// disables the fault.
  void FlipAfter(uint64_t bytes) { flip_after_ = bytes; }

  void Drive(Vgmmu_gpu_axi& top, uint64_t cycle) {
    top.m_vram_arready = reads_.size() < outstanding_;
    top.m_vram_awready = writes_.size() + answers_.size() < outstanding_;
    top.m_vram_wready = !writes_.empty();
    if (!reads_.empty()) DriveRead(top, cycle);
    else top.m_vram_rvalid = 0;
    if (!answers_.empty() && answers_.front().due <= cycle) {
      top.m_vram_bvalid = 1;
      top.m_vram_bid = answers_.front().id;
      top.m_vram_bresp = answers_.front().error ? 2 : 0;
    } else {
      top.m_vram_bvalid = 0;
    }
  }

  void Sample(const Vgmmu_gpu_axi& top, uint64_t cycle) {
    if (top.m_vram_arvalid) TakeRead(top, cycle);
    if (top.m_vram_rvalid && top.m_vram_rready) EndBeat();
    if (top.m_vram_wvalid && !writes_.empty()) TakeBeat(top, cycle);
    if (top.m_vram_awvalid) TakeWrite(top);
    if (top.m_vram_bvalid && top.m_vram_bready) answers_.pop();
  }

  bool idle() const { return reads_.empty() && writes_.empty() && answers_.empty(); }

  std::vector<hw::Counter> Counters() const;

 private:
  struct Read {
    uint64_t address;      // aligned address of the next beat
    uint64_t first, last;  // cycles of the first and last beat without back-pressure
    unsigned id, beats, done;
  };
  struct Write {
    uint64_t address;
    unsigned id, beats;
    bool error;
  };
  struct Answer {
    uint64_t due;
    unsigned id;
    bool error;
  };

  void DriveRead(Vgmmu_gpu_axi& top, uint64_t cycle);
  void TakeRead(const Vgmmu_gpu_axi& top, uint64_t cycle);
  void EndBeat();
  void TakeWrite(const Vgmmu_gpu_axi& top);
  void TakeBeat(const Vgmmu_gpu_axi& top, uint64_t cycle);

  VramCore& core_;
  VramTiming timing_;
  const size_t outstanding_;
  const bool reorder_;
  uint64_t random_;
  Fifo<Read> reads_;
  Fifo<Write> writes_;
  Fifo<Answer> answers_;
  uint64_t flip_after_ = 0;
  uint64_t bytes_read_ = 0, bytes_written_ = 0, read_bursts_ = 0, write_bursts_ = 0, errors_ = 0, flips_ = 0;
};

}  // namespace gmmu::sim
