// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "os/hal/hal.h"
#include "os/hal/pages.h"

namespace gmmu::os::vtd {

/// Second-stage page tables of one VT-d domain, in host memory (VT-d specification, second-stage
/// paging entries; docs/vtd.md).
///
/// Page numbers count 4 KiB pages. Runs of host pages are mapped with the largest leaves (4 KiB, 2
/// MiB, 1 GiB) that the alignment of both addresses allows and the unit supports. When a table
/// becomes empty, it is unlinked; its page must not be reused before the unit has invalidated its
/// caches.
class SecondStage {
 public:
  struct Features {
    unsigned levels = 4;       ///< 3 or 4
    bool leaves_2mib = false;  ///< CAP.SLLPS bit 0
    bool leaves_1gib = false;  ///< CAP.SLLPS bit 1
  };
  struct Run {
    uint64_t logical, host, pages;
  };
  /// What Unmap returns: tables to free, and the level of the largest leaf that was removed.
  struct Unmapped {
    std::vector<uint64_t> tables;
    unsigned largest_leaf = 0;
  };

  SecondStage(Hal& hal, PageAllocator& pages, const Features& features, std::string name);

  uint64_t root_pfn() const { return root_; }
  const Features& features() const { return features_; }

  /// Maps a run, readable and writable. Triggers a bug check if one of the run's logical pages is already mapped.
  void Map(const Run& run);
  /// Unmaps `pages` pages. Skips pages that are not mapped. A large leaf must not extend beyond the
  /// range.
  Unmapped Unmap(uint64_t logical, uint64_t pages);
  /// Removes one page. If a large leaf maps it, the leaf is split first.
  Unmapped Punch(uint64_t logical);
  /// Returns the host page of a logical page, or all ones if it is not mapped.
  uint64_t Lookup(uint64_t logical) const;
  /// Number of present leaves at a level (0: 4 KiB leaves).
  uint64_t leaves(unsigned level) const { return leaves_[level]; }
  /// Frees every table. Call when no device can use the tables any more.
  void Free();

  /// Allocates a page for a table and fills it with zeros, because the allocator may return a page
  /// that contains old data.
  static uint64_t NewTable(Hal& hal, PageAllocator& pages, const std::string& created_by);

 private:
  struct Table {
    uint64_t pfn = 0;
    unsigned used = 0;  // number of present entries
  };
  static uint64_t Span(unsigned level) { return uint64_t{1} << 9 * level; }
  static uint64_t Key(unsigned level, uint64_t page) { return uint64_t{level} << 56 | page >> 9 * (level + 1); }
  unsigned LeafLevel(const Run& run) const;
  /// Returns the level-`level` table that covers `page`. Creates the table, and those above it, if
  /// it does not exist.
  Table& Ensure(unsigned level, uint64_t page);
  uint64_t EntryAddress(const Table& table, unsigned level, uint64_t page) const;
  uint64_t ReadEntry(const Table& table, unsigned level, uint64_t page) const;
  void WriteEntry(const Table& table, unsigned level, uint64_t page, uint64_t value);
  /// Returns the level at which the walk ended: that of the leaf, or that of the first entry that
  /// is not present.
  unsigned Find(uint64_t page, uint64_t& entry) const;
  void Clear(unsigned level, uint64_t page, Unmapped& out);

  Hal& hal_;
  PageAllocator& pages_;
  const Features features_;
  const std::string name_;
  uint64_t root_ = 0;
  std::unordered_map<uint64_t, Table> tables_;  // keyed by Key, including the root
  uint64_t leaves_[3] = {};
};

}  // namespace gmmu::os::vtd
