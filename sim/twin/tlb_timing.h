// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "hw/gmmu_regs.h"
#include "twin/counters.h"
#include "twin/gpu_parameters.h"
#include "twin/memory.h"
#include "twin/walk.h"

namespace gmmu::sim::twin {

/// The table words that a walk reads, root first.
struct WalkPlan {
  struct Read {
    unsigned level = 0;
    bool vram = false;
    uint64_t address = 0;
  };
  std::array<Read, 8> reads;
  unsigned count = 0;
  bool line = false;     ///< the last one lies in a leaf table of 4 KiB entries, whose line may be fetched
  unsigned in_line = 8;  ///< entries of the table that lie in that line
  void Add(unsigned level, const TablePlace& table, uint64_t address) {
    if (count < reads.size()) reads[count++] = {level, table.target == regs::Target::kVram, address};
  }
};

/// The TLBs and the walk cache of the hardware as they limit time: sizes, replacement, line fill, walks at
/// once and what joins them (rtl/mmu/README.md). It holds no translations: what an address maps to
/// is the business of Mmu, which is exact. It counts as the hardware does.
///
/// An entry is there from the time on at which its walk ends; who looks it up before has joined the walk.
class TlbTiming {
 public:
  /// Says what a walk for the looked-up address reads; it is asked for only when a walk begins.
  class Plans {
   public:
    virtual ~Plans() = default;
    virtual WalkPlan Plan() = 0;
  };

  TlbTiming(const Built& built, Memory& memory, TimeModel& time, Counters& counters);

  /// A lookup, and what Mmu answers to it.
  struct Asked {
    unsigned port = 0, space = 0;
    uint64_t va = 0;
    uint64_t lookups = 1;  ///< so many of the same page follow each other; 0: it is not counted
    bool walks = true;     ///< a walk may begin: the checks before it pass
    bool denied = false;   ///< the entry's permissions deny it
    const Mapping& mapping;
  };
  /// Counts a lookup that is asked at `at`, and returns when its answer is there.
  uint64_t Lookup(const Asked& asked, const SpaceShape& shape, uint64_t at, Plans& plans);
  /// Forgets what overlaps the scope.
  void Invalidate(regs::Scope scope, unsigned space, uint64_t start, uint64_t end);

 private:
  struct Key {
    unsigned space;
    uint64_t vpn;
  };
  struct L1 {
    struct Tag {
      bool valid = false, big = false;
      uint8_t space = 0;
      uint64_t vpn = 0;
      uint64_t ready_ps = 0;
    };
    struct Hint {
      uint8_t index = 0, check = 0;
      bool big = false;
    };
    std::vector<Tag> tags;
    std::vector<Hint> pages, blocks;
    unsigned next = 0;
    uint64_t missed_line = uint64_t{1} << 62;  ///< line of eight pages of the miss before, with its space
    uint64_t last_vpn = ~uint64_t{0};          ///< the page that the last lookup hit, and its entry
    const Tag* last = nullptr;
  };
  struct Block {
    uint16_t present = 0;
    unsigned space = 0;
    uint64_t block = 0;
    std::array<uint64_t, 16> ready_ps{};
  };
  struct Row {
    bool valid = false, leaf = false;
    unsigned space = 0;
    unsigned shift = 0;  ///< pages that it covers, a power of two
    uint64_t tag = 0;
    uint64_t ready_ps = 0;
  };
  struct Found {
    uint64_t ready_ps = 0;
    bool joined = false;  ///< a walk that is under way brings it
  };

  uint64_t HitPs(unsigned port) const;
  L1& L1Of(unsigned port) { return l1_[std::min<size_t>(port, l1_.size() - 1)]; }
  static L1::Tag* Search(L1& l1, Key key);
  static void Enter(L1& l1, Key key, bool big, uint64_t ready_ps);
  Block* SearchL2(Key key);
  Block& PlaceL2(Key key);
  Found Shared(const Asked& asked, const SpaceShape& shape, uint64_t at, Plans& plans);
  uint64_t Walk(const Asked& asked, const SpaceShape& shape, bool wide, uint64_t at, const WalkPlan& plan);
  uint64_t ReadTable(const WalkPlan::Read& read, uint64_t bytes, uint64_t at);
  void FillLine(Key key, const WalkPlan& plan, uint64_t at);
  Row& RowOf(unsigned level, const SpaceShape& shape, Key key);
  static uint64_t Kept(const SpaceShape& shape, unsigned level, uint64_t vpn);

  const unsigned clients_, sets_, ways_;
  Memory& memory_;
  TimeModel& time_;
  Counters& counters_;
  std::vector<L1> l1_;  ///< of each client, then one for the engine's ports
  std::vector<Block> l2_;
  unsigned turn_ = 0;                     ///< the way that is replaced next
  std::array<std::vector<Row>, 6> rows_;  ///< the walk cache, by level
  Calendar pipeline_;
  Places walks_, rows_in_use_;
};

}  // namespace gmmu::sim::twin
