// SPDX-License-Identifier: Apache-2.0
#include "os/base/free_ranges.h"

#include <algorithm>

namespace gmmu::os {
namespace {

constexpr size_t kHolesOfAGroup = 256;  // at most; more are two groups

uint64_t FirstStart(uint64_t start, const FreeRanges::Wanted& wanted) {
  return (std::max(start, wanted.from) + wanted.alignment - 1) & ~(wanted.alignment - 1);
}

/// The first of `holes` that ends behind `start`.
auto EndsBehind(const std::vector<FreeRanges::Hole>& holes, uint64_t start) {
  return std::partition_point(holes.begin(), holes.end(), [&](const auto& hole) { return hole.end <= start; });
}

}  // namespace

size_t FreeRanges::GroupOf(uint64_t start) const {
  const auto behind = std::partition_point(groups_.begin(), groups_.end(),
                                           [&](const Group& group) { return group.holes.front().start <= start; });
  return behind == groups_.begin() ? 0 : static_cast<size_t>(behind - groups_.begin()) - 1;
}

void FreeRanges::Insert(Hole hole) {
  if (groups_.empty()) {
    groups_.push_back({{hole}});
    return;
  }
  const size_t at = GroupOf(hole.start);
  auto& holes = groups_[at].holes;
  groups_[at].size = 0;
  holes.insert(EndsBehind(holes, hole.start), hole);
  if (holes.size() <= kHolesOfAGroup) return;
  Group upper;
  upper.holes.assign(holes.begin() + kHolesOfAGroup / 2, holes.end());
  holes.resize(kHolesOfAGroup / 2);
  groups_.insert(groups_.begin() + at + 1, std::move(upper));
}

void FreeRanges::Erase(size_t group, size_t at) {
  auto& holes = groups_[group].holes;
  groups_[group].size = 0;
  holes.erase(holes.begin() + at);
  if (holes.empty()) groups_.erase(groups_.begin() + group);
}

void FreeRanges::Add(uint64_t start, uint64_t end) {
  if (start >= end) return;
  if (!groups_.empty()) {  // the hole below, then the one above, where they touch
    const size_t group = GroupOf(start);
    const auto& holes = groups_[group].holes;
    const auto above = std::partition_point(holes.begin(), holes.end(),
                                            [&](const Hole& hole) { return hole.start < start; });
    if (above != holes.begin() && (above - 1)->end == start) {
      start = (above - 1)->start;
      Erase(group, static_cast<size_t>(above - 1 - holes.begin()));
    }
  }
  if (!groups_.empty()) {
    const size_t group = GroupOf(end);
    const auto& holes = groups_[group].holes;
    const auto above = std::partition_point(holes.begin(), holes.end(),
                                            [&](const Hole& hole) { return hole.start < end; });
    if (above != holes.end() && above->start == end) {
      end = above->end;
      Erase(group, static_cast<size_t>(above - holes.begin()));
    }
  }
  Insert({start, end});
}

uint64_t FreeRanges::Remove(uint64_t start, uint64_t end) {
  uint64_t removed = 0;
  while (!groups_.empty()) {
    size_t group = GroupOf(start);
    auto hole = EndsBehind(groups_[group].holes, start);
    if (hole == groups_[group].holes.end()) {
      if (++group == groups_.size()) break;
      hole = groups_[group].holes.begin();
    }
    if (hole->start >= end) break;
    const Hole whole = *hole;
    Erase(group, static_cast<size_t>(hole - groups_[group].holes.begin()));
    if (whole.start < start) Insert({whole.start, start});
    if (end < whole.end) Insert({end, whole.end});
    removed += std::min(end, whole.end) - std::max(start, whole.start);
  }
  return removed;
}

bool FreeRanges::Has(uint64_t start, uint64_t end) const {
  if (start >= end || groups_.empty()) return false;
  const auto& holes = groups_[GroupOf(start)].holes;
  const auto hole = EndsBehind(holes, start);
  return hole != holes.end() && hole->start <= start && end <= hole->end;
}

uint64_t FreeRanges::PlacesOf(const Hole& hole, const Wanted& wanted) {
  const uint64_t end = std::min(hole.end, wanted.to);
  const uint64_t first = FirstStart(hole.start, wanted);
  if (first < hole.start || first > end || end - first < wanted.size) return 0;
  return ((end - first - wanted.size) >> __builtin_ctzll(wanted.alignment)) + 1;
}

uint64_t FreeRanges::PlacesOf(const Group& group, const Wanted& wanted) {
  const bool whole = wanted.from <= group.holes.front().start && group.holes.back().end <= wanted.to;
  if (whole && group.size == wanted.size && group.alignment == wanted.alignment) return group.places;
  uint64_t places = 0;
  for (const Hole& hole : group.holes) places += PlacesOf(hole, wanted);
  if (whole) {
    group.size = wanted.size;
    group.alignment = wanted.alignment;
    group.places = places;
  }
  return places;
}

uint64_t FreeRanges::Places(const Wanted& wanted) const {
  uint64_t places = 0;
  for (const Group& group : groups_) places += PlacesOf(group, wanted);
  return places;
}

uint64_t FreeRanges::Start(const Wanted& wanted, uint64_t place) const {
  for (const Group& group : groups_) {
    const uint64_t of_group = PlacesOf(group, wanted);
    if (place >= of_group) {
      place -= of_group;
      continue;
    }
    for (const Hole& hole : group.holes) {
      const uint64_t of_hole = PlacesOf(hole, wanted);
      if (place < of_hole) return FirstStart(hole.start, wanted) + place * wanted.alignment;
      place -= of_hole;
    }
  }
  return 0;
}

}  // namespace gmmu::os
