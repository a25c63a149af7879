// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/d3dukmdt.h"
#include "hw/gmmu_regs.h"

namespace gmmu::kmd {

/// The hardware's entry for the abstract one (docs/page-tables.md): the only place that knows both
/// formats.
///
/// `level` is the level of the table that holds the entry (0: leaf). `contiguous` marks a leaf as
/// one of a block of sixteen (see ContiguousBlocks). False: the hardware has no such entry (large
/// page at the leaf level, 64 KiB leaf table, unknown segment, page number beyond 48-bit addresses,
/// table in the aperture or on another adapter); *entry is unchanged.
///
/// Zero is dominant whatever Valid says. An entry that is neither valid nor zero becomes 0, so
/// nothing of it can be misread.
[[nodiscard]] bool ToHardware(const DXGK_PTE& pte, uint32_t level, bool contiguous,
                              regs::PteEntry* entry);

/// What one entry adds to the one before it in a run of consecutive pages.
inline constexpr uint64_t kNextPage = 0x1000;

}  // namespace gmmu::kmd
