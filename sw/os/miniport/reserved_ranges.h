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

/// Queries the count, then the ranges. Returns none if the driver fails the first query or has no ranges. Throws
/// OsError if the driver fails the second query, or if the second count is larger than the first.
std::vector<DXGK_PHYSICAL_MEMORY_RANGE> QueryReservedRanges(Miniport& miniport, ReservedQuery form);

/// Checks the ranges. Returns an error message, or an empty string. The ranges must consist of whole pages, must not
/// overlap, and must contain no page that the system manages (`managed`, in pages), so that a driver cannot gain access
/// to other memory by reporting it. How Windows handles such ranges is unknown; the model does not start the adapter.
std::string CheckReservedRanges(const std::vector<DXGK_PHYSICAL_MEMORY_RANGE>& ranges,
                                const std::vector<hw::Range>& managed);

/// Returns the pages in the ranges.
std::vector<uint64_t> PagesOf(const std::vector<DXGK_PHYSICAL_MEMORY_RANGE>& ranges);

}  // namespace gmmu::os
