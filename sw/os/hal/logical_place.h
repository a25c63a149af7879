// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "os/base/ranges.h"

namespace gmmu::os {

struct LogicalRange {
  uint64_t taken;    ///< what the allocator gave out; Free takes this
  uint64_t logical;  ///< where the pages begin, bytes
};

/// Room for `count` pages in a logical space, at an address that lets their runs of consecutive host
/// pages be mapped with the largest IOMMU pages: logical and host address agree modulo 1 GiB or 2 MiB
/// where a run holds an aligned one. Falls back to smaller pages; nullopt when there is no room at all.
std::optional<LogicalRange> PlaceLogical(RangeAllocator& space, const uint64_t* pfns, size_t count,
                                         const char* created_by);

}  // namespace gmmu::os
