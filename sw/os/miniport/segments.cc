// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/kernel.h"
#include "os/miniport/segments.h"

#include <algorithm>
#include <utility>

namespace gmmu::os {
namespace {
constexpr uint64_t kBlockPages = 16;  // 64 KiB, the block size of contiguous entries
}

void SegmentPages::Add(uint64_t start, uint64_t pages) {
  ranges_.push_back({start, pages_.size()});
  for (uint64_t i = 0; i < pages; ++i) pages_.push_back(start / hw::kPageSize + i);
}

std::optional<SegmentPages> SegmentPages::Allocate(Segment& segment, uint64_t count, Random& random,
                                                   const std::string& created_by, const Shape& shape) {
  using Place = RangeAllocator::Place;
  SegmentPages taken;
  taken.segment_ = &segment;
  const auto take = [&](uint64_t pages, Place place) {
    const auto start = segment.space->Allocate(pages * hw::kPageSize, pages * hw::kPageSize, created_by, place);
    if (start) taken.Add(*start, pages);
    return start.has_value();
  };
  // By default, three quarters of the scattered blocks are allocated whole. The others are split
  // into single pages, so that tests also cover single pages.
  const bool scattered = shape.place == Place::kBySeed;
  const auto broken = [&] {
    if (shape.broken_percent) return random.Below(100) < *shape.broken_percent;
    return scattered && random.Below(4) == 0;
  };
  bool large = shape.large_pages > kBlockPages && !shape.broken_percent;
  while (taken.pages_.size() < count) {
    const uint64_t left = count - taken.pages_.size();
    large = large && left >= shape.large_pages && take(shape.large_pages, shape.place);
    if (large) continue;
    const bool split = left < kBlockPages || broken();
    if ((!split || segment.pages_64k) && take(kBlockPages, shape.place)) continue;
    const uint64_t singles = left < kBlockPages ? left : kBlockPages;
    const Place place = split && shape.broken_percent ? Place::kBySeed : shape.place;
    for (uint64_t i = 0; i < singles; ++i) {
      if (!segment.pages_64k && take(1, place)) continue;
      taken.Free();
      return std::nullopt;
    }
  }
  return taken;
}

std::optional<SegmentPages> SegmentPages::AllocateContiguous(Segment& segment, uint64_t count, uint64_t alignment,
                                                             const std::string& created_by,
                                                             RangeAllocator::Place place) {
  const uint64_t unit = segment.page_bytes() / hw::kPageSize;
  count = (count + unit - 1) / unit * unit;
  const auto start = segment.space->Allocate(count * hw::kPageSize, std::max(alignment, segment.page_bytes()),
                                             created_by, place);
  if (!start) return std::nullopt;
  SegmentPages taken;
  taken.segment_ = &segment;
  taken.Add(*start, count);
  return taken;
}

std::optional<SegmentPages> SegmentPages::MovedOutOf(uint64_t start, uint64_t end, bool split,
                                                     const std::string& created_by) {
  SegmentPages moved = *this;
  moved.ranges_.clear();
  std::vector<Range> old, taken;
  const auto take = [&](uint64_t index, uint64_t pages) {
    const uint64_t bytes = pages * hw::kPageSize;
    const auto place = segment_->space->Allocate(bytes, bytes, created_by, RangeAllocator::Place::kLowest);
    if (!place) return false;
    taken.push_back({*place, index});
    for (uint64_t page = 0; page < pages; ++page) moved.pages_[index + page] = *place / hw::kPageSize + page;
    return true;
  };
  const auto take_singles = [&](uint64_t index, uint64_t pages) {
    for (uint64_t page = 0; page < pages; ++page)
      if (!take(index + page, 1)) return false;
    return true;
  };
  for (size_t i = 0; i < ranges_.size(); ++i) {
    const auto [at, index] = ranges_[i];
    const uint64_t next = i + 1 < ranges_.size() ? ranges_[i + 1].index : pages_.size();
    const uint64_t pages = next - index, bytes = pages * hw::kPageSize;
    if (at >= end || at + bytes <= start) {
      moved.ranges_.push_back(ranges_[i]);
      continue;
    }
    const bool movable = at >= start && at + bytes <= end && (pages & (pages - 1)) == 0;
    const size_t before = taken.size();
    if (!movable || (!take(index, pages) && !(split && take_singles(index, pages)))) {
      for (const Range& range : taken) segment_->space->Free(range.start);
      return std::nullopt;
    }
    old.push_back(ranges_[i]);
    moved.ranges_.insert(moved.ranges_.end(), taken.begin() + static_cast<ptrdiff_t>(before), taken.end());
  }
  ranges_ = std::move(old);
  return moved;
}

bool SegmentPages::IsBlock(uint64_t index, uint64_t count) const {
  if (count == 0 || index + count > pages_.size() || pages_[index] % count != 0) return false;
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), index,
                                      [](uint64_t at, const Range& range) { return at < range.index; });
  return after == ranges_.end() || index + count <= after->index;
}

uint64_t SegmentPages::Blocks(uint64_t count) const {
  uint64_t blocks = 0;
  for (uint64_t index = 0; index + count <= pages_.size(); index += count) blocks += IsBlock(index, count) ? 1 : 0;
  return blocks;
}

void SegmentPages::Free() {
  for (const Range& range : ranges_) segment_->space->Free(range.start);
  ranges_.clear();
  pages_.clear();
}

void SegmentPages::Release(Kernel& kernel) {
  const auto leaks = [&](const Range&) { return kernel.LeakNow("vram_range"); };
  ranges_.erase(std::remove_if(ranges_.begin(), ranges_.end(), leaks), ranges_.end());
  Free();
}

}  // namespace gmmu::os
