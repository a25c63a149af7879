// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "twin/policy.h"
#include "twin/walk.h"

namespace gmmu::sim::twin {

/// The walk cache: pointers to tables and large pages. It is direct mapped with rows of its own for each level, as in
/// the hardware; or one for all levels, fully associative, least recently used; or without pointers, so that each walk
/// begins at the root.
class WalkCache {
 public:
  struct Row {
    bool valid = false, leaf = false;
    unsigned space = 0;
    unsigned shift = 0;  ///< pages that it covers, a power of two
    uint64_t tag = 0;
    unsigned level = 0;
    uint64_t used = 0;
  };

  /// Makes `rows` rows for each level.
  WalkCache(unsigned rows, const Hierarchy& hierarchy);
  /// The row of `level` with a pointer, or a large page, for the page; null: none.
  const Row* Find(unsigned level, bool leaf, const SpaceShape& shape, unsigned space, uint64_t vpn);
  /// Identifies the place of a pointer: two pointers with the same place replace each other. Null: it may use any
  /// place.
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
  std::array<std::vector<Row>, 6> rows_;  ///< by level; kUnified: the first
  unsigned index_bits_ = 1;               ///< of a row's number in a level
  uint64_t uses_ = 0;
};

/// A data cache before the tables, of lines of 64 bytes, least recently used. It holds no data: Mmu reads the tables.
class PteCache {
 public:
  PteCache(unsigned lines, unsigned ways);
  bool present() const { return !lines_.empty(); }
  /// Whether the line of the word is present, from `ready_ps` on.
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
