// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "host/agenda.h"
#include "hw/gmmu_regs.h"
#include "twin/counters.h"
#include "twin/gpu_parameters.h"
#include "twin/memory.h"
#include "twin/shared_tlb.h"
#include "twin/walk_cache.h"
#include "twin/walk_rows.h"

namespace gmmu::sim::twin {

/// Counters that exist only with a policy.
struct PolicyCounters {
  uint64_t prefetch_walks = 0, prefetches_dropped = 0, not_kept = 0;
  uint64_t l3_lookups = 0, l3_hits = 0, pte_cache_lookups = 0, pte_cache_hits = 0;
  uint64_t queued_walks = 0, queued_cycles = 0, joined_lines = 0, stalls = 0;
};

/// The timing of the hardware's TLBs and walk cache: sizes, replacement, line fills, concurrent
/// walks and merged lookups (rtl/mmu/README.md). Decisions are made by the policy. Only timing is
/// modelled; Mmu holds the exact translations. The counters are those of the hardware.
///
/// Without a policy's queue (Hierarchy::queue), the end of a walk is known when the walk is
/// requested. Until it completes, the walk is a row of WalkRows, which lookups of its pages join;
/// afterwards its entries are in the caches.
class TlbTiming {
 public:
  /// Supplies table reads. Plan returns the reads of a walk for the looked-up address; it is called
  /// only when a walk starts.
  class Plans {
   public:
    virtual ~Plans() = default;
    virtual WalkPlan Plan() = 0;
    /// Returns the mapping and the table reads of another page of the space, or nullopt if no 4 KiB
    /// entry maps it.
    virtual std::optional<std::pair<Mapping, WalkPlan>> Other(uint64_t vpn) = 0;
  };

  TlbTiming(const Built& built, Memory& memory, TimeModel& time, Agenda& agenda, Counters& counters,
            const PolicyParameters& policy);

  /// A lookup and its result, which Mmu has computed.
  struct Asked {
    unsigned port = 0, space = 0;
    uint64_t va = 0;
    uint64_t lookups = 1;  ///< successive lookups of the same page; 0: do not count the lookup
    bool walks = true;     ///< a walk may start: the checks before it passed
    bool denied = false;   ///< the permissions of the entry deny the access
    const Mapping& mapping;
    uint32_t group = 0;     ///< TlbMiss::group
    bool may_wait = false;  ///< the caller accepts a ticket instead of a time
  };
  /// If `ticket` is 0, the response arrives at `ps`. Otherwise WhenReady reports that time later.
  struct Answer {
    uint64_t ps = 0, ticket = 0;
  };
  /// Counts a lookup at `at`. Returns its response time or a ticket. `shape` must outlive the
  /// lookup's walk.
  Answer Lookup(const Asked& asked, const SpaceShape& shape, uint64_t at, Plans& plans);
  /// Calls `then`, in a later event, with the response time of the ticket's lookup. A Reset cancels
  /// the call.
  void WhenReady(uint64_t ticket, std::function<void(uint64_t ps)> then);
  /// Enters all entries that are due by `ps` into the caches. Lookups call it; the owner must call
  /// it before reading counters.
  void Settle(uint64_t ps) {
    while (const auto entering = rows_.Next(ps)) Entered(*entering);
  }
  /// Drops at least the entries that overlap the scope.
  void Invalidate(regs::Scope scope, unsigned space, uint64_t start, uint64_t end);
  /// Drops all walks, waiting or in progress, and clears the policy's counters.
  void Reset();
  /// Applies the sizes, and empties every TLB and the walk cache.
  void Resize(const TlbSizes& sizes);

  const Hierarchy& hierarchy() const { return hierarchy_; }
  PolicyCounters& policy_counters() { return policy_counts_; }

