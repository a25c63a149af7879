// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "ddi/d3dkmddi.h"

namespace gmmu::kmd {

/// What a user can set in the driver's registry key (GmmuQueryParameter of ddi/wdm.h); the names
/// are the members' own in UpperCamelCase. A missing value keeps the default.
struct Parameters {
  uint64_t aperture_bytes = 16 << 20;  ///< ApertureBytes: multiple of 4 KiB, not 0
  uint32_t limit_bits = 33;        ///< LimitBits: HighestVisibleAddress = 2^LimitBits - 1; 32 to 48
  uint32_t page_table_levels = 4;  ///< PageTableLevels: 2 to 6
  /// PageTableBits0 (leaf) to PageTableBits5: index bits, 1 to 13; 12 + their sum is the GPU VA's
  /// width.
  std::array<uint32_t, DXGK_MAX_PAGE_TABLE_LEVEL_COUNT> page_table_bits{9, 9, 9, 9, 0, 0};
  uint32_t page_table_segment =
      2;  ///< PageTableSegment: 2 VRAM, 0 system memory (tables of one page only)
  uint32_t paging_buffer_bytes = 65536;  ///< PagingBufferBytes
  uint32_t map_aperture2 = 1;      ///< MapAperture2: 0: does not say that it supports operation 17
  uint32_t coherent_aperture = 1;  ///< CoherentAperture: 0: the aperture segment is not cache coherent
  uint32_t contiguous_pages =
      1;  ///< ContiguousPages: 0: never marks blocks of sixteen pages as contiguous

  /// PageTableUpdateMode: DXGK_PAGETABLEUPDATEMODE of processes' tables
  DXGK_PAGETABLEUPDATEMODE update_mode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
  /// ExplicitPageTableInvalidation: 1: tables are made invalid before they are freed
  uint32_t explicit_invalidation = 0;
  bool isolation = true;            ///< Isolation: GPU isolation is supported
  bool isolation_required = false;  ///< IsolationRequired: the GPU must not run without it
  uint64_t save_area_bytes = 16384;  ///< SaveAreaBytes: VRAM that survives power-off, whole pages; needs Isolation
  uint64_t reserved_base = 0;       ///< ReservedBase, ReservedBytes: host memory that firmware keeps for
  uint64_t reserved_bytes = 0;      ///< the GPU; whole pages

  uint32_t va_bits() const;
  uint64_t TableBytes(uint32_t level) const;  ///< whole pages

  /// False: a value is out of range; nothing is changed then.
  [[nodiscard]] bool Read();
};

}  // namespace gmmu::kmd
