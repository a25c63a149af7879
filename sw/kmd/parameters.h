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
  uint32_t paging_buffer_segment = 0;  ///< PagingBufferSegment: 0 system memory, 1 the aperture: by GPU virtual address
  uint32_t map_aperture2 = 1;      ///< MapAperture2: 0: does not say that it supports operation 17
  uint32_t coherent_aperture = 1;  ///< CoherentAperture: 0: the aperture segment is not cache coherent
  uint32_t contiguous_pages =
      1;  ///< ContiguousPages: 0: never marks blocks of sixteen pages as contiguous

  /// PageTableUpdateMode: DXGK_PAGETABLEUPDATEMODE of processes' tables
  DXGK_PAGETABLEUPDATEMODE update_mode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
  /// ExplicitPageTableInvalidation: 1: tables are made invalid before they are freed
  uint32_t explicit_invalidation = 0;
  bool leaf_64k = false;    ///< Leaf64k: VRAM has pages of 64 KiB, leaf tables of them exist; PageTableBits0 4 or more
  bool dual_pte = false;    ///< DualPte: entries of level 1 are pairs; needs Leaf64k, PageTableBits1 at most 12
  bool system_64k = false;  ///< System64k: system memory too may be mapped with pages of 64 KiB; needs Leaf64k
  /// PageTableBytes0 to PageTableBytes5: size of a table where it is more than its entries need; whole pages, 0: not
  std::array<uint32_t, DXGK_MAX_PAGE_TABLE_LEVEL_COUNT> page_table_bytes{};
  uint32_t page_table_alignment = 0;  ///< PageTableAlignment: of every table, a power of two; 0: a page of its segment
  bool isolation = true;            ///< Isolation: GPU isolation is supported
  bool isolation_required = false;  ///< IsolationRequired: the GPU must not run without it
  uint64_t save_area_bytes = 16384;  ///< SaveAreaBytes: VRAM that survives power-off, whole pages; needs Isolation
  bool save_area_shared = false;  ///< SaveAreaShared: of linked adapters, adapter 0 reports the room for all of them
  /// VramBase, ApertureBase: DXGK_SEGMENTDESCRIPTOR4.BaseAddress, whole pages
  uint64_t vram_base = 0, aperture_base = 0;
  bool fill_by_byte = false;          ///< FillByByte: FillPattern is one byte in its field of 32 bits
  bool no_64bit_atomics = false;      ///< No64BitAtomics: the GPU writes fences of 32 bits
  bool idle_for_updates = false;      ///< IdleForUpdates: PageTableUpdateRequireAddressSpaceIdle
  /// InvalidNotCached: 0: the driver does not say that the hardware caches no invalid entry (it never does)
  bool invalid_not_cached = true;
  uint32_t paging_private_bytes = 0;  ///< PagingPrivateBytes: of each paging buffer; 0, or one PagingRecord and more
  uint64_t context_bytes = 0;         ///< ContextBytes: a context has an allocation of so many bytes, whole pages
  bool context_shared = false;        ///< ContextShared: the contexts of a device share it
  uint64_t driver_va_bytes = 0;       ///< DriverVaBytes: addresses that the driver keeps in every process
  bool driver_va_user = false;        ///< DriverVaUser: user mode may map there too
  uint64_t reserved_base = 0;       ///< ReservedBase, ReservedBytes: host memory that firmware keeps for
  uint64_t reserved_bytes = 0;      ///< the GPU; whole pages

  uint64_t bad_base = 0;            ///< BadVramBase, BadVramBytes: a range of VRAM that must not be used;
  uint64_t bad_bytes = 0;           ///< whole pages
  uint32_t linked_adapters = 1;  ///< LinkedAdapters: how many GPUs are linked, 1 to 4
  uint32_t lead_adapter = 0;     ///< LeadAdapter: index of the one that leads

  uint32_t va_bits() const;
  uint64_t TableBytes(uint32_t level) const;  ///< whole pages
  uint64_t LeafCoverage() const { return uint64_t{4096} << page_table_bits[0]; }
  uint64_t BaseOf(uint32_t segment) const { return segment == 1 ? aperture_base : segment == 2 ? vram_base : 0; }
  uint64_t Leaf64kTableBytes() const;         ///< 0: there are none
  /// Hardware words of 8 bytes that one entry of a table of `level` has.
  uint32_t EntryWords(uint32_t level) const { return dual_pte && level == 1 ? 2 : 1; }
  /// The page of the segment that tables lie in.
  uint64_t TablePage() const;

  /// False: a value is out of range; nothing is changed then. A linked adapter reads once more: a value
  /// with the name "Adapter<index><Name>" is its own.
  [[nodiscard]] bool Read();
  [[nodiscard]] bool Read(uint32_t index);
};

}  // namespace gmmu::kmd
