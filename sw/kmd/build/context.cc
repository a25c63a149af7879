// SPDX-License-Identifier: Apache-2.0
// INIT_CONTEXT_RESOURCE and UPDATE_CONTEXT_ALLOCATION: the contents of context allocations.
#include <algorithm>
#include <cstring>

#include "kmd/build/build.h"

#include "kmd/adapter.h"
#include "kmd/objects.h"

namespace gmmu::kmd {

// Fills a context allocation with zeros. Uses the GPU VA in the paging process if the system passes
// one, because the pages then need not be contiguous.
NTSTATUS BuildInitContextResource(Build& build) {
  const auto& op = build.args.InitContextResource;
  const auto* allocation = static_cast<const Allocation*>(op.hAllocation);
  if (allocation == nullptr) return STATUS_INVALID_PARAMETER;
  Place at;
  if (op.Destination.GpuVirtualAddress != 0) {
    uint32_t space = 0;
    if (!build.PagingSpace(&space)) return STATUS_INVALID_PARAMETER;
    at = Place::Virtual(space, op.Destination.GpuVirtualAddress);
  } else if (!build.SegmentPlace(op.Destination.SegmentId, op.Destination.SegmentAddress, &at)) {
    return STATUS_INVALID_PARAMETER;
  }
  return build.commands.Fill(at, allocation->bytes, 0) ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

// Writes the private data to the start of the allocation. MultipassOffset counts the words written
// so far.
NTSTATUS BuildUpdateContextAllocation(Build& build) {
  const auto& op = build.args.UpdateContextAllocation;
  uint32_t space = 0;
  if (!build.PagingSpace(&space) || op.pDriverPrivateData == nullptr || op.DriverPrivateDataSize % 8 != 0 ||
      op.DriverPrivateDataSize > op.ContextAllocationSize) {
    return STATUS_INVALID_PARAMETER;
  }
  const auto* words = static_cast<const uint8_t*>(op.pDriverPrivateData);
  const uint32_t count = op.DriverPrivateDataSize / 8;
  for (uint32_t done = build.args.MultipassOffset; done < count;) {
    const uint32_t now = std::min(build.commands.InlineRoom(), count - done);
    uint64_t* to =
        now == 0 ? nullptr
                 : build.commands.TableWrite(Place::Virtual(space, op.ContextAllocation + uint64_t{done} * 8), now);
    if (to == nullptr) {
      build.args.MultipassOffset = done;
      return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    std::memcpy(to, words + size_t{done} * 8, size_t{now} * 8);
    done += now;
  }
  return STATUS_SUCCESS;
}

}  // namespace gmmu::kmd
