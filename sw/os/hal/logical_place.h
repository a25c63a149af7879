// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "os/base/ranges.h"

namespace gmmu::os {

struct LogicalRange {
  uint64_t taken;    ///< address to pass to the allocator's Free
  uint64_t logical;  ///< logical address of the first page
};

/// Allocates `count` pages in a logical space, at an address at which the largest IOMMU pages can map their runs of
/// consecutive host pages: logical and host address agree modulo 1 GiB or 2 MiB where a run contains an aligned page of
/// that size. Falls back to smaller pages; returns nullopt if there is no room at all.
std::optional<LogicalRange> PlaceLogical(RangeAllocator& space, const uint64_t* pfns, size_t count,
                                         const char* created_by);

}  // namespace gmmu::os
