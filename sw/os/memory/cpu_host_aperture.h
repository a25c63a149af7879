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

/// The window through which the CPU sees a memory segment that it cannot see as a whole (SupportsCpuHostAperture): the
/// driver maps a page of the segment at each page of the window. It works as soon as the driver has reported its
/// segments. The behaviour is known from documents only.
///
/// No run uses it: this hardware has no such window, the built-in driver declares none, and page tables are refused in
/// a segment that needs one (PhysicalAdapter). It serves drivers that declare one; a test acts as such a driver.
///
/// Pages have the segment's size: 64 KiB with Use64KBPages, else 4 KiB. A view is consecutive in the window, whichever
/// pages of the segment it maps; its pointer behaves like that of a register view.
class CpuHostAperture {
 public:
  CpuHostAperture(Kernel& kernel, Miniport& miniport, const DXGK_SEGMENTDESCRIPTOR4& segment, UINT segment_id,
                  UINT physical_adapter);

  /// Maps `pages` of the segment in this order. Throws OsError if the window has no room or the driver refuses.
  uint8_t* Map(HANDLE allocation, const std::vector<uint64_t>& pages);
  /// Triggers a bug check unless Map returned `view`. The pointer becomes invalid before the driver is called.
  void Unmap(uint8_t* view);

  uint64_t page_bytes() const { return page_bytes_; }
  size_t views() const { return views_.size(); }

 private:
  struct View {
    uint64_t first;  // first page in the window
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
