// SPDX-License-Identifier: Apache-2.0
// Copies and fills through the scratch windows of the paging process; the aperture.
#include <algorithm>

#include "os/bug_check.h"
#include "os/text.h"
#include "os/vidmm.h"

namespace gmmu::os {
namespace {
constexpr uint64_t kPage = hw::kPageSize;
uint64_t PagesOf(uint64_t bytes) { return (bytes + kPage - 1) / kPage; }
}  // namespace

VidMm::Window& VidMm::NextWindow() {
  Window& window = windows_[next_window_];
  next_window_ = (next_window_ + 1) % windows_.size();
  queue_.WaitFor(window.packet);
  window.packet = 0;
  return window;
}

void VidMm::FlushPaging(uint64_t va, uint64_t pages) {
  active_->FlushTlb(paging_.handles.process, paging_.space->root(), va, va + pages * kPage);
}

void VidMm::SetWindow(uint64_t va, const std::vector<DXGK_PTE>& entries,
                      const Allocation& allocation, uint64_t offset, uint64_t driver_protection) {
  paging_.space->SetEntries(va, entries.size(), entries, allocation.handle, offset,
                            SinkFor(paging_), driver_protection);
  FlushPaging(va, entries.size());
}

void VidMm::Transfer(Allocation& allocation, SystemBuffer& buffer, uint64_t bytes, bool in,
                     const Progress& progress) {
  if (kernel_.parameters().physical_paging) return TransferPhysical(allocation, buffer, bytes, in, progress);
  for (uint64_t done = 0; done < bytes;) {
    uint64_t pages = kWindowPages;
    const uint64_t protection = WindowProtection(allocation, done / kPage, &pages);
    const uint64_t size = std::min(bytes - done, pages * kPage);
    Window& window = NextWindow();
    std::vector<DXGK_PTE> system, local;
    for (uint64_t page = done / kPage; page < done / kPage + PagesOf(size); ++page) {
      system.push_back(SystemEntry(buffer.page(page)));
      local.push_back(LocalEntry(allocation.local->page(page)));
    }
    SetWindow(window.source, in ? system : local, allocation, done, protection);
    SetWindow(window.target, in ? local : system, allocation, done, protection);
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_VIRTUAL_TRANSFER;
    operation.TransferVirtual.hAllocation = allocation.handle;
    operation.TransferVirtual.AllocationOffsetInBytes = done;
    operation.TransferVirtual.TransferSizeInBytes = size;
    operation.TransferVirtual.SourceVirtualAddress = window.source;
    operation.TransferVirtual.DestinationVirtualAddress = window.target;
    operation.TransferVirtual.TransferDirection =
        in ? DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL : DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM;
    active_->Add(operation);
    window.packet = active_->Submit();
    done += size;
    if (progress) progress(done);
  }
  Finish();
}

void VidMm::PageIn(Allocation& allocation, SystemBuffer& source, uint64_t bytes,
                   const Progress& progress) {
  Transfer(allocation, source, bytes, true, progress);
}

void VidMm::PageOut(Allocation& allocation, SystemBuffer& target, uint64_t bytes,
                    const Progress& progress) {
  Transfer(allocation, target, bytes, false, progress);
}

void VidMm::Fill(Allocation& allocation, uint64_t offset, uint64_t bytes, uint32_t pattern) {
  if (kernel_.parameters().physical_paging) return FillPhysical(allocation, offset, bytes, pattern);
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t first = (offset + done) / kPage;
    uint64_t pages = PagesOf(kernel_.parameters().fill_bytes);
    const uint64_t protection = WindowProtection(allocation, first, &pages);
    const uint64_t size = std::min(bytes - done, pages * kPage);
    queue_.WaitFor(fill_window_.packet);
    Window& window = size > window_bytes() ? fill_window_ : NextWindow();
    std::vector<DXGK_PTE> local;
    for (uint64_t page = first; page < first + PagesOf(size); ++page)
      local.push_back(LocalEntry(allocation.local->page(page)));
    SetWindow(window.target, local, allocation, offset + done, protection);
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_VIRTUAL_FILL;
    operation.FillVirtual.hAllocation = allocation.handle;
    operation.FillVirtual.AllocationOffsetInBytes = offset + done;
    operation.FillVirtual.FillSizeInBytes = size;
    operation.FillVirtual.FillPattern = pattern;
    operation.FillVirtual.DestinationVirtualAddress = window.target;
    active_->Add(operation);
    window.packet = active_->Submit();
    done += size;
  }
  Finish();
}

void VidMm::CopyFromAperture(uint64_t aperture_offset, Allocation& allocation, uint64_t offset,
                             uint64_t bytes) {
  const Segment& aperture = adapter_.aperture_segment();
  const Segment& local = adapter_.local_segment();
  for (uint64_t done = 0; done < bytes;) {
    // One operation for each run of consecutive VRAM pages.
    const uint64_t first = (offset + done) / kPage;
    uint64_t size = std::min(kPage, bytes - done);
    while (done + size < bytes && allocation.local->page(first + size / kPage) ==
                                      allocation.local->page(first) + size / kPage) {
      size += std::min(kPage, bytes - done - size);
    }
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_TRANSFER;
    auto& args = operation.Transfer;
    args.hAllocation = allocation.handle;
    args.TransferSize = size;
    args.Source.SegmentId = aperture.id;
    args.Source.SegmentAddress.QuadPart =
        static_cast<LONGLONG>(aperture.base + aperture_offset + done);
    args.Destination.SegmentId = local.id;
    args.Destination.SegmentAddress.QuadPart = SegmentAddress(allocation, first);
    args.Flags.TransferStart = done == 0;
    args.Flags.TransferEnd = done + size == bytes;
    active_->Add(operation);
    done += size;
  }
  Finish();
}

uint64_t VidMm::AllocateAperture(uint64_t pages) { return aperture_->Reserve(pages); }

void VidMm::FreeAperture(uint64_t aperture_page) {
  if (kernel_.LeakNow("aperture_range")) return;
  aperture_->Free(aperture_page);
}

void VidMm::BindAperture(uint64_t aperture_page, uint64_t pages, Allocation& allocation,
                         const SystemBuffer& buffer, uint64_t adl_offset) {
  if (allocation.homes.aperture == 0)
    throw BugCheck("allocation " + allocation.name + " has no place in the aperture");
  aperture_->Map({nullptr, allocation.handle, allocation.map_cpu_visible}, aperture_page, pages, buffer.adl(),
                 adl_offset);
}

void VidMm::UnbindAperture(uint64_t aperture_page, uint64_t pages, Allocation& allocation) {
  aperture_->Unmap({nullptr, allocation.handle, allocation.map_cpu_visible}, aperture_page, pages);
}

}  // namespace gmmu::os
