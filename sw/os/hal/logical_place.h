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

/// Allocates `count` logical pages at an address that lets the largest IOMMU pages map each run of consecutive host
/// pages: the logical and host addresses are equal modulo 1 GiB or 2 MiB if the run contains an aligned page of that
/// size. Falls back to smaller pages. Returns nullopt if no range is large enough.
std::optional<LogicalRange> PlaceLogical(RangeAllocator& space, const uint64_t* pfns, size_t count,
                                         const char* created_by);

}  // namespace gmmu::os
