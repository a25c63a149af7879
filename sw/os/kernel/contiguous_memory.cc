// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/contiguous_memory.h"

#include <string>

#include "os/base/bug_check.h"
#include "os/kernel/driver_objects.h"
#include "os/kernel/kernel.h"
#include "os/base/page_math.h"
#include "os/base/text.h"

namespace gmmu::os {
namespace {

constexpr char kCall[] = "MmAllocateContiguousMemorySpecifyCache";

hw::Caching CachingOf(MEMORY_CACHING_TYPE type) {
  switch (type) {
    case MmCached: return hw::Caching::kCached;
    case MmWriteCombined: return hw::Caching::kWriteCombined;
    default: return hw::Caching::kNonCached;
  }
}

}  // namespace

// After a failed run, this frees the address space of the remaining views.
ContiguousMemory::~ContiguousMemory() {
  for (const auto& [view, block] : blocks_) kernel_.hal().ram().UnmapPages(view, block.pfns.size());
}

void* ContiguousMemory::Allocate(uint64_t bytes, const Bounds& bounds, MEMORY_CACHING_TYPE caching) {
  kernel_.scheduler().RequireIrql(kCall, kDispatch);
  kernel_.driver().NoteForbidden(kCall);
  if (bytes == 0 || (bounds.boundary != 0 && (!PowerOfTwo(bounds.boundary) || bounds.boundary < hw::kPageSize)))
    return nullptr;
  Block block;
  block.bytes = bytes;
  const uint64_t count = PagesOf(bytes);
  const uint64_t past = bounds.highest == ~uint64_t{0} ? bounds.highest : bounds.highest + 1;
  const auto first = kernel_.pages().AllocateContiguous(count, bounds.lowest, past, bounds.boundary, "driver", kCall);
  if (!first) return nullptr;
  for (uint64_t i = 0; i < count; ++i) block.pfns.push_back(*first + i);
  void* view = kernel_.hal().ram().MapPages(block.pfns.data(), count, CachingOf(caching));
  for (const uint64_t pfn : block.pfns) kernel_.pages().Pin(pfn, "driver", kCall);
  block.ticket = kernel_.ledger().Open("contiguous_memory", std::to_string(bytes) + " bytes", "driver", kCall);
  blocks_.emplace(view, std::move(block));
  return view;
}

uint64_t ContiguousMemory::BytesOf(void* view) {
  return FindOrStop(blocks_, view, "MmFreeContiguousMemory of memory that is not allocated")->second.bytes;
}

void ContiguousMemory::Free(void* view, uint64_t bytes) {
  const auto at = FindOrStop(blocks_, view, "MmFreeContiguousMemorySpecifyCache of memory that is not allocated");
  if (at->second.bytes != bytes) {
    throw BugCheck("MmFreeContiguousMemorySpecifyCache of " + std::to_string(bytes) + " bytes, " +
                   std::to_string(at->second.bytes) + " were allocated");
  }
  kernel_.hal().ram().UnmapPages(view, at->second.pfns.size());
  for (const uint64_t pfn : at->second.pfns) kernel_.pages().Unpin(pfn);
  kernel_.pages().Free(at->second.pfns);
  kernel_.ledger().Close(at->second.ticket);
  blocks_.erase(at);
}

}  // namespace gmmu::os
