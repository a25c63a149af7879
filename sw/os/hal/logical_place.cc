// SPDX-License-Identifier: Apache-2.0
#include "os/hal/logical_place.h"

#include "hw/host_ram.h"

namespace gmmu::os {
namespace {

/// Returns the index of the first aligned block of `unit` consecutive host pages, or `count` if there is none.
size_t FirstBlock(const uint64_t* pfns, size_t count, uint64_t unit) {
  // Number of consecutive pages that end at page i and begin at an aligned page.
  size_t run = 0;
  for (size_t i = 0; i < count; ++i) {
    const bool goes_on = run != 0 && pfns[i] == pfns[i - 1] + 1;
    run = goes_on ? run + 1 : (pfns[i] % unit == 0 ? 1 : 0);
    if (run == unit) return i + 1 - unit;
  }
  return count;
}

}  // namespace

std::optional<LogicalRange> PlaceLogical(RangeAllocator& space, const uint64_t* pfns, size_t count,
                                         const char* created_by) {
  for (const uint64_t unit : {uint64_t{1} << 18, uint64_t{1} << 9}) {
    if (count < unit) continue;
    const size_t index = FirstBlock(pfns, count, unit);
    if (index == count) continue;
    // `lead` pages before the range give the block's first page an aligned address.
    const uint64_t lead = (unit - index % unit) % unit;
    const auto taken = space.Allocate((lead + count) * hw::kPageSize, unit * hw::kPageSize, created_by);
    if (taken) return LogicalRange{*taken, *taken + lead * hw::kPageSize};
  }
  const auto taken = space.Allocate(count * hw::kPageSize, hw::kPageSize, created_by);
  if (!taken) return std::nullopt;
  return LogicalRange{*taken, *taken};
}

}  // namespace gmmu::os
