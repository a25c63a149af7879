// SPDX-License-Identifier: Apache-2.0
#include "gpu/axi_monitor.h"

#include <fmt/format.h>

namespace gmmu::sim {

AxiMonitor::AxiMonitor(std::string port, unsigned beat_bytes, unsigned id_bits)
    : port_(std::move(port)),
      beat_bytes_(beat_bytes),
      reads_(size_t{1} << id_bits),
      writes_(size_t{1} << id_bits) {}

void AxiMonitor::Fail(uint64_t cycle, const std::string& text) {
  if (findings_.size() < kMost)
    findings_.push_back({"axi", fmt::format("{}, cycle {}: {}", port_, cycle, text)});
}

void AxiMonitor::Address(bool write, uint64_t cycle, unsigned id, uint64_t address, unsigned len,
                         unsigned size, unsigned burst) {
  const char* channel = write ? "AW" : "AR";
  if ((1u << size) != beat_bytes_)
    Fail(cycle, fmt::format("{} size {} is not the bus width", channel, size));
  if (burst != 1) Fail(cycle, fmt::format("{} burst type {} is not INCR", channel, burst));
  const uint64_t start = address & ~uint64_t{beat_bytes_ - 1};
  const uint64_t last = start + uint64_t{len + 1} * beat_bytes_ - 1;
  if ((start ^ last) >> 12 != 0) {
    Fail(cycle, fmt::format("{} burst {:#x} of {} beats crosses 4 KiB", channel, address, len + 1));
  }
  std::vector<bool>& open = write ? writes_ : reads_;
  const size_t slot = id & (open.size() - 1);
  if (open[slot]) Fail(cycle, fmt::format("{} id {:#x} is outstanding already", channel, id));
  open[slot] = true;
  if (write) open_.push({len + 1, address, true});
}

void AxiMonitor::WriteBeat(uint64_t cycle, uint64_t strobe, bool last) {
  if (open_.empty()) {
    Fail(cycle, "W beat without an AW");
    return;
  }
  Open& burst = open_.front();
  if (burst.first) {
    const unsigned lanes = static_cast<unsigned>(burst.address & (beat_bytes_ - 1));
    if ((strobe & ((uint64_t{1} << lanes) - 1)) != 0) {
      Fail(cycle, fmt::format("W strobe {:#x} below the first byte {:#x}", strobe, burst.address));
    }
    burst.first = false;
  }
  --burst.beats_left;
  if (last != (burst.beats_left == 0)) {
    Fail(cycle, fmt::format("W last is {} with {} beats to come", last ? 1 : 0, burst.beats_left));
  }
  if (last || burst.beats_left == 0) open_.pop();
}

}  // namespace gmmu::sim
