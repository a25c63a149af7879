// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/cpu_locks.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "os/base/bug_check.h"
#include "os/base/errors.h"
#include "os/base/page_math.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/kernel.h"
#include "os/memory/cpu_host_aperture.h"
#include "os/memory/system_buffer.h"
#include "os/miniport/segments.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {
namespace {

/// Returns the pages of the segment that hold the allocation, in units of `page_bytes`.
std::vector<uint64_t> SegmentPagesOf(const Allocation& allocation, uint64_t page_bytes) {
  std::vector<uint64_t> pages;
  for (uint64_t at = 0; at < allocation.bytes; at += page_bytes)
    pages.push_back(allocation.local->page(at / kPage) * kPage / page_bytes);
  return pages;
}

}  // namespace

void CpuLocks::Lock(Allocation& allocation) {
  if (allocation.locked) throw OsError(allocation.name + " is locked already");
  if (!allocation.accessible()) throw OsError(allocation.name + " is not resident, so the CPU cannot lock it");
  Views views;
  const uint64_t pages = PagesOf(allocation.bytes);
  if (!allocation.local) {
    uint8_t* const view = allocation.backing->Map(0, allocation.bytes);
    views.backing = true;
    for (uint64_t page = 0; page < pages; ++page) views.pages.push_back(view + page * kPage);
  } else if (const Segment& segment = vidmm_.gpu().segment(allocation.segment()); segment.cpu_view != nullptr) {
    for (uint64_t page = 0; page < pages; ++page)
      views.pages.push_back(segment.cpu_view + allocation.local->page(page) * kPage);
  } else if (CpuHostAperture* const aperture = vidmm_.gpu().host_aperture(segment.id); aperture != nullptr) {
    views.host_aperture = aperture->Map(allocation.handle, SegmentPagesOf(allocation, aperture->page_bytes()));
    for (uint64_t page = 0; page < pages; ++page) views.pages.push_back(views.host_aperture + page * kPage);
  } else {
    throw OsError("the CPU cannot access segment " + std::to_string(segment.id) + ", in which " + allocation.name +
                  " is: it is neither CpuVisible nor has it a CPU host aperture (SupportsCpuHostAperture)");
  }
  allocation.locked = true;
  locked_[&allocation] = std::move(views);
  vidmm_.gpu().kernel().Happened("cpu_locks");
}

void CpuLocks::Unlock(Allocation& allocation) {
  const auto found = locked_.find(&allocation);
  if (found == locked_.end()) throw OsError(allocation.name + " is not locked");
  const Views views = std::move(found->second);
  locked_.erase(found);
  allocation.locked = false;
  if (views.host_aperture != nullptr) vidmm_.gpu().host_aperture(allocation.segment())->Unmap(views.host_aperture);
  if (views.backing) allocation.backing->Unmap();
}

template <typename Access>
void CpuLocks::ForEachPart(const Allocation& allocation, uint64_t offset, uint64_t size, Access access) const {
  const auto found = locked_.find(&allocation);
  if (found == locked_.end()) throw BugCheck("CPU access to " + allocation.name + ", which is not locked");
  if (offset % 8 != 0 || size % 8 != 0 || offset > allocation.bytes || size > allocation.bytes - offset)
    throw BugCheck("CPU access beyond " + allocation.name + ", or to a part of a 64-bit word");
  for (uint64_t done = 0; done < size;) {
    const uint64_t at = offset + done, part = std::min(kPage - at % kPage, size - done);
    access(found->second.pages[at / kPage] + at % kPage, done, part);
    done += part;
  }
}

void CpuLocks::Read(const Allocation& allocation, uint64_t offset, void* to, uint64_t size) const {
  Kernel& kernel = vidmm_.gpu().kernel();
  ForEachPart(allocation, offset, size, [&](uint8_t* view, uint64_t done, uint64_t bytes) {
    uint8_t* const target = static_cast<uint8_t*>(to) + done;
    if (!kernel.mmio().Contains(view)) std::memcpy(target, view, bytes);
    else kernel.hal().ReadBlock(kernel.mmio().Resolve(view, bytes), target, bytes);
  });
}

void CpuLocks::Write(const Allocation& allocation, uint64_t offset, const void* from, uint64_t size) const {
  Kernel& kernel = vidmm_.gpu().kernel();
  ForEachPart(allocation, offset, size, [&](uint8_t* view, uint64_t done, uint64_t bytes) {
    const uint8_t* const source = static_cast<const uint8_t*>(from) + done;
    if (!kernel.mmio().Contains(view)) std::memcpy(view, source, bytes);
    else kernel.hal().WriteBlock(kernel.mmio().Resolve(view, bytes), source, bytes);
  });
}

}  // namespace gmmu::os
