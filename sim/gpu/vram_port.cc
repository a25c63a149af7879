// SPDX-License-Identifier: Apache-2.0
#include "gpu/vram_port.h"

#include <utility>

namespace gmmu::sim {

void VramPort::TakeRead(const Vgmmu_gpu_axi& top, uint64_t cycle) {
  if (!top.m_vram_arready) return;
  const unsigned beats = top.m_vram_arlen + 1u;
  const VramTiming::Beats when = timing_.Read(cycle, beats);
  reads_.push({top.m_vram_araddr & ~uint64_t{kBeatBytes - 1}, when.first, when.last, top.m_vram_arid, beats, 0});
  ++read_bursts_;
}

void VramPort::DriveRead(Vgmmu_gpu_axi& top, uint64_t cycle) {
  Read& head = reads_.front();
  if (reorder_ && head.done == 0 && !top.m_vram_rvalid) {  // between bursts, choose any due burst
    size_t due = 0;
    while (due < reads_.size() && reads_[due].first <= cycle) ++due;
    if (due > 1) {
      random_ = random_ * 6364136223846793005u + 1442695040888963407u;
      const size_t pick = (random_ >> 33) % due;
      if (pick != 0) std::swap(reads_[0], reads_[pick]);
    }
  }
  const uint64_t due = head.beats == 1 ? head.first
                                       : head.first + (head.last - head.first) * head.done / (head.beats - 1);
  if (due > cycle) {
    top.m_vram_rvalid = 0;
    return;
  }
  top.m_vram_rvalid = 1;
  top.m_vram_rid = head.id;
  top.m_vram_rlast = head.done + 1 == head.beats;
  const bool ok = core_.Read(head.address, LanesOf(top.m_vram_rdata), kBeatBytes);
  if (!ok) std::memset(LanesOf(top.m_vram_rdata), 0, kBeatBytes);
  top.m_vram_rresp = ok ? 0 : 2;
}

void VramPort::EndBeat() {
  Read& head = reads_.front();
  if (!core_.Inside(head.address, kBeatBytes)) ++errors_;
  bytes_read_ += kBeatBytes;
  head.address += kBeatBytes;
  if (++head.done == head.beats) reads_.pop();
}

void VramPort::TakeWrite(const Vgmmu_gpu_axi& top) {
  if (!top.m_vram_awready) return;
  writes_.push({top.m_vram_awaddr & ~uint64_t{kBeatBytes - 1}, top.m_vram_awid, top.m_vram_awlen + 1u, false});
  ++write_bursts_;
}

void VramPort::TakeBeat(const Vgmmu_gpu_axi& top, uint64_t cycle) {
  if (!top.m_vram_wready) return;
  Write& head = writes_.front();
  const uint64_t strobe = top.m_vram_wstrb;
  if (!core_.WriteStrobed(head.address, LanesOf(top.m_vram_wdata), kBeatBytes, strobe)) head.error = true;
  const uint64_t before = bytes_written_;
  bytes_written_ += static_cast<unsigned>(__builtin_popcountll(strobe));
  if (flip_after_ != 0 && before < flip_after_ && bytes_written_ >= flip_after_ && strobe != 0) {
    if (core_.FlipBit(head.address + static_cast<unsigned>(__builtin_ctzll(strobe)), 0)) ++flips_;
  }
  head.address += kBeatBytes;
  if (--head.beats != 0) return;
  const uint64_t due = timing_.Write(cycle, 1).last + timing_.parameters().latency_cycles;
  if (head.error) ++errors_;
  answers_.push({due, head.id, head.error});
  writes_.pop();
}

std::vector<hw::Counter> VramPort::Counters() const {
  return {
      {"vram", "read_bursts", read_bursts_, "bursts", "Read bursts accepted."},
      {"vram", "write_bursts", write_bursts_, "bursts", "Write bursts accepted."},
      {"vram", "bytes_read", bytes_read_, "bytes", "Bytes of the read beats."},
      {"vram", "bytes_written", bytes_written_, "bytes", "Bytes written, by strobe."},
      {"vram", "errors", errors_, "answers", "Beats read, and bursts written, past the end."},
      {"vram", "bits_flipped", flips_, "bits", "Bits damaged on purpose."},
  };
}

}  // namespace gmmu::sim
