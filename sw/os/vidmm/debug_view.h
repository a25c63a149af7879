// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "ddi/d3dkmthk.h"
namespace gmmu::os {

class VidMm;
struct GpuProcess;

/// Responds to a debugger's queries about segments and page tables (structures of d3dkmthk.h). The members are not
/// documented. In this model, an index is (va & IndexMask) >> IndexShift, and LowerLevelsMask contains the address bits
/// below the index.
class DebugView {
 public:
  explicit DebugView(VidMm& vidmm) : vidmm_(vidmm) {}

  D3DKMT_GPUMMU_CAPS GpuMmuCaps() const;
  /// Returns the driver's capabilities and page-table levels in the form of an escape.
  DXGK_ESCAPE_GPUMMUCAPS EscapeGpuMmuCaps() const;
  std::vector<D3DKMT_SEGMENT_CAPS> SegmentCaps() const;
  /// Reads `NumPtes` entries of one table of the process. PageTableIndex (leaf first) is the path from the root to the
  /// table; PageTableIndex[PageTableLevel] is the index of the first entry. On return, NumPtes is the number of entries
  /// in the table, and NumValidEntries the number of valid entries read. Fails with STATUS_INVALID_PARAMETER if there
  /// is no such table.
  NTSTATUS GetPte(const GpuProcess& process, D3DKMT_GET_PTE& args) const;

 private:
  D3DKMT_PAGE_TABLE_LEVEL_DESC Level(unsigned level) const;

  VidMm& vidmm_;
};

}  // namespace gmmu::os
