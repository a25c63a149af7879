// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "hw/host_ram.h"
#include "os/base/parameters.h"

namespace gmmu::os {

class Miniport;

/// Host memory that firmware keeps for a GPU and that is in no segment (DXGKQAITYPE_HARDWARERESERVEDRANGES; documents
/// only).

/// Queries the count, then the ranges. Returns none if the driver refuses the first query or has no ranges. Throws
/// OsError if it refuses the second query or its count grew.
std::vector<DXGK_PHYSICAL_MEMORY_RANGE> QueryReservedRanges(Miniport& miniport, ReservedQuery form);

/// Checks the ranges; returns the error, or an empty text. They must consist of whole pages, must not overlap, and must
/// contain no page of the system (`managed`, in pages), so that a driver cannot gain access to other memory by
/// reporting it. How Windows handles such ranges is unknown; here the adapter is not started.
std::string CheckReservedRanges(const std::vector<DXGK_PHYSICAL_MEMORY_RANGE>& ranges,
                                const std::vector<hw::Range>& managed);

/// Returns the pages in the ranges.
std::vector<uint64_t> PagesOf(const std::vector<DXGK_PHYSICAL_MEMORY_RANGE>& ranges);

}  // namespace gmmu::os
