// SPDX-License-Identifier: Apache-2.0
#include "twin/keyed_policy.h"

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "twin/load_policy.h"

namespace gmmu::sim::twin {
namespace {

constexpr uint64_t kPatiencePs = 20'000'000;  // a walk that has waited longer goes first

unsigned Small(uint64_t value) { return static_cast<unsigned>(value); }

class KeyedPolicy : public Policy {
 public:
  explicit KeyedPolicy(const MachineConfig::Policy& keys) : keys_(keys), random_(keys.seed) {}

  void Build(Hierarchy& hierarchy) override {
    clients_ = hierarchy.clients;
    last_.resize(clients_ + 1);
  }

  unsigned Place(const TlbSet& set) override {
    if (set.level == 1) return Replace(set, keys_.l1_replacement, 0, 1);
    const bool client = set.port < clients_;
    if (keys_.partition == Partition::kTokens && client && set.port >= keys_.tokens) return kNowhere;
    const unsigned shares = keys_.partition == Partition::kWays && client ? std::min(clients_, set.count) : 1;
    return Replace(set, keys_.l2_replacement, set.port % shares, shares);
  }

  unsigned Fill(const TlbMiss& miss) override { return keys_.fill != 0 ? Small(keys_.fill) : Policy::Fill(miss); }

  void Prefetch(const TlbMiss& miss, std::vector<uint64_t>& vpns) override {
    if (keys_.prefetch == sim::Prefetch::kNone) return;
    uint64_t distance = 1;
    if (keys_.prefetch == sim::Prefetch::kStride) {
      uint64_t& last = last_[std::min<size_t>(miss.port, clients_)];
      distance = miss.vpn - std::exchange(last, miss.vpn);
      if (distance == 0 || distance == miss.vpn) return;
    }
    for (uint64_t i = 1; i <= keys_.prefetch_pages; ++i) vpns.push_back(miss.vpn + i * distance);
  }

  size_t Next(const std::vector<WaitingWalk>& waiting) override {
    if (keys_.schedule != Schedule::kShortest) return First(waiting, [](const WaitingWalk&) { return true; });
    // If the first walk, the oldest, has waited kPatiencePs longer than the newest one, it goes
    // next.
    if (waiting.back().since_ps - waiting.front().since_ps > kPatiencePs) return 0;
    std::map<Group, unsigned> reads;
    for (const WaitingWalk& walk : waiting) reads[GroupOf(walk)] += walk.waiters == 0 ? 1'000'000 : walk.reads;
    if (reads.count(group_) == 0) {  // otherwise, continue with the present group
      const WaitingWalk* best = &waiting.front();
      for (const WaitingWalk& walk : waiting)
        if (reads[GroupOf(walk)] < reads[GroupOf(*best)]) best = &walk;
      group_ = GroupOf(*best);
    }
    return First(waiting, [this](const WaitingWalk& walk) { return GroupOf(walk) == group_; });
  }

 private:
  using Group = std::pair<unsigned, uint32_t>;
  static Group GroupOf(const WaitingWalk& walk) { return {walk.port, walk.group}; }

  /// Returns the index of the first matching walk. Prefetches rank behind all other walks.
  template <typename Agrees>
  static size_t First(const std::vector<WaitingWalk>& waiting, Agrees agrees) {
    for (const bool prefetches : {false, true})
      for (size_t i = 0; i < waiting.size(); ++i)
        if ((waiting[i].waiters == 0) == prefetches && agrees(waiting[i])) return i;
    return 0;
  }

  /// Chooses a victim among the entries `share`, `share` + `shares`, and so on.
  unsigned Replace(const TlbSet& set, Replacement how, unsigned share, unsigned shares) {
    if (how == Replacement::kTurn && (set.level == 1 || shares == 1)) return Policy::Place(set);
    for (unsigned i = share; i < set.count; i += shares)
      if (!set.lines[i].valid) return i;
    const unsigned mine = (set.count - share + shares - 1) / shares;
    if (how == Replacement::kRandom) return share + shares * Small(random_() % mine);
    if (how == Replacement::kTurn) return share + shares * (set.turn / shares % mine);
    unsigned oldest = share;
    for (unsigned i = share; i < set.count; i += shares)
      if (set.lines[i].used_ps < set.lines[oldest].used_ps) oldest = i;
    return oldest;
  }

  const MachineConfig::Policy keys_;
  std::mt19937_64 random_;
  unsigned clients_ = 1;
  std::vector<uint64_t> last_;  ///< by port: page of the previous miss
  Group group_{~0u, 0};         ///< group whose walks get the walkers
};

Hierarchy HierarchyOf(const MachineConfig::Policy& keys) {
  Hierarchy h;
  h.ideal = keys.ideal;
  h.l1_cycles = Small(keys.l1_cycles);
  h.l2_cycles = Small(keys.l2_cycles);
  h.l2_block = Small(keys.l2_block_pages);
  h.l3_entries = Small(keys.l3_entries);
  h.l3_ways = Small(keys.l3_ways);
  h.l3_cycles = Small(keys.l3_cycles);
  h.walk_cache = static_cast<Hierarchy::WalkCache>(keys.walk_cache);
  h.walk_cache_entries = Small(keys.walk_cache_entries);
  h.pte_cache_lines = Small(keys.pte_cache_kib * 1024 / 64);
  h.pte_cache_ways = Small(keys.pte_cache_ways);
  h.pte_cache_cycles = Small(keys.pte_cache_cycles);
  h.walks = Small(keys.walks);
  h.step_cycles = Small(keys.step_cycles);
  h.queue = keys.schedule != Schedule::kNone;
  h.merge_lines = keys.merge_lines;
  h.stall = keys.far_fault == FarFault::kStall;
  return h;
}

}  // namespace

std::unique_ptr<Policy> MakeKeyedPolicy(const MachineConfig::Policy& keys) {
  return std::make_unique<KeyedPolicy>(keys);
}

PolicyParameters PolicyOf(const MachineConfig& config) {
  const MachineConfig::Policy& keys = config.policy;
  PolicyParameters parameters;
  parameters.stated = !config.StatedPolicy().empty();
  parameters.hierarchy = HierarchyOf(keys);
  if (keys.file.empty()) {
    if (parameters.stated) parameters.make = [keys] { return MakeKeyedPolicy(keys); };
  } else {
    parameters.make = LoadPolicy(keys.file, keys.arguments, keys.seed);
  }
  return parameters;
}

}  // namespace gmmu::sim::twin
