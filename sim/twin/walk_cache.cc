// SPDX-License-Identifier: Apache-2.0
#include "twin/walk_cache.h"

#include <algorithm>

namespace gmmu::sim::twin {
namespace {

/// Returns how many bits an index below `count` needs; `count` need not be a power of two.
unsigned Lg2(uint64_t count) {
  unsigned lg2 = 0;
  while ((uint64_t{1} << lg2) < count) ++lg2;
  return lg2;
}

}  // namespace

WalkCache::WalkCache(unsigned rows, const Hierarchy& hierarchy)
    : kind_(hierarchy.walk_cache), index_bits_(std::max(1u, Lg2(rows))) {
  if (kind_ == Hierarchy::WalkCache::kUnified) rows_[0].resize(std::max(1u, hierarchy.walk_cache_entries));
  else
    for (std::vector<Row>& level : rows_) level.resize(rows);
}

WalkCache::Row& WalkCache::Direct(unsigned level, unsigned space, uint64_t tag) {
  std::vector<Row>& rows = rows_[level];
  uint64_t index = space;
  for (uint64_t rest = tag; rest != 0; rest >>= index_bits_) index ^= rest;
  return rows[index & (rows.size() - 1)];
}

const WalkCache::Row* WalkCache::Find(unsigned level, bool leaf, const SpaceShape& shape, unsigned space,
                                      uint64_t vpn) {
  const uint64_t tag = Kept(shape, level, vpn);
  const auto agrees = [&](const Row& row) {
    return row.valid && row.leaf == leaf && row.space == space && row.tag == tag && row.level == level;
  };
  if (kind_ != Hierarchy::WalkCache::kUnified) {
    const Row& row = Direct(level, space, tag);
    return agrees(row) ? &row : nullptr;
  }
  for (Row& row : rows_[0]) {
    if (!agrees(row)) continue;
    row.used = ++uses_;
    return &row;
  }
  return nullptr;
}

void WalkCache::Enter(unsigned level, bool leaf, const SpaceShape& shape, unsigned space, uint64_t vpn) {
  if (kind_ == Hierarchy::WalkCache::kNone && !leaf) return;
  const uint64_t tag = Kept(shape, level, vpn);
  Row* place = nullptr;
  if (kind_ == Hierarchy::WalkCache::kUnified) {
    place = &*std::min_element(rows_[0].begin(), rows_[0].end(), [](const Row& a, const Row& b) {
      return a.valid != b.valid ? !a.valid : a.used < b.used;
    });
    for (Row& row : rows_[0])
      if (row.valid && row.leaf == leaf && row.space == space && row.tag == tag && row.level == level) place = &row;
  } else {
    place = &Direct(level, space, tag);
  }
  *place = {true, leaf, space, shape.shift[level] - 12u, tag, level, ++uses_};
}

PteCache::PteCache(unsigned lines, unsigned ways) : ways_(std::max(1u, std::min(ways, lines))) {
  lines_.resize(lines / ways_ * ways_);
}

PteCache::Line* PteCache::SetOf(uint64_t tag) { return &lines_[(tag >> 1) % (lines_.size() / ways_) * ways_]; }

bool PteCache::Find(bool vram, uint64_t address, uint64_t& ready_ps) {
  const uint64_t tag = Tag(vram, address);
  Line* const set = SetOf(tag);
  for (unsigned way = 0; way < ways_; ++way) {
    if (set[way].tag != tag) continue;
    set[way].used = ++uses_;
    ready_ps = set[way].ready_ps;
    return true;
  }
  return false;
}

void PteCache::Enter(bool vram, uint64_t address, uint64_t ready_ps) {
  const uint64_t tag = Tag(vram, address);
  Line* const set = SetOf(tag);
  Line* const place = std::min_element(set, set + ways_, [](const Line& a, const Line& b) { return a.used < b.used; });
  *place = {tag, ++uses_, ready_ps};
}

}  // namespace gmmu::sim::twin
