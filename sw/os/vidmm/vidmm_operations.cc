// SPDX-License-Identifier: Apache-2.0
// Operations beside page tables, windows and the aperture: those of WDDM 1, notices of residency, single ones.
#include <algorithm>

#include "os/kernel/bug_check.h"
#include "os/miniport/mdl.h"
#include "os/vidmm/vidmm.h"
#include "os/kernel/page_math.h"

namespace gmmu::os {
LONGLONG VidMm::SegmentAddress(const Allocation& allocation, uint64_t page) const {
  return static_cast<LONGLONG>(gpu_.local_segment().base + allocation.local->page(page) * kPage);
}

void VidMm::Operate(DXGKARG_BUILDPAGINGBUFFER operation) {
  active_->Add(operation);
  Finish();
}

void VidMm::InWindow(Allocation& allocation, uint64_t bytes,
                     const std::function<DXGKARG_BUILDPAGINGBUFFER(uint64_t va)>& operation) {
  if (bytes > WindowBytes()) throw BugCheck("a window for " + std::to_string(bytes) + " bytes of " + allocation.name);
  Window& window = NextWindow();
  const std::vector<DXGK_PTE> local = LocalEntries(allocation, 0, bytes);
  for (uint64_t first = 0, pages = 0; first < local.size(); first += pages) {
    pages = local.size() - first;
    const uint64_t protection = WindowProtection(allocation, first, &pages);
    const auto begin = local.begin() + static_cast<ptrdiff_t>(first);
    const std::vector<DXGK_PTE> entries(begin, begin + static_cast<ptrdiff_t>(pages));
    SetWindow(window.local + first * kPage, entries, allocation, first * kPage, protection);
  }
  Operate(operation(window.local));
}

// Only a protection with D3DGPU_UNIQUE_DRIVER_PROTECTION goes with the pages into the windows; it is the same in all
// mappings of a page. What follows the last page in a page of the segment is as that one.
uint64_t VidMm::WindowProtection(const Allocation& allocation, uint64_t first, uint64_t* pages) {
  const auto of = [&, last = PagesOf(allocation.bytes) - 1](uint64_t page) -> uint64_t {
    page = std::min(page, last);
    for (const Allocation::Mapping& mapping : allocation.mappings) {
      if (page < mapping.first_page || page >= mapping.first_page + mapping.shown()) continue;
      if ((mapping.protection.driver & D3DGPU_UNIQUE_DRIVER_PROTECTION) != 0) return mapping.protection.driver;
    }
    return 0;
  };
  const uint64_t protection = of(first);
  uint64_t same = 1;
  while (same < *pages && of(first + same) == protection) ++same;
  *pages = same;
  return protection;
}

// Once for a commit or an eviction, as the texts say.
void VidMm::NotifyResident(Allocation& allocation) {
  if (!allocation.explicit_residency || allocation.notified) return;
  allocation.notified = true;
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_NOTIFY_RESIDENCY;
  operation.NotifyResidency.hAllocation = allocation.handle;
  operation.NotifyResidency.PhysicalAddress = {gpu_.local_segment().id, 0, allocation.local->page(0) * kPage};
  operation.NotifyResidency.Resident = 1;
  active_->Add(operation);
}

void VidMm::NotifyEvicted(Allocation& allocation) {
  if (!allocation.notified) return;
  allocation.notified = false;
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_NOTIFY_RESIDENCY;
  operation.NotifyResidency.hAllocation = allocation.handle;
  active_->Add(operation);
}

// A move is of the whole allocation, in as many pieces as its pages have runs. The MDL names the pages as the GPU
// does: its array may stand for an ADL's.
void VidMm::TransferPhysical(Allocation& allocation, SystemBuffer& buffer, uint64_t bytes, bool in,
                             const Progress& progress) {
  std::vector<uint64_t> pages;
  for (uint64_t page = 0; page < PagesOf(bytes); ++page) pages.push_back(buffer.page(page));
  Mdl mdl(pages);
  const Segment& local = gpu_.local_segment();
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t first = done / kPage;
    uint64_t run = 1;
    const uint64_t start = allocation.local->page(first);
    while (first + run < pages.size() && allocation.local->page(first + run) == start + run) ++run;
    const uint64_t size = std::min(bytes - done, run * kPage);
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_TRANSFER;
    auto& args = operation.Transfer;
    args.hAllocation = allocation.handle;
    args.TransferSize = size;
    const auto segment = [&](auto& end) {
      end.SegmentId = local.id;
      end.SegmentAddress.QuadPart = SegmentAddress(allocation, first);
    };
    if (in) {
      args.Source.pMdl = mdl.get();
      segment(args.Destination);
    } else {
      segment(args.Source);
      args.Destination.pMdl = mdl.get();
    }
    args.MdlOffset = static_cast<UINT>(first);
    args.Flags.TransferStart = done == 0;
    args.Flags.TransferEnd = done + size == bytes;
    active_->Add(operation);
    done += size;
    if (progress) progress(done);
  }
  Barrier(in);
  Finish();
}

void VidMm::Discard(const Allocation& allocation) {
  if (!kernel_.parameters().physical_paging || !running()) return;
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_DISCARD_CONTENT;
  operation.DiscardContent.hAllocation = allocation.handle;
  operation.DiscardContent.SegmentId = gpu_.local_segment().id;
  operation.DiscardContent.SegmentAddress.QuadPart = SegmentAddress(allocation, 0);
  active_->Add(operation);
}

// Between what the GPU wrote and what the CPU reads; data and place do not matter.
void VidMm::Barrier(bool write) {
  DXGKARG_BUILDPAGINGBUFFER operation{};
  if (write) {
    operation.Operation = DXGK_OPERATION_WRITE_PHYSICAL;
    operation.WritePhysical.SegmentId = gpu_.local_segment().id;
  } else {
    operation.Operation = DXGK_OPERATION_READ_PHYSICAL;
    operation.ReadPhysical.SegmentId = gpu_.local_segment().id;
  }
  active_->Add(operation);
}

void VidMm::FillPhysical(Allocation& allocation, uint64_t offset, uint64_t bytes, uint32_t pattern) {
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t first = (offset + done) / kPage;
    uint64_t size = std::min(kPage, bytes - done);
    while (done + size < bytes && size + kPage <= kernel_.parameters().fill_bytes() &&
           allocation.local->page(first + size / kPage) == allocation.local->page(first) + size / kPage) {
      size += std::min(kPage, bytes - done - size);
    }
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_FILL;
    operation.Fill.hAllocation = allocation.handle;
    operation.Fill.FillSize = size;
    operation.Fill.FillPattern = pattern;
    operation.Fill.Destination.SegmentId = gpu_.local_segment().id;
    operation.Fill.Destination.SegmentAddress.QuadPart = SegmentAddress(allocation, first);
    active_->Add(operation);
    done += size;
  }
  Finish();
}

}  // namespace gmmu::os
