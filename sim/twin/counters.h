// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "hw/gmmu_regs.h"

namespace gmmu::sim::twin {

/// The counter registers. Cycle counts are estimates, and `walk_issue_cycles` is always 0.
/// README.md lists the counters that depend on timing or on the size of a cache.
class Counters {
 public:
  struct Port {
    uint64_t lookups = 0, hits = 0, misses = 0, merged = 0, faults = 0, cycles = 0;
  };

  /// Returns the counters of a translation port. The ports of the clients come first, then the
  /// fetch, read and write ports of the paging engine.
  Port& port(unsigned index) { return ports_[index]; }
  /// Returns a shared counter, given its register type: Of<regs::CountersWalks>().
  template <typename Register>
  uint64_t& Of() {
    return shared_[Register::kOffset / 8];
  }
  /// Reads the counter register at `offset` of BAR0. Returns 0 if no counter has this offset.
  uint64_t Read(uint32_t offset) const {
    if (offset >= regs::kCountersBase) {
      const uint32_t index = (offset - regs::kCountersBase) / 8;
      return index < shared_.size() ? shared_[index] : 0;
    }
    const uint32_t from = offset - regs::kPortCountersBase;
    if (from / regs::kPortCountersStride >= ports_.size()) return 0;
    const Port& port = ports_[from / regs::kPortCountersStride];
    const uint64_t values[8] = {port.lookups, port.hits, port.misses, port.merged, port.faults, port.cycles, 0, 0};
    return values[from % regs::kPortCountersStride / 8];
  }

 private:
  static constexpr size_t kShared = regs::CountersClientCycles::kOffset / 8 + 1;
  std::array<Port, regs::kPortCountersCount> ports_{};
  std::array<uint64_t, kShared> shared_{};
};

}  // namespace gmmu::sim::twin
