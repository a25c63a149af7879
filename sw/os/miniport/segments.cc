// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/kernel.h"
#include "os/miniport/segments.h"

#include <algorithm>

namespace gmmu::os {
namespace {
constexpr uint64_t kBlockPages = 16;  // 64 KiB, the block size of contiguous entries
}

std::optional<SegmentPages> SegmentPages::Allocate(Segment& segment, uint64_t count, Random& random,
                                                   const std::string& created_by,
                                                   std::optional<unsigned> broken_percent) {
  SegmentPages taken;
  taken.segment_ = &segment;
  auto take = [&](uint64_t pages) {
    const auto start = segment.space->Allocate(pages * hw::kPageSize, pages * hw::kPageSize, created_by);
    if (!start) return false;
    taken.starts_.push_back(*start);
    for (uint64_t i = 0; i < pages; ++i) taken.pages_.push_back(*start / hw::kPageSize + i);
    return true;
  };
  while (taken.pages_.size() < count) {
    const uint64_t left = count - taken.pages_.size();
    // On average, three of four blocks stay whole. The others are split, so that runs also test single pages.
    const auto broken = [&] { return broken_percent ? random.Below(100) < *broken_percent : random.Below(4) == 0; };
    const bool whole = left >= kBlockPages && !broken();
    if ((whole || segment.pages_64k) && take(kBlockPages)) continue;
    const uint64_t singles = left < kBlockPages ? left : kBlockPages;
    for (uint64_t i = 0; i < singles; ++i) {
      if (!segment.pages_64k && take(1)) continue;
      for (uint64_t start : taken.starts_) segment.space->Free(start);
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
  taken.starts_.push_back(*start);
  for (uint64_t i = 0; i < count; ++i) taken.pages_.push_back(*start / hw::kPageSize + i);
  return taken;
}

void SegmentPages::Release(Kernel& kernel) {
  for (uint64_t start : starts_) {
    if (kernel.LeakNow("vram_range")) continue;
    segment_->space->Free(start);
  }
  starts_.clear();
  pages_.clear();
}

}  // namespace gmmu::os
