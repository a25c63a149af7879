// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tb/rtl/mmu/mmu_machine.h"

namespace gmmu::bench {

/// Measurements of the MMU's performance, each made just after a reset. `gmmu bench` prints the
/// results, and gmmu_mmu_speed_test.cc checks them against bounds.
///
/// The tables have three levels of nine bits, in VRAM, and map every page: va to system page number
/// (va >> 12) + 0x80000. The memory has latency L (cycles from the edge that accepts AR to the edge
/// that accepts the first R beat), and nothing stalls. Latencies run from the edge that accepts the
/// request to the edge on which the response is valid. Every response is compared with the
/// reference walk.
class MmuSpeed {
 public:
  static constexpr unsigned kMissSlots = 32;  ///< fewest of any port of the default MMU

  explicit MmuSpeed(unsigned latency);

  uint64_t HitLatency();
  /// Returns the hits per cycle at the slowest client port while all client ports send requests.
  double HitsPerCycle();
  /// Returns the hits per cycle at the engine's ports together.
  double EngineHitsPerCycle();
  /// Returns the rate of HitsPerCycle while each client port has `misses` misses that wait for a
  /// table read of 4,000 cycles. Reports an error if a miss completes before the last hit.
  double HitsPerCycleBehind(unsigned misses);
  /// Returns the latency of a lookup that misses the port's L1 and hits the shared L2.
  uint64_t L2HitLatency();
  /// Returns the L2 hits per cycle at all client ports together. No page is looked up twice.
  double L2HitsPerCycle();
  uint64_t ColdWalk();        ///< cycles of a walk with three reads
  uint64_t WalkCacheHit();    ///< cycles of a walk with one read: the walk cache has the leaf table
  double SequentialMisses();  ///< cycles per lookup, page after page
  /// Returns the cycles per lookup at all client ports together. The ports take turns at
  /// consecutive pages.
  double SharedSequentialMisses();
  double SparseMisses();        ///< cycles per lookup with three reads
  double SparseCachedMisses();  ///< cycles per lookup with one read, each of a different line of entries

  unsigned ports() const { return machine_.ports(); }
  /// Returns the number of table reads since reset.
  uint64_t table_reads() const { return machine_.counts.table_reads; }
  const std::vector<std::string>& errors();

 private:
  using Address = std::function<uint64_t(unsigned)>;
  uint64_t Latency(uint64_t va, unsigned port = 0);
  /// Looks up `va(port, 0)` to `va(port, count - 1)` on each port in `ports`, as fast as they are
  /// accepted. Returns the responses in order of arrival.
  std::vector<Answer> Stream(const std::vector<unsigned>& ports, unsigned count,
                             const std::function<uint64_t(unsigned port, unsigned i)>& va);
  double CyclesEach(unsigned count, const Address& va, const std::vector<unsigned>& ports = {0});
  double SlowestPort(const std::vector<Answer>& answers) const;
  std::vector<unsigned> Clients() const;

  Machine machine_;
  std::vector<std::string> errors_;
};

}  // namespace gmmu::bench
