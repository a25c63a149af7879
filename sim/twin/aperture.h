// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <unordered_map>

#include "hw/gmmu_regs.h"
#include "twin/memory.h"

namespace gmmu::sim::twin {

/// The aperture map (rtl/aperture/README.md). It translates pages of the aperture segment to
/// logical pages of host memory through a table in VRAM. A line of eight entries stays cached until
/// the map is flushed. The hardware caches fewer lines, which affects only times and counters.
class ApertureMap {
 public:
  struct Found {
    regs::Fault fault = regs::Fault::kNone;
    uint64_t logical = 0;
    bool coherent = false;
  };

  ApertureMap(Memory& memory, TimeModel& time, Agenda& agenda, Counters& counters);

  uint64_t base() const { return base_.raw; }
  uint64_t pages() const { return pages_; }
  /// Set the registers. Both drop the cached lines.
  void set_base(uint64_t raw);
  void set_pages(uint64_t pages);
  void Flush();

  /// Translates the page at `offset` in the aperture for `lookups` accesses, starting at cost.at.
  /// Sets cost.at to the time of the response.
  Found Lookup(uint64_t offset, uint64_t lookups, Cost& cost);

 private:
  static constexpr unsigned kEntries = 8;
  static constexpr size_t kCached = 8;  ///< lines cached by the hardware, direct mapped
  using Line = std::array<uint64_t, kEntries>;
  struct Slot {
    uint64_t line = ~uint64_t{0};
    uint64_t ready_ps = 0;
  };

  Memory& memory_;
  TimeModel& time_;
  Agenda& agenda_;
  Counters& counters_;
  Calendar lookups_;
  std::array<Slot, kCached> slots_;
  regs::ApertureBase base_;
  uint64_t pages_ = 0;
  std::unordered_map<uint64_t, Line> lines_;
};

}  // namespace gmmu::sim::twin
