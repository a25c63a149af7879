// SPDX-License-Identifier: Apache-2.0
// The part of Residency that moves allocations within a memory segment to make large blocks.
#include <algorithm>
#include <utility>
#include <vector>

#include "os/base/page_math.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/kernel.h"
#include "os/miniport/compaction.h"
#include "os/miniport/segments.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/allocations.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/placement.h"
#include "os/vidmm/residency.h"
#include "os/vidmm/suspended_contexts.h"
#include "os/vidmm/transfers.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {

void Residency::Compact(unsigned segment, uint64_t block, uint64_t count, const Wanted& wanted) {
  if (vidmm_.gpu().physical_paging()) return;
  std::vector<Allocation*> movable;
  std::vector<const SegmentPages*> pages;
  for (Allocation* each : vidmm_.allocations().all()) {  // iterates in creation order
    if (!each->local || each->segment() != segment || each->used == 0 || each->contiguous != 0 || each->offered ||
        each->locked)
      continue;
    if (std::find(wanted.begin(), wanted.end(), each) != wanted.end()) continue;
    movable.push_back(each);
    pages.push_back(each->local.get());
  }
  const auto move = [&](size_t index, uint64_t start, uint64_t end) -> const SegmentPages* {
    return MoveOutOf(*movable[index], start, end) ? movable[index]->local.get() : nullptr;
  };
  Compaction compaction(vidmm_.gpu().segment(segment), block, pages, move);
  compaction.Free(count);
  counts_.bytes_moved += compaction.moved_pages() * kPage;
}

bool Residency::MoveOutOf(Allocation& allocation, uint64_t start, uint64_t end) {
  // Single pages between 64 KiB pages would need a second leaf table.
  const bool split = !allocation.local->segment().pages_64k && vidmm_.gpu().caps().geometry.leaf_64k_bytes == 0;
  auto pages = allocation.local->MovedOutOf(start, end, split, allocation.name);
  if (!pages) return false;
  MoveTo(allocation, std::move(*pages));
  Count(counts_.moves, "moves");
  return true;
}

void Residency::MoveTo(Allocation& allocation, SegmentPages pages) {
  const SuspendedContexts suspended(allocation);
  vidmm_.mappings().Invalidate(allocation);
  Allocation old;
  HandOver(allocation, old);
  vidmm_.placement().Put(allocation, std::move(pages));
  vidmm_.transfers().CopyLocal(old, allocation, allocation.bytes);
  vidmm_.placement().Evict(old);
  vidmm_.placement().NotifyResident(allocation);
  vidmm_.mappings().Restore(allocation);
}

void Residency::Collapse(Allocation& allocation, const Wanted& wanted) {
  const bool movable = allocation.local && allocation.used != 0 && allocation.contiguous == 0 && !allocation.locked;
  const uint64_t large = movable && !vidmm_.gpu().physical_paging() ? Mappings::LargePageBytes(allocation) : 0;
  if (large == 0) return;
  const uint64_t fit = allocation.bytes / large, blocks = allocation.local->Blocks(large / kPage);
  const Segment& segment = vidmm_.gpu().segment(allocation.segment());
  const uint64_t free = segment.space->free_bytes();
  if (blocks >= fit || free < allocation.bytes || std::exchange(allocation.free_at_collapse, free) == free) return;
  Wanted others = wanted;  // the small pages of the allocation itself may be in the way
  others.erase(std::remove(others.begin(), others.end(), &allocation), others.end());
  Compact(segment.id, large, fit, others);
  auto pages = vidmm_.placement().TryTake(allocation, allocation.homes.places[PlaceOf(allocation)], true);
  if (!pages) return;
  if (pages->Blocks(large / kPage) <= blocks) return pages->Release(vidmm_.gpu().kernel());
  MoveTo(allocation, std::move(*pages));
  Count(counts_.collapses, "collapses");
  counts_.bytes_moved += allocation.bytes;
}

}  // namespace gmmu::os
