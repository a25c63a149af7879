// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/d3dukmdt.h"
#include "hw/gmmu_regs.h"
#include "kmd/link.h"

namespace gmmu::kmd {

enum class EntryForm {
  kPlain,    ///< 4 KiB leaf tables only
  kSingle,   ///< level 1: PageTablePageSize selects the kind of the leaf table
  kHalf4k,   ///< level 1, word 0 of a pair: a table of 4 KiB entries, a large page or zero; ignores PageTablePageSize
  kHalf64k,  ///< level 1, word 1 of a pair: a table of 64 KiB entries or zero
  kLeaf64k,  ///< level 0: an entry of a table of 64 KiB entries
};

/// Converts an abstract entry to the hardware's format (docs/page-tables.md). Only this function
/// depends on both formats.
///
/// `level` is the level of the table that contains the entry (0: leaf). `contiguous` marks a leaf
/// entry that belongs to a block of sixteen (see ContiguousBlocks). Returns false, and leaves
/// *entry unchanged, if the hardware has no such entry: a large page at the leaf level or in the 64
/// KiB half of a pair, a 64 KiB leaf table if the hardware has none, a misaligned 64 KiB page, an
/// unknown segment, a page number beyond 48-bit addresses, or a table in the aperture or on another
/// adapter.
///
/// `own` is the index of the linked adapter to which the table belongs. PhysicalAdapterIndex
/// selects the adapter whose VRAM is mapped; another adapter's VRAM becomes a peer target. A table
/// is always in its own adapter's memory. `hidden` is the first page of each adapter's hidden
/// segment, which never contains tables. `system_page` is the first page of a memory segment in
/// system memory, or 0; accesses to that segment snoop the CPU's caches.
///
/// Zero takes precedence over Valid. An entry that is neither valid nor zero becomes 0, so that
/// none of its fields can be misread.
[[nodiscard]] bool ToHardware(const DXGK_PTE& pte, uint32_t level, EntryForm form, bool contiguous,
                              regs::PteEntry* entry, uint32_t own = 0, const HiddenPages& hidden = {},
                              uint64_t system_page = 0);

/// Size of a hardware entry in bytes.
inline constexpr uint64_t kEntryBytes = 8;
/// Difference between the raw values of adjacent entries that map consecutive pages.
inline constexpr uint64_t kNextPage = 0x1000;

}  // namespace gmmu::kmd
