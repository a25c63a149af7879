// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "os/base/ranges.h"

namespace gmmu::os {

class Kernel;
class Miniport;

/// The window through which the CPU accesses a memory segment that is not CPU-visible as a whole
/// (SupportsCpuHostAperture). The driver maps a page of the segment at each page of the window. The window works as
/// soon as the driver has reported its segments. The behaviour comes from the documentation; it was not observed on
/// Windows.
///
/// No run uses the window: the modelled hardware has none, the built-in driver declares none, and PhysicalAdapter
/// rejects page tables in a segment that needs a window. The class serves drivers that declare a window; a test acts as
/// such a driver.
///
/// The page size is that of the segment: 64 KiB with Use64KBPages, otherwise 4 KiB. A view is consecutive in the
/// window, whichever pages of the segment it maps. Its pointer behaves like that of a register view.
class CpuHostAperture {
 public:
  CpuHostAperture(Kernel& kernel, Miniport& miniport, const DXGK_SEGMENTDESCRIPTOR4& segment, UINT segment_id,
                  UINT physical_adapter);

  /// Maps `pages` of the segment in the given order. Throws OsError if the window has no room or the driver fails the
  /// request.
  uint8_t* Map(HANDLE allocation, const std::vector<uint64_t>& pages);
  /// Unmaps the view. Triggers a bug check unless Map returned `view`. The pointer becomes invalid before the driver is
  /// called.
  void Unmap(uint8_t* view);

  uint64_t page_bytes() const { return page_bytes_; }
  size_t views() const { return views_.size(); }

 private:
  struct View {
    uint64_t first;  // first page of the view in the window
    uint64_t pages;
  };
  std::vector<UINT> Pages(const View& view) const;

  Kernel& kernel_;
  Miniport& miniport_;
  const UINT segment_, adapter_;
  const uint64_t page_bytes_, start_, segment_pages_;
  RangeAllocator space_;  // allocates pages of the window
  std::map<uint8_t*, View> views_;
};

}  // namespace gmmu::os
