// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/d3dkmddi.h"

namespace gmmu::os {

class HostMemory;
class VidMm;
struct Allocation;

/// Ranges of a GPU's aperture segment that an application maps to its memory (Aperture). Pages are 4 KiB. Call on the
/// VidMm worker; the calls for the dummy page may be made on any fibre.
class ApertureRanges {
 public:
  ApertureRanges(VidMm& vidmm) : vidmm_(&vidmm) {}

  /// Reserves a range and returns its first page.
  uint64_t Reserve(uint64_t pages) const;
  void Free(uint64_t first) const;
  /// Maps pages of `memory`, from page `memory_page` on, in the range.
  void Bind(uint64_t first, uint64_t pages, const Allocation& allocation, const HostMemory& memory,
            uint64_t memory_page) const;
  void Unbind(uint64_t first, uint64_t pages, const Allocation& allocation) const;
  /// Maps the pages of a list, from `list_page` on, in the range.
  void BindList(uint64_t first, uint64_t pages, const Allocation& allocation, const DXGK_ADL& list,
                uint64_t list_page) const;
  void UnbindList(uint64_t first, uint64_t pages, const Allocation& allocation) const;
  /// Has the GPU copy from the aperture, from byte `offset` on, into the allocation's VRAM.
  void CopyOut(uint64_t offset, Allocation& allocation, uint64_t target, uint64_t bytes) const;
  /// Number of map operations sent to the driver.
  uint64_t map_operations() const;

  /// Unmapped pages lead to the dummy page. MapDummy returns a view of its bytes, dummy_page its number for the GPU.
  uint8_t* MapDummy() const;
  void UnmapDummy() const;
  uint64_t dummy_page() const;

 private:
  VidMm* vidmm_;
};

}  // namespace gmmu::os
