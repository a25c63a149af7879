// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "hw/host_ram.h"
#include "os/base/parameters.h"

namespace gmmu::os {

class Miniport;

/// Host memory that firmware reserves for a GPU and that belongs to no segment (DXGKQAITYPE_HARDWARERESERVEDRANGES).
/// The behaviour comes from the documentation; it was not observed on Windows.

/// Queries the number of ranges, then the ranges. Returns an empty list if the driver fails the
/// first query or reports no range. Throws OsError if the driver fails the second query, or if the
/// second query returns more ranges than the first.
std::vector<DXGK_PHYSICAL_MEMORY_RANGE> QueryReservedRanges(Miniport& miniport, ReservedQuery form);

/// Returns an error message, or an empty string if the ranges are legal. They must consist of whole
/// pages, must not overlap, and must contain no page that the system manages (`managed`, in pages);
/// otherwise a driver could gain access to any memory by reporting it. How Windows handles illegal
/// ranges is unknown; the model does not start the adapter.
std::string CheckReservedRanges(const std::vector<DXGK_PHYSICAL_MEMORY_RANGE>& ranges,
                                const std::vector<hw::Range>& managed);

/// Returns the page numbers of all pages in the ranges.
std::vector<uint64_t> PagesOf(const std::vector<DXGK_PHYSICAL_MEMORY_RANGE>& ranges);

}  // namespace gmmu::os
