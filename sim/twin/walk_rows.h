// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "hw/gmmu_regs.h"
#include "twin/walk.h"

namespace gmmu::sim::twin {

/// The table words that a walk reads, starting at the root.
struct WalkPlan {
  struct Read {
    unsigned level = 0;
    bool vram = false;
    uint64_t address = 0;
  };
  std::array<Read, 8> reads;
  unsigned count = 0;
  /// Whether the last read is in a leaf table of 4 KiB entries, so that its line may be fetched.
  bool line = false;
  unsigned entries = 512;  ///< number of entries in that leaf table
  void Add(unsigned level, const TablePlace& table, uint64_t address) {
    if (count < reads.size()) reads[count++] = {level, table.target == regs::Target::kVram, address};
  }
};

struct TlbKey {
  unsigned space;
  uint64_t vpn;
};

/// A walk, with the port of the lookup that requested it.
struct WalkJob {
  unsigned port = 0;
  TlbKey key{};
  Mapping mapping;
  const SpaceShape* shape = nullptr;
  WalkPlan plan;
  unsigned fill = 1;  ///< number of leaf table entries to fetch
  bool denied = false;
  bool background = false;  ///< started as a prefetch
  bool prefetch = false;    ///< still a prefetch: no lookup waits for the walk
  /// Whether the walk fetches a group of leaf table entries, not only the page's entry.
  bool wide() const { return plan.line && fill > 1; }
  bool big() const { return mapping.span_lg2 >= 16; }
};

/// The rows of the hardware's walk table (rtl/mmu/gmmu_walk_table.sv), with the entries that their
/// walks will put into the caches and the times at which they will do so. A row is created at its
/// lookup and exists even while it waits for a walker. Times are in picoseconds.
class WalkRows {
 public:
  struct Pointer {
    unsigned level = 0;
    uint64_t ps = 0;
    const void* place = nullptr;  ///< row of the walk cache (WalkCache::PlaceOf)
  };
  struct Row {
    WalkJob job;
    /// When the lookup gets its response. The row's pages then go to the fill unit.
    uint64_t answer_ps = 0;
    std::array<Pointer, 8> pointers{};
    unsigned pointer_count = 0;
    bool fault() const { return job.mapping.fault != regs::Fault::kNone; }
  };
  /// A scheduled event of a row or a port: a pointer enters the walk cache, a page enters the L1 of
  /// a port, or the pages of a row enter the L2. kAnswered is the end of the walk, when the row's
  /// pages go to the fill unit.
  struct Entering {
    enum class Kind : uint8_t { kPointer, kL1, kPages, kAnswered };
    uint64_t ps = 0, order = 0;
    Kind kind = Kind::kL1;
    bool big = false;
    unsigned port = 0, level = 0;
    TlbKey key{};
    std::list<Row>::iterator row{};
  };

  /// Adds a row, and schedules its pointers and its response.
  void Add(const Row& row);
  /// Schedules the pages of the row to enter the L2 at `ps`.
  void EnterPages(std::list<Row>::iterator row, uint64_t ps) {
    Push({ps, 0, Entering::Kind::kPages, false, row->job.port, 0, row->job.key, row});
  }
  /// Schedules a page to enter the L1 of `port` at `ps`.
  void EnterL1(unsigned port, TlbKey key, bool big, uint64_t ps) {
    Push({ps, 0, Entering::Kind::kL1, big, port, 0, key, {}});
  }
  /// Removes and returns the earliest entry if it is due by `ps`. Its row stays until Remove is
  /// called.
  std::optional<Entering> Next(uint64_t ps) {
    entered_ps_ = std::max(entered_ps_, ps);
    if (entering_.empty() || entering_.front().ps > ps) return std::nullopt;
    return Pop();
  }
  void Remove(std::list<Row>::iterator row);

  /// Returns the row that a lookup of the page would join: its walk is for the page or fetches the
  /// page's line, ends at `ps` or later, and does not fault.
  const Row* Find(TlbKey key, uint64_t ps = 0) const;
  /// Returns how many walks ended before `ps` but after the most recent walk that fetched the page,
  /// or nullopt if no walk fetched it.
  std::optional<unsigned> EndedSince(TlbKey key, uint64_t ps) const;
  /// Whether some walk's page has its leaf entry in the same line of eight entries.
  bool Near(TlbKey key) const;
  /// Returns which pointer was last written, at or before `ps`, to the walk cache row for the
  /// page's level-`level` pointer: none, another pointer, or the page's own pointer. `place` is
  /// null if a pointer may use any row.
  enum class Brought : uint8_t { kNothing, kOther, kThis };
  Brought Brings(unsigned level, const SpaceShape& shape, TlbKey key, const void* place, uint64_t ps) const;

  /// Drops all rows and entries of a space, or of all spaces if `space` is nullopt.
  void Drop(std::optional<unsigned> space);

 private:
  /// Lookup key of a row: the aligned block of pages that its walk fetches for other lookups.
  /// `pages` is a power of two, or 0 for none.
  struct Page {
    TlbKey key;
    uint64_t pages = 0;
    const Row* row = nullptr;
  };
  /// A pointer that has not entered the walk cache yet.
  struct Coming {
    Pointer pointer;
    uint64_t order = 0;
    TlbKey key;
  };
  uint64_t Push(Entering entering);
  Entering Pop();

  std::list<Row> rows_, free_;
  std::vector<Page> pages_;         // one per row of rows_, in the same order
  std::vector<Entering> entering_;  // a min-heap by time
  std::vector<Coming> coming_;      // pointers of rows_, unordered
  uint64_t order_ = 0;
  uint64_t entered_ps_ = 0;  ///< all entries due by this time have been entered
};

}  // namespace gmmu::sim::twin
