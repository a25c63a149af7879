// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tb/rtl/mmu/mmu_machine.h"

namespace gmmu::bench {

/// The MMU's figures, each measured on a machine that was just reset; `gmmu bench` prints them and
/// gmmu_mmu_speed_test.cc bounds them.
///
/// Three levels of nine bits in VRAM, every page mapped: va to system page number va >> 12 plus
/// 0x80000. A memory of latency L (cycles from the edge that accepts AR to the edge that accepts
/// the first R beat), nothing stalls. Latencies run from the edge that accepts the request to the
/// edge on which the answer is valid. Every answer is compared with the reference walk.
class MmuSpeed {
 public:
  static constexpr unsigned kMissSlots = 32;  ///< the fewest that a port of the bench's default MMU has

  explicit MmuSpeed(unsigned latency);

  uint64_t HitLatency();
  /// Hits answered per cycle by the slowest of the clients' ports, which all send requests at the same time.
  double HitsPerCycle();
  /// Hits answered per cycle by the engine's ports together.
  double EngineHitsPerCycle();
  /// The same while `misses` misses of each client's port wait for a table that takes 4,000 cycles. Adds an error when
  /// a miss was answered before the last hit.
  double HitsPerCycleBehind(unsigned misses);
  /// Latency of a lookup that misses the port's L1 and hits the shared L2.
  uint64_t L2HitLatency();
  /// L2 hits answered per cycle, all clients' ports together; no page is looked up twice.
  double L2HitsPerCycle();
  uint64_t ColdWalk();        ///< three reads
  uint64_t WalkCacheHit();    ///< one read, of a leaf table that the walk cache names
  double SequentialMisses();  ///< cycles a lookup, page after page
  /// Sequential misses of all client ports together, which take the pages in turns.
  double SharedSequentialMisses();
  double SparseMisses();        ///< cycles a lookup of three reads
  double SparseCachedMisses();  ///< cycles a lookup of one read, another line of entries each time

  unsigned ports() const { return machine_.ports(); }
  /// Table reads since reset.
  uint64_t table_reads() const { return machine_.t.table_reads_o; }
  const std::vector<std::string>& errors();

 private:
  using Address = std::function<uint64_t(unsigned)>;
  uint64_t Latency(uint64_t va, unsigned port = 0);
  /// Makes lookups `va(0)` to `va(count - 1)` on each port in `ports`, as fast as they are accepted. Returns the
  /// answers in their order.
  std::vector<Answer> Stream(const std::vector<unsigned>& ports, unsigned count,
                             const std::function<uint64_t(unsigned port, unsigned i)>& va);
  double CyclesEach(unsigned count, const Address& va, const std::vector<unsigned>& ports = {0});
  double SlowestPort(const std::vector<Answer>& answers) const;
  std::vector<unsigned> Clients() const;

  Machine machine_;
  std::vector<std::string> errors_;
};

}  // namespace gmmu::bench
