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

/// Memory segments of one GPU: gives allocations pages in the order of their Homes, takes the pages away, and
/// tells drivers that asked for it (NOTIFY_RESIDENCY). It moves no contents and changes no entries. Worker's.
class Placement {
 public:
  Placement(PhysicalAdapter& gpu, PagingWork& work);

  /// Memory of one of its memory segments for all of the allocation; its contents are undefined. Throws OsError when
  /// it has none, NoRoom when they are full; TryMakeResident then answers false. Nothing is taken in that case.
  void MakeResident(Allocation& allocation);
  bool TryMakeResident(Allocation& allocation);
  /// The two halves of it for one place, in a memory segment; nullopt: there is no room.
  std::optional<SegmentPages> TryTake(const Allocation& allocation, const Homes::Place& place);
  void Put(Allocation& allocation, SegmentPages pages);
  /// Gives its memory in a segment up, contents and all. No entry may lead there any more.
  void Evict(Allocation& allocation);

  /// Tells a driver that asked for it where in a segment the allocation is, behind its last fill or transfer; or, before
  /// its content goes, that it is nowhere. Once for each time that it comes and goes.
  void NotifyResident(Allocation& allocation);
  void NotifyEvicted(Allocation& allocation);

  /// Scattered pages of VRAM for the system itself. Throws NoRoom, whose text begins with "no room in VRAM for".
  SegmentPages Take(uint64_t pages, const std::string& what);

 private:
  PhysicalAdapter& gpu_;
  PagingWork& work_;
  Random random_;
};

}  // namespace gmmu::os
