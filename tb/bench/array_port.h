// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "Vgmmu_gpu_axi.h"
#include "gpu/beats.h"
#include "gpu/fifo.h"
#include "memory/vram.h"

namespace gmmu::bench {

/// Defines a struct that names the pins of one AXI4 port of the GPU by role.
#define GMMU_BENCH_PINS(Name, port)                                             \
  struct Name {                                                                 \
    static auto& ArReady(Vgmmu_gpu_axi& t) { return t.port##_arready; }         \
    static auto& AwReady(Vgmmu_gpu_axi& t) { return t.port##_awready; }         \
    static auto& WReady(Vgmmu_gpu_axi& t) { return t.port##_wready; }           \
    static auto& RValid(Vgmmu_gpu_axi& t) { return t.port##_rvalid; }           \
    static auto& RId(Vgmmu_gpu_axi& t) { return t.port##_rid; }                 \
    static auto& RData(Vgmmu_gpu_axi& t) { return t.port##_rdata; }             \
    static auto& RResp(Vgmmu_gpu_axi& t) { return t.port##_rresp; }             \
    static auto& RLast(Vgmmu_gpu_axi& t) { return t.port##_rlast; }             \
    static auto& BValid(Vgmmu_gpu_axi& t) { return t.port##_bvalid; }           \
    static auto& BId(Vgmmu_gpu_axi& t) { return t.port##_bid; }                 \
    static auto& BResp(Vgmmu_gpu_axi& t) { return t.port##_bresp; }             \
    static bool ArValid(const Vgmmu_gpu_axi& t) { return t.port##_arvalid; }    \
    static auto ArId(const Vgmmu_gpu_axi& t) { return t.port##_arid; }          \
    static uint64_t ArAddr(const Vgmmu_gpu_axi& t) { return t.port##_araddr; }  \
    static unsigned ArLen(const Vgmmu_gpu_axi& t) { return t.port##_arlen; }    \
    static bool AwValid(const Vgmmu_gpu_axi& t) { return t.port##_awvalid; }    \
    static auto AwId(const Vgmmu_gpu_axi& t) { return t.port##_awid; }          \
    static uint64_t AwAddr(const Vgmmu_gpu_axi& t) { return t.port##_awaddr; }  \
    static unsigned AwLen(const Vgmmu_gpu_axi& t) { return t.port##_awlen; }    \
    static bool WValid(const Vgmmu_gpu_axi& t) { return t.port##_wvalid; }      \
    static const auto& WData(const Vgmmu_gpu_axi& t) { return t.port##_wdata; } \
    static uint64_t WStrb(const Vgmmu_gpu_axi& t) { return t.port##_wstrb; }    \
    static bool RReady(const Vgmmu_gpu_axi& t) { return t.port##_rready; }      \
    static bool BReady(const Vgmmu_gpu_axi& t) { return t.port##_bready; }      \
  }
GMMU_BENCH_PINS(VramPins, m_vram);
GMMU_BENCH_PINS(HostPins, m_host);
#undef GMMU_BENCH_PINS

/// Latencies in cycles, and the number of bursts in flight in each direction.
struct ArrayTiming {
  unsigned latency = 100;        ///< from the edge that accepts AR to the edge that accepts the first R
  unsigned write_latency = 100;  ///< from the edge that accepts the last W beat to B
  size_t reads = ~size_t{0}, writes = ~size_t{0};
};

/// An AXI4 subordinate for a plain C++ loop: a queue of bursts and an array.
///
/// It transfers one beat per cycle in each direction and serves bursts in AR and AW order. It is cycle-for-cycle
/// identical to sim::VramPort with one beat per cycle, and to sim::HostPort in front of a memory that responds after
/// `latency`. Writes take effect at their W handshake. Call Drive before the clock edge, and Sample when the inputs
/// have settled.
template <typename Pins>
class ArrayPort {
 public:
  ArrayPort(sim::VramCore& core, const ArrayTiming& timing) : core_(core), timing_(timing) {}

  void Drive(Vgmmu_gpu_axi& top, uint64_t cycle) {
    Pins::ArReady(top) = reads_.size() < timing_.reads;
    Pins::AwReady(top) = writes_.size() + answers_.size() < timing_.writes;
    Pins::WReady(top) = !writes_.empty();
    const bool read = !reads_.empty() && reads_.front().due <= cycle;
    Pins::RValid(top) = read;
    if (read) {
      const Read& head = reads_.front();
      Pins::RId(top) = head.id;
      Pins::RLast(top) = head.beats == 1;
      const bool ok = core_.Read(head.address, sim::LanesOf(Pins::RData(top)), sim::kBeatBytes);
      Pins::RResp(top) = ok ? 0 : 2;
    }
    const bool answer = !answers_.empty() && answers_.front().due <= cycle;
    Pins::BValid(top) = answer;
    if (answer) {
      Pins::BId(top) = answers_.front().id;
      Pins::BResp(top) = answers_.front().error ? 2 : 0;
    }
  }

  void Sample(Vgmmu_gpu_axi& top, uint64_t cycle) {
    if (Pins::ArValid(top) && Pins::ArReady(top)) TakeRead(top, cycle);
    if (Pins::RValid(top) && Pins::RReady(top)) EndBeat();
    if (Pins::WValid(top) && Pins::WReady(top)) TakeBeat(top, cycle);
    if (Pins::AwValid(top) && Pins::AwReady(top)) TakeWrite(top);
    if (Pins::BValid(top) && Pins::BReady(top)) {
      answers_.pop();
      last_b_ = cycle;
    }
  }

  uint64_t bursts() const { return bursts_; }
  uint64_t first_ar() const { return first_ar_; }
  uint64_t last_b() const { return last_b_; }

 private:
  struct Read {
    uint64_t address;  ///< aligned address of the next beat
    uint64_t due;
    unsigned id, beats;
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
  static uint64_t Aligned(uint64_t address) { return address & ~uint64_t{sim::kBeatBytes - 1}; }

  void TakeRead(const Vgmmu_gpu_axi& top, uint64_t cycle) {
    reads_.push({Aligned(Pins::ArAddr(top)), cycle + timing_.latency, Pins::ArId(top), Pins::ArLen(top) + 1});
    if (bursts_++ == 0) first_ar_ = cycle;
  }
  void EndBeat() {
    Read& head = reads_.front();
    head.address += sim::kBeatBytes;
    if (--head.beats == 0) reads_.pop();
  }
  void TakeWrite(const Vgmmu_gpu_axi& top) {
    writes_.push({Aligned(Pins::AwAddr(top)), Pins::AwId(top), Pins::AwLen(top) + 1, false});
    ++bursts_;
  }
  void TakeBeat(const Vgmmu_gpu_axi& top, uint64_t cycle) {
    Write& head = writes_.front();
    if (!core_.WriteStrobed(head.address, sim::LanesOf(Pins::WData(top)), sim::kBeatBytes, Pins::WStrb(top)))
      head.error = true;
    head.address += sim::kBeatBytes;
    if (--head.beats != 0) return;
    answers_.push({cycle + timing_.write_latency, head.id, head.error});
    writes_.pop();
  }

  sim::VramCore& core_;
  const ArrayTiming timing_;
  sim::Fifo<Read> reads_{256};
  sim::Fifo<Write> writes_{256};
  sim::Fifo<Answer> answers_{256};
  uint64_t bursts_ = 0, first_ar_ = 0, last_b_ = 0;
};

}  // namespace gmmu::bench
