// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/d3dkmddi.h"

namespace gmmu::os {

class HostMemory;
class VidMm;
struct Allocation;

/// Ranges of a GPU's aperture segment, as an application has them mapped to its memory (Aperture). Pages are 4 KiB;
/// calls are made on the VidMm worker, those to the dummy page on any fibre.
class ApertureRanges {
 public:
  ApertureRanges(VidMm& vidmm) : vidmm_(&vidmm) {}

  /// First page of a range.
  uint64_t Reserve(uint64_t pages) const;
  void Free(uint64_t first) const;
  /// The range shows pages of `memory`, from page `memory_page` on.
  void Bind(uint64_t first, uint64_t pages, const Allocation& allocation, const HostMemory& memory,
            uint64_t memory_page) const;
  void Unbind(uint64_t first, uint64_t pages, const Allocation& allocation) const;
  /// The same for the pages of a list from `list_page` on.
  void BindList(uint64_t first, uint64_t pages, const Allocation& allocation, const DXGK_ADL& list,
                uint64_t list_page) const;
  void UnbindList(uint64_t first, uint64_t pages, const Allocation& allocation) const;
  /// The GPU reads the aperture from byte `offset` on into the allocation's VRAM.
  void CopyOut(uint64_t offset, Allocation& allocation, uint64_t target, uint64_t bytes) const;
  /// Map operations that the driver was given.
  uint64_t map_operations() const;

  /// The page that unmapped pages show: a view of its bytes, and its number as the GPU uses it.
  uint8_t* MapDummy() const;
  void UnmapDummy() const;
  uint64_t dummy_page() const;

 private:
  VidMm* vidmm_;
};

}  // namespace gmmu::os
