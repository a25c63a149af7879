// SPDX-License-Identifier: Apache-2.0
// Measures the MMU alone, with its default sizes and with page tables behind an ideal memory of latency L.
#include <fmt/format.h>

#include "tb/bench/row.h"
#include "tb/rtl/mmu/mmu_speed.h"

namespace gmmu::bench {
namespace {

constexpr unsigned kLatency = 50;

/// Runs a measurement on its own machine. The row fails if the machine's checks find an error.
template <typename Measure>
Measurement On(Row row, Measure measure) {
  return {row, [measure](Row& to) {
            MmuSpeed mmu(kLatency);
            to.figure = static_cast<double>(measure(mmu, to));
            if (!mmu.errors().empty()) throw RowError(mmu.errors().front());
          }};
}

Row Of(const std::string& name, const std::string& unit, double limit, const std::string& limit_text,
       const std::string& config) {
  Row row;
  row.name = name;
  row.unit = unit;
  row.limit = limit;
  row.limit_text = limit_text;
  row.machine = "MMU alone: 5 ports, L1 16, L2 512 x 4 ways, 8 walks, walk cache 16";
  row.config = config;
  return row;
}

const std::string kL = fmt::format("L = {}", kLatency);

void AddHits(Measurements& to) {
  to.push_back(On(Of("L1 hit, address out", "cycles", 1, "a registered answer", "").Less(2),
                  [](MmuSpeed& mmu, Row&) { return mmu.HitLatency(); }));
  to.push_back(On(Of("L1 hits", "a cycle and port", 1, "one request a cycle", "all ports at once").More(1),
                  [](MmuSpeed& mmu, Row&) { return mmu.HitsPerCycle(); }));
  to.push_back(On(Of("L1 hits while misses wait", "a cycle and port", 1, "one request a cycle",
                     fmt::format("all ports at once, {} misses of each wait", MmuSpeed::kMissSlots - 1))
                      .More(1),
                  [](MmuSpeed& mmu, Row&) { return mmu.HitsPerCycleBehind(MmuSpeed::kMissSlots - 1); }));
  to.push_back(On(Of("L2 hit after L1 miss", "cycles", 3, "L1 lookup, RAM read, answer", "").Less(5),
                  [](MmuSpeed& mmu, Row&) { return mmu.L2HitLatency(); }));
  to.push_back(
      On(Of("L2 hits after L1 misses", "a cycle", 1, "one L2 pipeline", "all ports together, 80 pages each").More(1),
         [](MmuSpeed& mmu, Row&) { return mmu.L2HitsPerCycle(); }));
}

void AddWalks(Measurements& to) {
  const Row cold =
      Of("cold walk, 3 reads", "cycles", 3 * kLatency, "3L", kL).Less(3 * kLatency + 7).Goal(3 * kLatency + 6);
  to.push_back(On(cold, [](MmuSpeed& mmu, Row&) { return mmu.ColdWalk(); }));
  const Row cached = Of("walk-cache hit", "cycles", kLatency, "L", kL).Less(kLatency + 5);
  to.push_back(On(cached, [](MmuSpeed& mmu, Row&) { return mmu.WalkCacheHit(); }));
}

void AddMisses(Measurements& to) {
  const std::string config = kL + ", one port";
  to.push_back(On(Of("sequential misses", "cycles each", 1, "one lookup a cycle", config).Less(1.4),
                  [](MmuSpeed& mmu, Row&) { return mmu.SequentialMisses(); }));
  to.push_back(
      On(Of("sequential misses, all clients", "cycles each", 1, "one lookup a cycle", kL + ", two ports").Less(1.6),
         [](MmuSpeed& mmu, Row&) { return mmu.SharedSequentialMisses(); }));
  to.push_back(On(Of("sparse misses, 3 reads", "cycles each", 3 * kLatency / 8.0, "3L / 8 walks", config).Less(20),
                  [](MmuSpeed& mmu, Row&) { return mmu.SparseMisses(); }));
  to.push_back(On(Of("sparse misses, walk cache hits", "cycles each", kLatency / 8.0, "L / 8 walks", config).Less(7),
                  [](MmuSpeed& mmu, Row&) { return mmu.SparseCachedMisses(); }));
}

}  // namespace

void AddMmuRows(Measurements& to) {
  AddHits(to);
  AddWalks(to);
  AddMisses(to);
}

}  // namespace gmmu::bench
