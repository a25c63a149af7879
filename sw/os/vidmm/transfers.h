// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>

#include "os/base/variety.h"

namespace gmmu::os {

class SystemBuffer;
class VidMm;
struct Allocation;

/// Called with the number of bytes completed so far; may be empty.
using Progress = std::function<void(uint64_t)>;

/// Moves the contents of resident allocations to and from system memory, and copies and fills allocations. It uses the
/// scratch windows, or WDDM 1 operations if the system uses those (`physical_paging`). If an allocation is not in a
/// memory segment, its contents are in the backing store, and the CPU moves them. `bytes` need not be a multiple of the
/// page size. Calls return when the work is complete. Call on the VidMm worker thread only.
class Transfers {
 public:
  explicit Transfers(VidMm& vidmm);

  /// PageIn copies host memory into the allocation, PageOut copies it back.
  void PageIn(Allocation& allocation, SystemBuffer& source, uint64_t bytes, const Progress& progress = nullptr);
  void PageOut(Allocation& allocation, SystemBuffer& target, uint64_t bytes, const Progress& progress = nullptr);
  /// Copies from VRAM to VRAM. The target is on this GPU; the source may be on another linked GPU.
  void CopyLocal(Allocation& source, Allocation& target, uint64_t bytes);
  /// Fills the allocation, starting at byte `offset`.
  void Fill(Allocation& allocation, uint64_t offset, uint64_t bytes, uint32_t pattern);
  /// Notifies the driver that the allocation's contents are dropped without a copy (WDDM 1 only). The operation is only
  /// queued.
  void Discard(const Allocation& allocation);

  /// Makes the GPU copy from the aperture segment, starting at byte `aperture_offset`, into the allocation, starting at
  /// page `offset`.
  void CopyFromAperture(uint64_t aperture_offset, Allocation& allocation, uint64_t offset, uint64_t bytes);
  /// Pages out an allocation whose EvictionSegmentSet contains an aperture segment. The copy runs through an aperture
  /// range that maps `target` (driver documents). The copy is done in pieces if the aperture lacks room for all bytes;
  /// if the aperture has no room at all, PageOut is called instead.
  void EvictThroughAperture(Allocation& allocation, SystemBuffer& target);

 private:
  void Transfer(Allocation& allocation, SystemBuffer& buffer, uint64_t bytes, bool in, const Progress& progress);
  /// Call it after the CPU has written bytes [offset, offset + bytes) of the backing store of a resident allocation.
  void WrittenByCpu(const Allocation& allocation, uint64_t offset, uint64_t bytes);

  VidMm& vidmm_;
  Variety variety_;
};

}  // namespace gmmu::os
