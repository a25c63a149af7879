// SPDX-License-Identifier: Apache-2.0
// Copies and fills through the scratch windows of the paging process; the aperture.
#include <algorithm>

#include "os/kernel/bug_check.h"
#include "os/kernel/text.h"
#include "os/vidmm/vidmm.h"
#include "os/kernel/page_math.h"

namespace gmmu::os {
VidMm::Window& VidMm::NextWindow() {
  Window& window = windows_[next_window_];
  next_window_ = (next_window_ + 1) % windows_.size();
  queue_.WaitFor(window.packet);
  window.packet = 0;
  return window;
}

bool VidMm::SetWindow(uint64_t va, const std::vector<DXGK_PTE>& entries,
                      const Allocation& allocation, uint64_t offset, uint64_t driver_protection) {
  paging_.space->SetEntries(va, entries.size(), entries, allocation.handle, offset,
                            SinkFor(paging_), driver_protection);
  Flush(paging_, va, entries.size() * kPage);
  return paging_.space->Is64k(va);
}

std::vector<DXGK_PTE> VidMm::LocalEntries(const Allocation& allocation, uint64_t offset, uint64_t bytes) const {
  const uint64_t first = offset / kPage;
  uint64_t end = first + PagesOf(bytes);
  if (gpu_.caps().geometry.leaf_64k_bytes != 0)
    end = std::min((end + kPagesOf64k - 1) / kPagesOf64k * kPagesOf64k, allocation.local->count());
  std::vector<DXGK_PTE> entries;
  for (uint64_t page = first; page < end; ++page) entries.push_back(LocalEntry(allocation, page));
  return entries;
}

VidMm::Piece VidMm::PieceAt(const Allocation& allocation, uint64_t at, uint64_t left, uint64_t pages) {
  Piece piece{};
  piece.skip = at % allocation.vidmm->gpu_.local_segment().page_bytes();
  piece.start = at - piece.skip;
  const uint64_t before = piece.skip / kPage;  // whole pages
  uint64_t same = std::min(pages > before ? pages - before : 1, PagesOf(at % kPage + left));
  piece.protection = WindowProtection(allocation, at / kPage, &same);
  piece.size = std::min(left, same * kPage - at % kPage);
  return piece;
}

bool VidMm::SetWindow(uint64_t va, const Allocation& allocation, const Piece& piece) {
  return SetWindow(va, LocalEntries(allocation, piece.start, piece.skip + piece.size), allocation, piece.start,
                   piece.protection);
}

void VidMm::Transfer(Allocation& allocation, SystemBuffer& buffer, uint64_t bytes, bool in,
                     const Progress& progress) {
  if (kernel_.parameters().physical_paging) return TransferPhysical(allocation, buffer, bytes, in, progress);
  for (uint64_t done = 0; done < bytes;) {
    const Piece piece = PieceAt(allocation, done, bytes - done, kernel_.parameters().window_pages);
    const uint64_t size = piece.size;
    Window& window = NextWindow();
    const uint64_t local = window.local + piece.skip;
    std::vector<DXGK_PTE> system;
    for (uint64_t page = done / kPage; page < done / kPage + PagesOf(size); ++page)
      system.push_back(SystemEntry(buffer.page(page)));
    const bool system_64k = SetWindow(window.system, system, allocation, done, piece.protection);
    const bool local_64k = SetWindow(window.local, allocation, piece);
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_VIRTUAL_TRANSFER;
    operation.TransferVirtual.hAllocation = allocation.handle;
    operation.TransferVirtual.AllocationOffsetInBytes = done;
    operation.TransferVirtual.TransferSizeInBytes = size;
    operation.TransferVirtual.SourceVirtualAddress = in ? window.system : local;
    operation.TransferVirtual.DestinationVirtualAddress = in ? local : window.system;
    operation.TransferVirtual.Flags.Src64KBPages = in ? system_64k : local_64k;
    operation.TransferVirtual.Flags.Dst64KBPages = in ? local_64k : system_64k;
    operation.TransferVirtual.TransferDirection =
        in ? DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL : DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM;
    active_->Add(operation);
    window.packet = active_->Submit();
    done += size;
    if (progress) progress(done);
  }
  Finish();
}

void VidMm::CopyLocal(Allocation& source, Allocation& target, uint64_t bytes) {
  for (uint64_t done = 0; done < bytes;) {
    Piece from = PieceAt(source, done, bytes - done, kernel_.parameters().window_pages);
    const Piece to = PieceAt(target, done, from.size, kernel_.parameters().window_pages);
    const uint64_t size = from.size = to.size;
    Window& window = NextWindow();
    const bool source_64k = SetWindow(window.system, source, from);
    const bool target_64k = SetWindow(window.local, target, to);
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_VIRTUAL_TRANSFER;
    operation.TransferVirtual.hAllocation = target.handle;
    operation.TransferVirtual.AllocationOffsetInBytes = done;
    operation.TransferVirtual.TransferSizeInBytes = size;
    operation.TransferVirtual.SourceVirtualAddress = window.system + from.skip;
    operation.TransferVirtual.DestinationVirtualAddress = window.local + to.skip;
    operation.TransferVirtual.Flags.Src64KBPages = source_64k;
    operation.TransferVirtual.Flags.Dst64KBPages = target_64k;
    operation.TransferVirtual.TransferDirection = DXGK_MEMORY_TRANSFER_LOCAL_TO_LOCAL;
    active_->Add(operation);
    window.packet = active_->Submit();
    done += size;
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
    const Piece piece = PieceAt(allocation, offset + done, bytes - done, PagesOf(kernel_.parameters().fill_bytes()));
    queue_.WaitFor(fill_window_.packet);
    Window& window = piece.skip + piece.size > WindowBytes() ? fill_window_ : NextWindow();
    SetWindow(window.local, allocation, piece);
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_VIRTUAL_FILL;
    operation.FillVirtual.hAllocation = allocation.handle;
    operation.FillVirtual.AllocationOffsetInBytes = offset + done;
    operation.FillVirtual.FillSizeInBytes = piece.size;
    operation.FillVirtual.FillPattern = pattern;
    operation.FillVirtual.DestinationVirtualAddress = window.local + piece.skip;
    active_->Add(operation);
    window.packet = active_->Submit();
    done += piece.size;
  }
  Finish();
}

void VidMm::CopyFromAperture(uint64_t aperture_offset, Allocation& allocation, uint64_t offset,
                             uint64_t bytes) {
  CopyAperture(aperture_offset, allocation, offset, bytes, true);
}

// Driver documents, EvictionSegmentSet: contents move to an aperture segment, whose pages are the backing store's.
void VidMm::EvictThroughAperture(Allocation& allocation, SystemBuffer& target) {
  const uint64_t all = PagesOf(allocation.bytes);
  for (uint64_t done = 0; done < all;) {
    const auto some = aperture_->ReserveSome(all - done);
    if (!some && done == 0) return PageOut(allocation, target, allocation.bytes, nullptr);
    if (!some) throw OsError("no room in the aperture for the rest of " + allocation.name);
    const auto [range, pages] = *some;
    BindAperture(range, pages, allocation, target, done);
    CopyAperture(range * kPage, allocation, done * kPage, pages * kPage, false, done == 0, done + pages == all);
    UnbindAperture(range, pages, allocation);
    FreeAperture(range);
    done += pages;
  }
}

void VidMm::CopyAperture(uint64_t aperture_offset, Allocation& allocation, uint64_t offset, uint64_t bytes, bool in,
                         bool begins, bool ends) {
  const Segment& aperture = gpu_.aperture_segment();
  const Segment& local = gpu_.local_segment();
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
    const auto shown = static_cast<LONGLONG>(aperture.base + aperture_offset + done);
    const LONGLONG place = SegmentAddress(allocation, first);
    args.Source.SegmentId = in ? aperture.id : local.id;
    args.Source.SegmentAddress.QuadPart = in ? shown : place;
    args.Destination.SegmentId = in ? local.id : aperture.id;
    args.Destination.SegmentAddress.QuadPart = in ? place : shown;
    args.Flags.TransferStart = begins && done == 0;
    args.Flags.TransferEnd = ends && done + size == bytes;
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
  if (allocation.homes.aperture == 0 && allocation.homes.eviction == 0)
    throw BugCheck("allocation " + allocation.name + " has no place in the aperture");
  aperture_->Map({nullptr, allocation.handle, allocation.map_cpu_visible}, aperture_page, pages, buffer.adl(),
                 adl_offset);
}

void VidMm::UnbindAperture(uint64_t aperture_page, uint64_t pages, Allocation& allocation) {
  aperture_->Unmap({nullptr, allocation.handle, allocation.map_cpu_visible}, aperture_page, pages);
}

}  // namespace gmmu::os
