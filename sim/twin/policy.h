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
  unsigned port = 0;       ///< the translation port whose miss filled the entry; clients first, then the engine
  uint64_t vpn = 0;        ///< the entry's 4 KiB page; in the shared TLBs, the first page of its block
  uint64_t filled_ps = 0;  ///< when the entry was filled
  uint64_t used_ps = 0;    ///< when the entry was last looked up
  uint64_t uses = 0;       ///< number of lookups that hit the entry
  uint64_t mark = 0;       ///< for the policy's use; 0 in a new entry
};

/// The entries among which a policy chooses the victim for a new entry.
struct TlbSet {
  unsigned level = 1;        ///< 1: the L1 of `port`; 2 and 3: a set of a shared TLB
  unsigned port = 0;         ///< the port whose lookup caused the fill
  unsigned space = 0;        ///< space of the new entry, like vpn
  uint64_t vpn = 0;          ///< as in TlbLine
  uint64_t now_ps = 0;       ///< ascending, except among requests from different ports in flight
  bool prefetch = false;     ///< the new entry is a prefetch, not requested by a lookup
  TlbLine* lines = nullptr;  ///< array of `count` entries
  unsigned count = 0;
  unsigned turn = 0;  ///< index of the entry that the hardware would replace
};

/// A lookup that missed in every TLB.
struct TlbMiss {
  unsigned port = 0, space = 0;
  uint64_t vpn = 0;
  uint32_t group = 0;  ///< accesses that wait for each other (a warp); 0 if the port does not report one
  uint64_t now_ps = 0;
  bool neighbour = false;  ///< the port's previous miss, or a page in the L2, lies in the same or an adjacent line
};

/// A walk that is queued for a walker.
struct WaitingWalk {
  unsigned port = 0, space = 0;
  uint64_t vpn = 0;
  uint32_t group = 0;
  uint64_t since_ps = 0;
  unsigned reads = 0;    ///< table words that the walk would read if it started now
  unsigned waiters = 0;  ///< lookups that wait for the walk; 0: a prefetch
};

/// TLB and walk features that a policy can configure beyond the hardware. The initial values describe the hardware.
struct Hierarchy {
  enum class WalkCache : uint8_t { kSplit, kUnified, kNone };
  unsigned clients = 4;    ///< number of client ports of the GPU; read-only
  bool ideal = false;      ///< every lookup is answered as an L1 hit
  unsigned l1_cycles = 0;  ///< extra cycles per lookup
  unsigned l2_cycles = 0;
  unsigned l2_block = 16;   ///< pages per entry of the shared TLBs, 1 to 16, a power of two
  unsigned l3_entries = 0;  ///< pages in a third TLB behind the L2; 0: there is none
  unsigned l3_ways = 8, l3_cycles = 40;
  WalkCache walk_cache = WalkCache::kSplit;  ///< one cache per level, one LRU cache for all levels, or none
  unsigned walk_cache_entries = 64;          ///< entries of the unified cache
  unsigned pte_cache_lines = 0;              ///< 64-byte lines of a data cache in front of the tables; 0: none
  unsigned pte_cache_ways = 4, pte_cache_cycles = 20;
  unsigned walks = 0;        ///< concurrent walks; 0: as in the hardware
  unsigned step_cycles = 0;  ///< cycles per table word of a walk, in addition to the read
  bool queue = false;        ///< Policy::Next chooses among the walks that client ports wait for
  bool merge_lines = false;  ///< with `queue`: waiting walks for the same line of eight entries are merged
  bool stall = false;        ///< an access to an unmapped page waits in its port for an invalidation
};

/// The decisions of the TLBs and walkers of the fast engine. A policy changes times and counters, never translations:
/// Mmu computes those exactly, whatever the TLBs contain. Each GPU has its own policy, called from one thread. The base
/// class behaves like the hardware (rtl/mmu/README.md); a derived class overrides individual decisions.
///
/// Equal runs must give equal results, so random choices must come from a seed. A call may throw std::runtime_error,
/// which ends the run and prints the exception's message.
class Policy {
 public:
  static constexpr unsigned kNowhere = ~0u;
  virtual ~Policy() = default;

  /// Called once, before all other calls, with the values of the configuration.
  virtual void Build(Hierarchy& /*hierarchy*/) {}
  /// Returns the index of the victim, 0 to count - 1, or kNowhere to drop the new entry.
  virtual unsigned Place(const TlbSet& set) {
    if (set.level == 1) return set.turn;
    for (unsigned way = 0; way < set.count; ++way)
      if (!set.lines[way].valid) return way;
    return set.turn;
  }
  /// Returns how many leaf table entries the walk for this miss fetches and caches: an aligned power of two, up to 32.
  virtual unsigned Fill(const TlbMiss& miss) { return miss.neighbour ? 8 : 1; }
  /// Adds pages (of the miss's space) to be walked in the background and entered into the L2. A page is dropped if it
  /// is already present, is not mapped or finds no free walker.
  virtual void Prefetch(const TlbMiss& /*miss*/, std::vector<uint64_t>& /*vpns*/) {}
  /// With Hierarchy::queue: returns the index of the walk to which the free walker is assigned. Walks are in order of
  /// arrival.
  virtual size_t Next(const std::vector<WaitingWalk>& /*waiting*/) { return 0; }
};

/// The type of symbol gmmu_policy, which GMMU_POLICY defines in a policy's shared object.
struct PolicyEntry {
  static constexpr uint32_t kVersion = 1;  ///< of this header; other versions are refused
  uint32_t version = 0;
  /// `arguments` is the value of policy.arguments, `seed` is policy.seed. If the arguments are wrong, returns null and
  /// sets `error` to a sentence.
  Policy* (*create)(const char* arguments, uint64_t seed, const char** error) = nullptr;
};

}  // namespace gmmu::sim::twin

/// Defines gmmu_policy. The argument is a function, or a lambda without captures, with the type of PolicyEntry::create.
#define GMMU_POLICY(...)                                                                                  \
  extern "C" {                                                                                            \
  extern __attribute__((visibility("default"))) const gmmu::sim::twin::PolicyEntry gmmu_policy;           \
  const gmmu::sim::twin::PolicyEntry gmmu_policy = {gmmu::sim::twin::PolicyEntry::kVersion, __VA_ARGS__}; \
  }                                                                                                       \
  static_assert(gmmu::sim::twin::PolicyEntry::kVersion != 0, "")