 private:
  using Key = TlbKey;
  struct L1 {
    struct Tag {
      bool valid = false, big = false;
      uint8_t space = 0;
      uint64_t vpn = 0;
    };
    struct Hint {
      uint8_t index = 0, check = 0;
      bool big = false;
    };
    std::vector<Tag> tags;
    std::vector<TlbLine> lines;  ///< one per tag, with equal index
    std::vector<Hint> pages, blocks;
    unsigned next = 0;
    uint64_t last_vpn = ~uint64_t{0};  ///< page hit by the last lookup; `last` is its entry
    const Tag* last = nullptr;
  };
  struct Found {
    uint64_t ready_ps = 0;
    bool joined = false;  ///< a walk in progress fetches the entry
    uint64_t ticket = 0;
  };
  struct Waiter {
    uint64_t ticket = 0, asked_ps = 0;
    unsigned port = 0;
    Key key{};
    bool big = false;
    std::function<void(uint64_t)> then;
  };
  struct Queued {
    WalkJob job;
    std::vector<Waiter> waiters;
  };

  uint64_t HitPs(unsigned port) const;
  L1& L1Of(unsigned port) { return l1_[std::min<size_t>(port, l1_.size() - 1)]; }
  static L1::Tag* Search(L1& l1, Key key);
  void Enter(unsigned port, Key key, bool big, uint64_t now);
  void Entered(const WalkRows::Entering& entering);
  Found Shared(const Asked& asked, const SpaceShape& shape, uint64_t at, Plans& plans);
  bool FindShared(SharedTlb& tlb, Key key, uint64_t at);
  void FillFrom(SharedTlb& from, Key key, SharedTlb::Filler filler);
  // walk_timing.cc
  Found Miss(const Asked& asked, const SpaceShape& shape, bool neighbour, uint64_t at, Plans& plans);
  void Prefetch(const TlbMiss& miss, const SpaceShape& shape, Plans& plans);
  uint64_t Walk(const WalkJob& job, uint64_t at);
  unsigned FirstRead(const WalkJob& job, uint64_t now);
  uint64_t ReadTable(const WalkPlan::Read& read, uint64_t bytes, uint64_t at);
  void FillLine(const WalkJob& job, SharedTlb& tlb, uint64_t at);
  uint64_t FillTime(const WalkJob& job, uint64_t at);
  void Fill(const WalkJob& job, uint64_t at);
  void FillTlb(const WalkJob& job, SharedTlb& tlb, uint64_t at);
  uint64_t Queue(WalkJob job, const Asked* asked, uint64_t asked_ps, uint64_t at, uint32_t group);
  void Dispatch();
  void End(Queued queued, uint64_t ready_ps);

  const unsigned clients_;
  Memory& memory_;
  TimeModel& time_;
  Agenda& agenda_;
  Counters& counters_;
  const std::unique_ptr<Policy> policy_;
  const Hierarchy hierarchy_;
  unsigned walks_at_once_ = 1;
  std::vector<L1> l1_;                   ///< one per client, and one for the engine's ports
  std::vector<uint64_t> missed_lines_;   ///< by port: line (and space) of the previous miss
  std::optional<SharedTlb> l2_, l3_;     // l2_ always has a value
  std::optional<WalkCache> walk_cache_;  // always has a value
  PteCache pte_cache_;
  Calendar pipeline_;
  Places walks_{1}, rows_in_use_{1};
  WalkRows rows_;
  static constexpr uint64_t kJoinedUnit = 1024, kJoinedMemory = 8;
  uint64_t joined_ = 0;                      ///< moving average of joins per walk * kJoinedUnit
  uint64_t fill_ps_ = 0, fill_page_ps_ = 0;  ///< when fill unit and page register become free
  PolicyCounters policy_counts_;
  // queue_: the walks that wait for a walker, in order of arrival. waiting_: the same walks in the
  // format of Policy::Next.
  std::vector<Queued> queue_;
  std::vector<WaitingWalk> waiting_;
  unsigned walking_ = 0;
  uint64_t tickets_ = 0, generation_ = 0;
};

}  // namespace gmmu::sim::twin
