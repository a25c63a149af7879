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

/// The window through which the CPU accesses a memory segment that is not fully CPU-visible
/// (SupportsCpuHostAperture). The driver can map any page of the segment at each page of the
/// window. The window can be used as soon as the driver has reported its segments. The behaviour
/// comes from the documentation; it has not been observed on Windows.
///
/// PhysicalAdapter rejects page tables in a segment that needs such a window.
///
/// The page size is that of the segment: 64 KiB with Use64KBPages, otherwise 4 KiB. A view is
/// contiguous in the window, even if it maps scattered pages of the segment. The pointer that Map
/// returns behaves like a pointer to mapped registers.
class CpuHostAperture {
 public:
  CpuHostAperture(Kernel& kernel, Miniport& miniport, const DXGK_SEGMENTDESCRIPTOR4& segment, UINT segment_id,
                  UINT physical_adapter);

  /// Maps `pages` of the segment in the given order. Throws OsError if the window has no room or the driver fails the
  /// request.
  uint8_t* Map(HANDLE allocation, const std::vector<uint64_t>& pages);
  /// Unmaps a view that Map returned; any other pointer triggers a bug check. The pointer becomes
  /// invalid before the driver is called.
  void Unmap(uint8_t* view);

  uint64_t page_bytes() const { return page_bytes_; }
  uint64_t bytes() const { return bytes_; }
  size_t views() const { return views_.size(); }

 private:
  struct View {
    uint64_t first;  // the view's first page in the window
    uint64_t pages;
  };
  std::vector<UINT> Pages(const View& view) const;

  Kernel& kernel_;
  Miniport& miniport_;
  const UINT segment_, adapter_;
  const uint64_t page_bytes_, start_, segment_pages_, bytes_;
  RangeAllocator space_;  // pages of the window
  std::map<uint8_t*, View> views_;
};

}  // namespace gmmu::os
