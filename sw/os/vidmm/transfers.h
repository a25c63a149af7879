// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>

namespace gmmu::os {

class SystemBuffer;
class VidMm;
struct Allocation;

/// Called with the bytes that are done so far; may be empty.
using Progress = std::function<void(uint64_t)>;

/// Contents of resident allocations: moved from and to system memory, copied and filled, through the scratch windows,
/// or by WDDM 1 operations where the system uses those (`physical_paging`). Of an allocation that is in no memory segment
/// the backing store has the bytes, and the CPU moves them. `bytes` are of any size. Calls return when the work is done.
/// Call on the VidMm worker thread only.
class Transfers {
 public:
  explicit Transfers(VidMm& vidmm) : vidmm_(vidmm) {}

  /// Host memory into the allocation, and back.
  void PageIn(Allocation& allocation, SystemBuffer& source, uint64_t bytes, const Progress& progress);
  void PageOut(Allocation& allocation, SystemBuffer& target, uint64_t bytes, const Progress& progress);
  /// From VRAM to VRAM. The target lives on this GPU; the source may be another linked GPU's.
  void CopyLocal(Allocation& source, Allocation& target, uint64_t bytes);
  /// Fills the allocation from `offset` on.
  void Fill(Allocation& allocation, uint64_t offset, uint64_t bytes, uint32_t pattern);
  /// Tells the driver that the allocation's content goes without being written back (WDDM 1 only); queued.
  void Discard(const Allocation& allocation);

  /// The GPU reads the aperture segment from byte `aperture_offset` on into the allocation, from page `offset` on.
  void CopyFromAperture(uint64_t aperture_offset, Allocation& allocation, uint64_t offset, uint64_t bytes);
  /// Page-out of an allocation whose EvictionSegmentSet has an aperture segment: through a range of that, whose pages
  /// are `target`'s (driver documents). In pieces when the aperture has no room for all; by PageOut when it has none.
  void EvictThroughAperture(Allocation& allocation, SystemBuffer& target);

 private:
  void Transfer(Allocation& allocation, SystemBuffer& buffer, uint64_t bytes, bool in, const Progress& progress);

  VidMm& vidmm_;
};

}  // namespace gmmu::os
