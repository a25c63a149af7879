// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/ranges.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "os/kernel/bug_check.h"
#include "os/kernel/errors.h"
#include "os/kernel/text.h"

namespace gmmu::os {

RangeAllocator::RangeAllocator(uint64_t start, uint64_t end, uint64_t seed, std::string kind, std::string owner,
                               Ledger& ledger)
    : random_(seed, kind + "/" + owner), kind_(std::move(kind)), owner_(std::move(owner)), ledger_(ledger) {
  if (start < end) {
    free_.emplace(start, end);
    free_bytes_ = end - start;
  }
}

void RangeAllocator::Remove(std::map<uint64_t, uint64_t>::iterator hole, uint64_t start, uint64_t size) {
  const uint64_t hole_start = hole->first;
  const uint64_t hole_end = hole->second;
  free_.erase(hole);
  if (hole_start < start) free_.emplace(hole_start, start);
  if (start + size < hole_end) free_.emplace(start + size, hole_end);
  free_bytes_ -= size;
}

void RangeAllocator::Exclude(uint64_t start, uint64_t end) {
  auto hole = free_.upper_bound(start);
  if (hole != free_.begin()) --hole;
  while (hole != free_.end() && hole->first < end) {
    const auto next = std::next(hole);
    const uint64_t from = std::max(start, hole->first);
    const uint64_t to = std::min(end, hole->second);
    if (from < to) Remove(hole, from, to - from);
    hole = next;
  }
}

std::optional<uint64_t> RangeAllocator::Allocate(uint64_t size, uint64_t alignment, const std::string& created_by,
                                                 Place where) {
  return AllocateIn(0, ~uint64_t{0}, size, alignment, created_by, where);
}

std::optional<uint64_t> RangeAllocator::AllocateWithin(uint64_t from, uint64_t to, uint64_t size, uint64_t alignment,
                                                       const std::string& created_by) {
  return AllocateIn(from, to, size, alignment, created_by, Place::kBySeed);
}

std::optional<uint64_t> RangeAllocator::AllocateIn(uint64_t from, uint64_t to, uint64_t size, uint64_t alignment,
                                                   const std::string& created_by, Place where) {
  if (size == 0) return std::nullopt;
  const uint64_t mask = alignment - 1;
  uint64_t places = 0;  // aligned starts over all holes
  auto count = [&](uint64_t start, uint64_t end) -> uint64_t {
    start = std::max(start, from);
    end = std::min(end, to);
    const uint64_t first = (start + mask) & ~mask;
    if (first < start || first > end || end - first < size) return 0;
    return (end - first - size) / alignment + 1;
  };
  for (const auto& [start, end] : free_) places += count(start, end);
  if (places == 0) return std::nullopt;
  uint64_t place = where == Place::kLowest ? 0 : where == Place::kHighest ? places - 1 : random_.Below(places);
  for (auto hole = free_.begin(); hole != free_.end(); ++hole) {
    const uint64_t here = count(hole->first, hole->second);
    if (place >= here) {
      place -= here;
      continue;
    }
    const uint64_t start = ((std::max(hole->first, from) + mask) & ~mask) + place * alignment;
    Remove(hole, start, size);
    used_.emplace(start, Used{size, ledger_.Open(kind_, Hex(start) + "+" + Hex(size), owner_, created_by)});
    return start;
  }
  return std::nullopt;
}

bool RangeAllocator::AllocateAt(uint64_t start, uint64_t size, const std::string& created_by) {
  auto hole = free_.upper_bound(start);
  if (size == 0 || hole == free_.begin()) return false;
  --hole;
  if (start >= hole->second || hole->second - start < size) return false;
  Remove(hole, start, size);
  used_.emplace(start, Used{size, ledger_.Open(kind_, Hex(start) + "+" + Hex(size), owner_, created_by)});
  return true;
}

void RangeAllocator::Free(uint64_t start) {
  const auto used = FindOrStop(used_, start, "free of ", kind_, " ", Hex(start), ", which is not allocated");
  uint64_t end = start + used->second.size;
  free_bytes_ += used->second.size;
  ledger_.Close(used->second.ticket);
  used_.erase(used);
  auto next = free_.lower_bound(start);
  if (next != free_.end() && next->first == end) {
    end = next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    auto before = std::prev(next);
    if (before->second == start) {
      before->second = end;
      return;
    }
  }
  free_.emplace(start, end);
}

}  // namespace gmmu::os
