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

/// Allocates `count` logical pages such that the largest possible IOMMU pages map the host pages
/// `pfns`. If these contain an aligned run of 1 GiB, or else of 2 MiB, the first such run gets a
/// logical address with the same alignment. Falls back to smaller pages. Returns nullopt if no
/// range is large enough.
std::optional<LogicalRange> PlaceLogical(RangeAllocator& space, const uint64_t* pfns, size_t count,
                                         const char* created_by);

}  // namespace gmmu::os
