// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "hw/host_ram.h"
#include "os/base/parameters.h"

namespace gmmu::os {

class Miniport;

/// Host memory that firmware keeps for a GPU and no segment shows (DXGKQAITYPE_HARDWARERESERVEDRANGES;
/// documents only).

/// Asks twice, for the count and for the ranges. Empty when the driver refuses the first call or has none;
/// throws OsError when it refuses the second or its count grew.
std::vector<DXGK_PHYSICAL_MEMORY_RANGE> QueryReservedRanges(Miniport& miniport, ReservedQuery form);

/// What is wrong with them; empty: nothing. They are whole pages, do not overlap one another, and no page
/// of them is the system's (`managed`, in pages): a driver cannot get at other memory by reporting it.
/// What Windows does then is open; here the adapter is not started.
std::string CheckReservedRanges(const std::vector<DXGK_PHYSICAL_MEMORY_RANGE>& ranges,
                                const std::vector<hw::Range>& managed);

/// Their pages.
std::vector<uint64_t> PagesOf(const std::vector<DXGK_PHYSICAL_MEMORY_RANGE>& ranges);

}  // namespace gmmu::os
