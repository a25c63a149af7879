// SPDX-License-Identifier: Apache-2.0
#include "hw/traffic.h"

namespace gmmu::hw {

TrafficSequence::TrafficSequence(const TrafficLines& lines)
    : lines_(lines), random_(static_cast<uint32_t>(lines.seed ^ lines.seed >> 32)) {
  if (random_ == 0) random_ = 1;
}

uint64_t TrafficSequence::Next() {
  const unsigned bits = lines_.footprint_lg2;
  uint64_t line = 0;
  if (lines_.pattern == regs::Pattern::kRandom) {
    random_ = Xorshift32(random_);
    line = random_;
  } else {
    line = lines_.first + uint64_t{lines_.stride} * k_;
    k_ = lines_.count == 0 ? 0 : (k_ + lines_.step) % lines_.count;
  }
  line &= 0xFFFF'FFFF;
  if (bits != 0 && lines_.pattern != regs::Pattern::kChase) line &= (uint64_t{1} << bits) - 1;
  return lines_.base + 64 * line;
}

}  // namespace gmmu::hw
