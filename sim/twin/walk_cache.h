// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "twin/policy.h"
#include "twin/walk.h"

namespace gmmu::sim::twin {

/// The walk cache, which holds pointers to tables and large pages. The policy selects one of three
/// forms: direct mapped with separate rows per level (as in the hardware), fully associative across
/// all levels with LRU replacement, or absent, so that each walk starts at the root.
class WalkCache {
 public:
  struct Row {
    bool valid = false, leaf = false;
    unsigned space = 0;
    unsigned shift = 0;  ///< log2 of the number of pages covered
    uint64_t tag = 0;
    unsigned level = 0;
    uint64_t used = 0;
  };

  /// Constructs a cache with `rows` rows per level.
  WalkCache(unsigned rows, const Hierarchy& hierarchy);
  /// Returns the level-`level` row that contains a pointer (or, if `leaf`, a large page) for the
  /// page `vpn`, or null if no row does.
  const Row* Find(unsigned level, bool leaf, const SpaceShape& shape, unsigned space, uint64_t vpn);
  /// Returns an identifier of the row that a pointer uses. Pointers with the same row replace each
  /// other. Null means that the pointer may use any row.
  const void* PlaceOf(unsigned level, const SpaceShape& shape, unsigned space, uint64_t vpn) {
    return kind_ == Hierarchy::WalkCache::kSplit ? &Direct(level, space, Kept(shape, level, vpn)) : nullptr;
  }
  void Enter(unsigned level, bool leaf, const SpaceShape& shape, unsigned space, uint64_t vpn);
  template <typename Overlaps>
  void Drop(Overlaps overlaps) {
    for (std::vector<Row>& rows : rows_)
      for (Row& row : rows) row.valid = row.valid && !overlaps(row.space, row.tag, row.shift);
  }

 private:
  static uint64_t Kept(const SpaceShape& shape, unsigned level, uint64_t vpn) {
    const unsigned shift = shape.shift[level] - 12u;
    return vpn >> shift << shift;
  }
  Row& Direct(unsigned level, unsigned space, uint64_t tag);

  const Hierarchy::WalkCache kind_;
  std::array<std::vector<Row>, 6> rows_;  ///< by level; kUnified uses the first
  unsigned index_bits_ = 1;               ///< bits of a row index within a level
  uint64_t uses_ = 0;
};

/// A data cache for table reads, with 64-byte lines and LRU replacement. It holds no data, because
/// Mmu reads the tables.
class PteCache {
 public:
  PteCache(unsigned lines, unsigned ways);
  bool present() const { return !lines_.empty(); }
  /// Whether the word's line is cached. If so, sets `ready_ps` to the time at which the line is
  /// available.
  bool Find(bool vram, uint64_t address, uint64_t& ready_ps);
  void Enter(bool vram, uint64_t address, uint64_t ready_ps);

 private:
  struct Line {
    uint64_t tag = ~uint64_t{0}, used = 0, ready_ps = 0;
  };
  static uint64_t Tag(bool vram, uint64_t address) { return (address >> 6) << 1 | (vram ? 1 : 0); }
  Line* SetOf(uint64_t tag);

  unsigned ways_ = 1;
  std::vector<Line> lines_;
  uint64_t uses_ = 0;
};

}  // namespace gmmu::sim::twin
