// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/placement.h"

#include <utility>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/kernel.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/page_entries.h"
#include "os/vidmm/paging_work.h"

namespace gmmu::os {

Placement::Placement(PhysicalAdapter& gpu, PagingWork& work)
    : gpu_(gpu), work_(work), random_(gpu.kernel().parameters().seed, "vidmm") {}

bool Placement::TryMakeResident(Allocation& allocation) {
  for (const Homes::Place& place : allocation.homes.places) {
    if (allocation.local) break;
    if (place.segment == 0 || gpu_.segment(place.segment).aperture) continue;
    if (auto taken = TryTake(allocation, place, false)) Put(allocation, std::move(*taken));
  }
  return allocation.local != nullptr;
}

RangeAllocator::Place Placement::PlaceOf(bool movable) const {
  if (gpu_.kernel().parameters().vram_placement == VramPlacement::kScattered) return RangeAllocator::Place::kBySeed;
  return movable ? RangeAllocator::Place::kLowest : RangeAllocator::Place::kHighest;
}

std::optional<SegmentPages> Placement::TryTake(const Allocation& allocation, const Homes::Place& place, bool movable) {
  Segment& segment = gpu_.segment(place.segment);
  const uint64_t pages = PagesOf(allocation.bytes);
  if (allocation.contiguous != 0) {
    return SegmentPages::AllocateContiguous(segment, pages, allocation.contiguous, allocation.name,
                                            place.from_end ? RangeAllocator::Place::kHighest : PlaceOf(movable));
  }
  SegmentPages::Shape shape{PlaceOf(movable), allocation.broken_percent};
  if (shape.place != RangeAllocator::Place::kBySeed) shape.large_pages = Mappings::LargePageBytes(allocation) / kPage;
  return SegmentPages::Allocate(segment, pages, random_, allocation.name, shape);
}

void Placement::Put(Allocation& allocation, SegmentPages pages) {
  allocation.local = std::make_unique<SegmentPages>(std::move(pages));
}

void Placement::MakeResident(Allocation& allocation) {
  if (TryMakeResident(allocation)) return;
  if (allocation.homes.memory == 0)
    throw OsError(allocation.name + " has no place in VRAM: its driver names no memory segment");
  unsigned first = 0;
  std::string free;
  for (const Homes::Place& place : allocation.homes.places) {
    if (place.segment == 0 || gpu_.segment(place.segment).aperture) continue;
    if (first == 0) first = place.segment;
    free += (free.empty() ? "" : " and ") + std::to_string(gpu_.segment(place.segment).space->free_bytes());
  }
  throw NoRoom(gpu_.index(), first,
               "no room in VRAM for " + std::to_string(allocation.bytes) + " bytes of " + allocation.name + "; " +
                   free + " are free");
}

void Placement::Evict(Allocation& allocation) {
  if (!allocation.local) return;
  allocation.local->Release(gpu_.kernel());
  allocation.local.reset();
}

void Placement::NotifyResident(Allocation& allocation) {
  if (!allocation.explicit_residency || allocation.notified || allocation.segment() == 0) return;
  allocation.notified = true;
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_NOTIFY_RESIDENCY;
  operation.NotifyResidency.hAllocation = allocation.handle;
  const uint64_t page = allocation.local ? allocation.local->page(0) : *allocation.aperture_page;
  operation.NotifyResidency.PhysicalAddress = {allocation.segment(), 0, page * hw::kPageSize};
  operation.NotifyResidency.Resident = 1;
  work_.Add(operation);
}

void Placement::NotifyEvicted(Allocation& allocation) {
  if (!allocation.notified) return;
  allocation.notified = false;
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_NOTIFY_RESIDENCY;
  operation.NotifyResidency.hAllocation = allocation.handle;
  work_.Add(operation);
}

SegmentPages Placement::Take(uint64_t pages, const std::string& what) {
  Segment& segment = gpu_.local_segment();
  auto taken = SegmentPages::Allocate(segment, pages, random_, what, {PlaceOf(false)});
  if (!taken) throw NoRoom(gpu_.index(), segment.id, "no room in VRAM for the " + what + " of the paging process");
  return std::move(*taken);
}

}  // namespace gmmu::os
