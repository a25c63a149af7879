// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gmmu::sim::twin {

/// A TLB entry as a policy sees it. Times are in picoseconds.
struct TlbLine {
  bool valid = false;
  unsigned space = 0;
  unsigned port = 0;       ///< port whose miss filled the entry; clients first, then engine
  uint64_t vpn = 0;        ///< 4 KiB page; in the shared TLBs, the first page of the block
  uint64_t filled_ps = 0;  ///< when the entry was filled
  uint64_t used_ps = 0;    ///< when the entry was last hit
  uint64_t uses = 0;       ///< number of lookups that hit the entry
  uint64_t mark = 0;       ///< free for use by the policy; 0 in a new entry
};

/// The entries among which a policy chooses the victim for a new entry.
struct TlbSet {
  unsigned level = 1;        ///< 1: the L1 of `port`; 2 and 3: one set of a shared TLB
  unsigned port = 0;         ///< port whose lookup caused the fill
  unsigned space = 0;        ///< space of the new entry
  uint64_t vpn = 0;          ///< as in TlbLine, of the new entry
  uint64_t now_ps = 0;       ///< ascending, except among concurrent requests from different ports
  bool prefetch = false;     ///< the new entry was prefetched, not requested by a lookup
  TlbLine* lines = nullptr;  ///< array of `count` entries
  unsigned count = 0;
  unsigned turn = 0;  ///< index of the entry that the hardware would replace
};

/// A lookup that missed in every TLB.
struct TlbMiss {
  unsigned port = 0, space = 0;
  uint64_t vpn = 0;
  uint32_t group = 0;  ///< a warp: accesses that wait for each other; 0: not reported
  uint64_t now_ps = 0;
  /// Whether the port's previous miss lies in the same or an adjacent line, or the L2 holds pages
  /// of the same line.
  bool neighbour = false;
};

/// A walk that waits for a walker.
struct WaitingWalk {
  unsigned port = 0, space = 0;
  uint64_t vpn = 0;
  uint32_t group = 0;
  uint64_t since_ps = 0;
  unsigned reads = 0;    ///< table words that the walk would read if it started now
  unsigned waiters = 0;  ///< lookups that wait for the walk; 0: a prefetch
};

/// Features of TLBs and walks that a policy can configure beyond the hardware. The initial values
/// match the hardware.
struct Hierarchy {
  enum class WalkCache : uint8_t { kSplit, kUnified, kNone };
  unsigned clients = 4;    ///< number of client ports of the GPU; read-only
  bool ideal = false;      ///< every lookup is answered as an L1 hit
  unsigned l1_cycles = 0;  ///< extra cycles per lookup
  unsigned l2_cycles = 0;
  unsigned l2_block = 16;   ///< pages per entry of the shared TLBs, 1 to 16, a power of two
  unsigned l3_entries = 0;  ///< pages in a third TLB behind the L2; 0: no third TLB
  unsigned l3_ways = 8, l3_cycles = 40;
  WalkCache walk_cache = WalkCache::kSplit;  ///< one per level, one LRU cache for all, or none
  unsigned walk_cache_entries = 64;          ///< entries of the unified cache
  unsigned pte_cache_lines = 0;              ///< 64-byte lines of a cache for table reads; 0: none
  unsigned pte_cache_ways = 4, pte_cache_cycles = 20;
  unsigned walks = 0;        ///< concurrent walks; 0: as in hardware
  unsigned step_cycles = 0;  ///< extra cycles per table word of a walk
  bool queue = false;        ///< Policy::Next chooses among waiting walks of client ports
  bool merge_lines = false;  ///< with `queue`: merge waiting walks of a line of eight entries
  bool stall = false;        ///< accesses to unmapped pages wait in their port for an invalidation
};

/// The decisions of the fast engine's TLBs and walkers. A policy changes times and counters, never
/// translations: Mmu computes those exactly, whatever the TLBs contain. Each GPU has its own
/// policy, called from one thread. The base class behaves like the hardware (rtl/mmu/README.md); a
/// derived class overrides individual decisions.
///
/// Equal runs must give equal results, so random choices must come from a seed. A call may throw
/// std::runtime_error, which ends the run and prints the exception's message.
class Policy {
 public:
  static constexpr unsigned kNowhere = ~0u;
  virtual ~Policy() = default;

  /// Called once, before any other function. `hierarchy` gives access to the configured values.
  virtual void Build(Hierarchy& /*hierarchy*/) {}
  /// Returns the index of the victim, below `count`, or kNowhere to drop the new entry.
  virtual unsigned Place(const TlbSet& set) {
    if (set.level == 1) return set.turn;
    for (unsigned way = 0; way < set.count; ++way)
      if (!set.lines[way].valid) return way;
    return set.turn;
  }
  /// Returns how many leaf table entries the walk for this miss fetches and caches: a power of two,
  /// at most 32. The group of entries is naturally aligned.
  virtual unsigned Fill(const TlbMiss& miss) { return miss.neighbour ? 8 : 1; }
  /// Adds pages, in the space of the miss, to be walked in the background and entered into the L2.
  /// A page is dropped if it is already present, is unmapped or finds no free walker.
  virtual void Prefetch(const TlbMiss& /*miss*/, std::vector<uint64_t>& /*vpns*/) {}
  /// With Hierarchy::queue: returns the index of the walk that gets the free walker. Walks are in
  /// order of arrival.
  virtual size_t Next(const std::vector<WaitingWalk>& /*waiting*/) { return 0; }
};

/// The type of gmmu_policy, the symbol that GMMU_POLICY defines in a policy's shared object.
struct PolicyEntry {
  static constexpr uint32_t kVersion = 1;  ///< version of this header; others are rejected
  uint32_t version = 0;
  /// `arguments` is the value of policy.arguments, `seed` that of policy.seed. If the arguments are
  /// wrong, returns null and sets `error` to a sentence.
  Policy* (*create)(const char* arguments, uint64_t seed, const char** error) = nullptr;
};

}  // namespace gmmu::sim::twin

/// Defines gmmu_policy. The argument is a function or a lambda without captures, with the type of
/// PolicyEntry::create.
#define GMMU_POLICY(...)                                                                                  \
  extern "C" {                                                                                            \
  extern __attribute__((visibility("default"))) const gmmu::sim::twin::PolicyEntry gmmu_policy;           \
  const gmmu::sim::twin::PolicyEntry gmmu_policy = {gmmu::sim::twin::PolicyEntry::kVersion, __VA_ARGS__}; \
  }                                                                                                       \
  static_assert(gmmu::sim::twin::PolicyEntry::kVersion != 0, "")
