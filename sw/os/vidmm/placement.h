// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "os/base/random.h"
#include "os/miniport/allocation.h"
#include "os/miniport/segments.h"

namespace gmmu::os {

class PagingWork;
class PhysicalAdapter;
struct Allocation;

/// Manages the memory segments of one GPU: allocates pages for allocations, trying the segments in
/// the order of their Homes, frees the pages, and sends the residency notifications that drivers
/// request (NOTIFY_RESIDENCY). It moves no contents and changes no page-table entries. Call on the
/// VidMm worker thread only.
class Placement {
 public:
  Placement(PhysicalAdapter& gpu, PagingWork& work);

  /// Allocates memory for the whole allocation in one of its memory segments; the contents are undefined. MakeResident
  /// throws OsError if the allocation has no memory segment, and NoRoom if its segments are full; TryMakeResident
  /// returns false in both cases. After a failure, nothing is allocated.
  void MakeResident(Allocation& allocation);
  bool TryMakeResident(Allocation& allocation);
  /// The two steps of MakeResident, for a single memory segment: TryTake allocates the pages, and
  /// Put assigns them to the allocation. TryTake returns nullopt if the segment has no room.
  /// `movable`: Residency may move the allocation, so it may be placed among other movable
  /// allocations (VramPlacement::kFirstFit).
  std::optional<SegmentPages> TryTake(const Allocation& allocation, const Homes::Place& place, bool movable);
  void Put(Allocation& allocation, SegmentPages pages);
  /// Frees the allocation's memory in its memory segment; the contents are lost. No page-table
  /// entry may map that memory any more.
  void Evict(Allocation& allocation);

  /// Notify the driver, if it requests residency notifications, once per move. Call NotifyResident
  /// after the last fill or transfer; it reports the allocation's segment address. Call
  /// NotifyEvicted before the contents are moved out; it reports that the allocation has no
  /// address.
  void NotifyResident(Allocation& allocation);
  void NotifyEvicted(Allocation& allocation);

  /// Allocates scattered pages of VRAM for the system itself. Throws NoRoom with the message "no
  /// room in VRAM for ...".
  SegmentPages Take(uint64_t pages, const std::string& what);

 private:
  RangeAllocator::Place PlaceOf(bool movable) const;

  PhysicalAdapter& gpu_;
  PagingWork& work_;
  Random random_;
};

}  // namespace gmmu::os
