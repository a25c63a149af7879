// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu_port.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace gmmu::sim {
namespace {

constexpr unsigned kBeat = 8;
constexpr unsigned kMostWindowAnswers = 64;

/// One beat of an access, starting at the access's byte `at`: strobe and data in the lanes of an
/// 8-byte word.
struct Beat {
  uint32_t offset = 0;  // address offset of the access's first byte
  unsigned bytes = 0;
  unsigned lane = 0;
  unsigned strobe() const { return ((bytes == 8 ? 0xFFu : (1u << bytes) - 1) << lane) & 0xFF; }
};

Beat BeatOf(const CpuPort::Access& access, unsigned at) {
  Beat beat;
  beat.offset = access.offset + at;
  beat.lane = beat.offset % kBeat;
  beat.bytes = std::min(kBeat - beat.lane, access.bytes - at);
  return beat;
}

uint64_t LaneData(const CpuPort::Access& access, unsigned at, const Beat& beat) {
  uint64_t word = 0;
  std::memcpy(reinterpret_cast<uint8_t*>(&word) + beat.lane, access.data + at, beat.bytes);
  return word;
}

}  // namespace

void CpuPort::DriveActive(Vgmmu_gpu_axi& top, uint64_t edge_ps) {
  if (taken_) {
    if (!address_open_) top.s_reg_awvalid = top.s_reg_arvalid = top.s_win_awvalid = top.s_win_arvalid = 0;
    if (!data_open_) top.s_reg_wvalid = top.s_win_wvalid = 0;
    taken_ = false;
  }
  while (!active_) {
    if (queue_.empty() || queue_.front().time_ps >= edge_ps) return;
    active_ = true;
    failed_ = false;
    sent_ = received_ = 0;
    if (queue_.front().access.target == Target::kConfig) {
      configure_(queue_.front().access);
      Finish(true);
    }
  }
  OfferBeat(top);
}

void CpuPort::OfferBeat(Vgmmu_gpu_axi& top) {
  const Access& access = queue_.front().access;
  if (address_open_ || data_open_ || sent_ == access.bytes) return;
  const bool window = access.target == Target::kWindow;
  if (window && access.write && window_answers_ >= kMostWindowAnswers) return;
  if ((!window || !access.write) && received_ != sent_) return;  // only window writes are pipelined
  const Beat beat = BeatOf(access, sent_);
  address_open_ = true;
  if (access.write) {
    data_open_ = true;
    const uint64_t word = LaneData(access, sent_, beat);
    if (window) {
      top.s_win_awvalid = top.s_win_wvalid = 1;
      top.s_win_awaddr = beat.offset;
      top.s_win_wdata = word;
      top.s_win_wstrb = beat.strobe();
    } else {
      top.s_reg_awvalid = top.s_reg_wvalid = 1;
      top.s_reg_awaddr = static_cast<uint16_t>(beat.offset);
      top.s_reg_wdata = word;
      top.s_reg_wstrb = beat.strobe();
      if (hook_) hook_(beat.offset & ~7u, word, beat.strobe());
    }
  } else if (window) {
    top.s_win_arvalid = 1;
    top.s_win_araddr = beat.offset;
  } else {
    top.s_reg_arvalid = 1;
    top.s_reg_araddr = static_cast<uint16_t>(beat.offset);
  }
}

void CpuPort::SampleActive(const Vgmmu_gpu_axi& top) {
  if (window_answers_ != 0 && top.s_win_bvalid && top.s_win_bready) --window_answers_;
  if (!active_) return;
  if (queue_.front().access.target == Target::kWindow) SampleWindow(top);
  else SampleRegister(top);
}

void CpuPort::SampleWindow(const Vgmmu_gpu_axi& top) {
  const Access& access = queue_.front().access;
  if (access.write) {
    if (address_open_ && top.s_win_awready) Take(address_open_);
    if (data_open_ && top.s_win_wready) Take(data_open_);
    if (address_open_ || data_open_ || sent_ == access.bytes) return;
    sent_ += BeatOf(access, sent_).bytes;
    ++window_answers_;
    if (sent_ == access.bytes) Finish(true);
    return;
  }
  if (address_open_ && top.s_win_arready) {
    Take(address_open_);
    sent_ += BeatOf(access, sent_).bytes;
  }
  if (top.s_win_rvalid && received_ < sent_) {
    const Beat beat = BeatOf(access, received_);
    if (top.s_win_rresp != 0) failed_ = true;
    std::memcpy(access.data + received_, reinterpret_cast<const uint8_t*>(&top.s_win_rdata) + beat.lane, beat.bytes);
    received_ += beat.bytes;
    if (received_ == access.bytes) Finish(!failed_);
  }
}

void CpuPort::SampleRegister(const Vgmmu_gpu_axi& top) {
  const Access& access = queue_.front().access;
  if (sent_ == received_) {
    if (address_open_ && (access.write ? top.s_reg_awready : top.s_reg_arready)) Take(address_open_);
    if (data_open_ && top.s_reg_wready) Take(data_open_);
    if (!address_open_ && !data_open_) sent_ += BeatOf(access, sent_).bytes;
  }
  if (access.write ? !top.s_reg_bvalid : !top.s_reg_rvalid) return;
  if (received_ >= sent_) return;
  const Beat beat = BeatOf(access, received_);
  if ((access.write ? top.s_reg_bresp : top.s_reg_rresp) != 0) failed_ = true;
  if (!access.write) {
    std::memcpy(access.data + received_, reinterpret_cast<const uint8_t*>(&top.s_reg_rdata) + beat.lane, beat.bytes);
  }
  received_ += beat.bytes;
  if (received_ == access.bytes) Finish(!failed_);
}

void CpuPort::Finish(bool ok) {
  const Access access = queue_.front().access;
  queue_.pop();
  active_ = false;
  if (!ok && !access.write) std::memset(access.data, 0xFF, access.bytes);
  done_(access, ok);
}

std::string CpuPort::Waiting() const {
  if (!active_) return window_answers_ != 0 ? fmt::format("{} answers of window writes", window_answers_) : "nothing";
  const Access& access = queue_.front().access;
  return fmt::format("{} {} of {} bytes at {:#x}: {}", access.target == Target::kWindow ? "window" : "register",
                     access.write ? "write" : "read", access.bytes, access.offset,
                     address_open_ ? "address not taken"
                     : data_open_  ? "data not taken"
                                   : "no answer");
}

}  // namespace gmmu::sim
