// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "ddi/d3dkmthk.h"
namespace gmmu::os {

class VidMm;
struct GpuProcess;

/// What a debugger may ask about segments and page tables (structures of d3dkmthk.h). No text says what the members
/// mean; here an index is (va & IndexMask) >> IndexShift, and LowerLevelsMask has the bits of the address below it.
class DebugView {
 public:
  explicit DebugView(VidMm& vidmm) : vidmm_(vidmm) {}

  D3DKMT_GPUMMU_CAPS GpuMmuCaps() const;
  /// The driver's caps and levels as an escape shows them.
  DXGK_ESCAPE_GPUMMUCAPS EscapeGpuMmuCaps() const;
  std::vector<D3DKMT_SEGMENT_CAPS> SegmentCaps() const;
  /// `NumPtes` entries of one table of the process, found from the root by PageTableIndex (leaf first), the first of
  /// them at PageTableIndex[PageTableLevel]. NumPtes comes back as what the table has; NumValidEntries counts the
  /// valid ones among them. STATUS_INVALID_PARAMETER: no such table.
  NTSTATUS GetPte(const GpuProcess& process, D3DKMT_GET_PTE& args) const;

 private:
  D3DKMT_PAGE_TABLE_LEVEL_DESC Level(unsigned level) const;

  VidMm& vidmm_;
};

}  // namespace gmmu::os
