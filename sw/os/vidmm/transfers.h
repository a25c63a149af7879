// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>

#include "os/base/variety.h"

namespace gmmu::os {

class SystemBuffer;
class VidMm;
struct Allocation;

/// A progress callback, which receives the number of bytes completed so far. May be empty.
using Progress = std::function<void(uint64_t)>;

/// Copies the contents of resident allocations to and from system memory and between allocations,
/// and fills allocations. It uses scratch windows, or WDDM 1 operations with `physical_paging`. If
/// an allocation is not in a memory segment, its contents are in the backing store and the CPU
/// copies them. `bytes` need not be a multiple of the page size. Calls return when the work is
/// complete. Call on the VidMm worker thread only.
class Transfers {
 public:
  explicit Transfers(VidMm& vidmm);

  /// PageIn copies from host memory into the allocation; PageOut copies from the allocation to host
  /// memory.
  void PageIn(Allocation& allocation, SystemBuffer& source, uint64_t bytes, const Progress& progress = nullptr);
  void PageOut(Allocation& allocation, SystemBuffer& target, uint64_t bytes, const Progress& progress = nullptr);
  /// Copies from VRAM to VRAM. The target is on this GPU; the source may be on a linked GPU.
  void CopyLocal(Allocation& source, Allocation& target, uint64_t bytes);
  /// Fills `bytes` bytes of the allocation, starting at byte `offset`.
  void Fill(Allocation& allocation, uint64_t offset, uint64_t bytes, uint32_t pattern);
  /// Notifies the driver that the allocation's contents are discarded (DISCARD_CONTENT, WDDM 1
  /// only). Returns when the operation has been queued.
  void Discard(const Allocation& allocation);

  /// Has the GPU copy `bytes` bytes from the aperture segment, starting at byte `aperture_offset`,
  /// into the allocation, starting at byte `offset`, which must be a multiple of a page.
  void CopyFromAperture(uint64_t aperture_offset, Allocation& allocation, uint64_t offset, uint64_t bytes);
  /// Pages out an allocation whose EvictionSegmentSet contains an aperture segment, by a copy to an
  /// aperture range that maps `target` (driver documents). If the aperture lacks room for all
  /// bytes, the copy is done in pieces; if it has no room at all, PageOut is used instead.
  void EvictThroughAperture(Allocation& allocation, SystemBuffer& target);

 private:
  void Transfer(Allocation& allocation, SystemBuffer& buffer, uint64_t bytes, bool in, const Progress& progress);
  /// Call after the CPU has written bytes [offset, offset + bytes) of a resident allocation's
  /// backing store. Writes the CPU's caches back if the aperture requires it.
  void WrittenByCpu(const Allocation& allocation, uint64_t offset, uint64_t bytes);

  VidMm& vidmm_;
  Variety variety_;
};

}  // namespace gmmu::os
