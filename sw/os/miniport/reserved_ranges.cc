// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/reserved_ranges.h"

#include <algorithm>

#include "os/base/errors.h"
#include "os/base/text.h"
#include "os/miniport/driver_calls.h"
#include "os/miniport/miniport.h"

namespace gmmu::os {
namespace {

std::string Text(uint64_t start, uint64_t end) { return "[" + Hex(start) + ", " + Hex(end) + ")"; }

}  // namespace

std::vector<DXGK_PHYSICAL_MEMORY_RANGE> QueryReservedRanges(Miniport& miniport, ReservedQuery form) {
  DXGK_PHYSICAL_MEMORY_RANGE none{};
  DXGK_HARDWARERESERVEDRANGES out{};
  if (form == ReservedQuery::kZeroCount) out.pPhysicalRanges = &none;
  if (!NT_SUCCESS(miniport.Query(DXGKQAITYPE_HARDWARERESERVEDRANGES, out)) || out.NumRanges == 0) return {};
  const UINT count = out.NumRanges;
  std::vector<DXGK_PHYSICAL_MEMORY_RANGE> ranges(count);
  {
    GuardedArguments guarded(miniport.driver().copies());
    const auto name = [&] { return "pPhysicalRanges of " + std::to_string(count) + " ranges"; };
    out.pPhysicalRanges = static_cast<DXGK_PHYSICAL_MEMORY_RANGE*>(
        guarded.Array(ranges.data(), ranges.size() * sizeof(DXGK_PHYSICAL_MEMORY_RANGE), name, true));
    Miniport::Require(miniport.Query(DXGKQAITYPE_HARDWARERESERVEDRANGES, out),
                      "the second query for HARDWARERESERVEDRANGES");
  }
  if (out.NumRanges > count) {
    throw OsError("DXGK_HARDWARERESERVEDRANGES.NumRanges is " + std::to_string(out.NumRanges) +
                  " in the second call, was " + std::to_string(count));
  }
  ranges.resize(out.NumRanges);
  return ranges;
}

std::string CheckReservedRanges(const std::vector<DXGK_PHYSICAL_MEMORY_RANGE>& ranges,
                                const std::vector<hw::Range>& managed) {
  std::vector<hw::Range> seen;
  for (const DXGK_PHYSICAL_MEMORY_RANGE& range : ranges) {
    const uint64_t start = range.BaseAddress, end = start + range.NumberOfBytes;
    const std::string which = "hardware-reserved range " + Text(start, end);
    if (start % hw::kPageSize != 0 || end % hw::kPageSize != 0 || end <= start) return which + " is not whole pages";
    for (const hw::Range& other : seen) {
      if (start < other.end && other.start < end)
        return which + " overlaps another one, " + Text(other.start, other.end);
    }
    for (const hw::Range& pages : managed) {
      const uint64_t first = pages.start * hw::kPageSize, last = pages.end * hw::kPageSize;
      if (start < last && first < end) {
        return which + " overlaps memory that the system manages, " + Text(std::max(start, first), std::min(end, last));
      }
    }
    seen.push_back({start, end});
  }
  return "";
}

std::vector<uint64_t> PagesOf(const std::vector<DXGK_PHYSICAL_MEMORY_RANGE>& ranges) {
  std::vector<uint64_t> pages;
  for (const DXGK_PHYSICAL_MEMORY_RANGE& range : ranges) {
    for (uint64_t at = 0; at < range.NumberOfBytes; at += hw::kPageSize)
      pages.push_back((range.BaseAddress + at) / hw::kPageSize);
  }
  return pages;
}

}  // namespace gmmu::os
