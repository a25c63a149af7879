// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "ddi/d3dkmthk.h"
namespace gmmu::os {

class VidMm;
struct GpuProcess;

/// Responds to a debugger's queries about segments and page tables (structures of d3dkmthk.h). The
/// members of these structures are not documented. In this model, a table index is (va & IndexMask)
/// >> IndexShift, and LowerLevelsMask contains the address bits below the index.
class DebugView {
 public:
  explicit DebugView(VidMm& vidmm) : vidmm_(vidmm) {}

  D3DKMT_GPUMMU_CAPS GpuMmuCaps() const;
  /// Returns the driver's capabilities and page-table levels in the structure that the debugger's
  /// escape call uses.
  DXGK_ESCAPE_GPUMMUCAPS EscapeGpuMmuCaps() const;
  std::vector<D3DKMT_SEGMENT_CAPS> SegmentCaps() const;
  /// Reads `NumPtes` entries of one page table of the process. PageTableIndex holds the index at
  /// each level, leaf first, and thus the path from the root to the table;
  /// PageTableIndex[PageTableLevel] is the index of the first entry to read. On return, NumPtes is
  /// the number of entries read, which is smaller than requested if the table ends earlier, and
  /// NumValidEntries is the number of valid entries among them. Fails with STATUS_INVALID_PARAMETER
  /// if there is no such table.
  NTSTATUS GetPte(const GpuProcess& process, D3DKMT_GET_PTE& args) const;

 private:
  D3DKMT_PAGE_TABLE_LEVEL_DESC Level(unsigned level) const;

  VidMm& vidmm_;
};

}  // namespace gmmu::os
