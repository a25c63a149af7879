// SPDX-License-Identifier: Apache-2.0
// The paging process: its addresses and its first tables, in the order of bring_up.h.
#include <algorithm>

#include "os/kernel/text.h"
#include "os/vidmm/vidmm.h"
#include "os/kernel/page_math.h"

namespace gmmu::os {
namespace {
using Seen = Unexplained26100;
}  // namespace

uint64_t VidMm::ReservePaging(uint64_t bytes, std::optional<uint64_t> offset) {
  const uint64_t low = gpu_.caps().geometry.Coverage(0);
  const uint64_t size = (bytes + kBytesOf64k - 1) / kBytesOf64k * kBytesOf64k;
  const bool seen = kernel_.parameters().bring_up == BringUp::kWindows26100;
  uint64_t va = 0;
  if (seen && offset && *offset + size <= low) {
    va = ReserveVa(paging_, bytes, low + *offset);
  } else if (seen) {
    const auto free = paging_.space->va().Allocate(size, kBytesOf64k, "ReservePaging", RangeAllocator::Place::kLowest);
    if (!free) throw OsError("no virtual addresses left in the paging process");
    va = *free;
  } else {
    va = ReserveVa(paging_, bytes);
  }
  paging_ranges_.push_back(va);
  return va;
}

uint64_t VidMm::FillWindowBytes() const {
  // No allocation is larger than its segment.
  const uint64_t bytes = std::min(kernel_.parameters().fill_bytes(), gpu_.local_segment().size);
  return bytes > WindowBytes() ? (bytes + kBytesOf64k - 1) / kBytesOf64k * kBytesOf64k : 0;
}

uint64_t VidMm::LeafTablesOfLocalWindows() const {
  const Geometry& geometry = gpu_.caps().geometry;
  if (geometry.leaf_64k_bytes == 0) return 0;
  return (windows_.size() * WindowBytes() + FillWindowBytes() + geometry.Coverage(0) - 1) / geometry.Coverage(0);
}

// Windows of VRAM lie behind the first leaf table where VRAM has pages of 64 KiB: they have leaf tables of their own.
void VidMm::ReservePagingVa() {
  const bool seen = kernel_.parameters().bring_up == BringUp::kWindows26100;
  const Geometry& geometry = gpu_.caps().geometry;
  const uint64_t low = geometry.Coverage(0), tables = LeafTablesOfLocalWindows();
  if (tables != 0) {
    if ((tables + 2) * low > PagingVaEnd())
      throw OsError("the windows of VRAM need " + std::to_string(tables) +
                    " leaf tables of 64 KiB entries behind the first; the paging process has no addresses for them");
    paging_ranges_.push_back(ReserveVa(paging_, tables * low, 2 * low));
  }
  if (seen) self_map_ = ReservePaging(geometry.levels[0].bytes, 0);
  if (gpu_.caps().paging_buffer_segment != 0)
    buffers_va_ = ReservePaging(queue_.buffers() * gpu_.caps().paging_buffer_bytes, Seen::kBuffers);
  if (seen) first_fill_ = ReservePaging(Seen::kFillPages * kPage, Seen::kFill);
  for (size_t i = 0; i < windows_.size(); ++i) {
    windows_[i].system = ReservePaging(WindowBytes(), i == 0 ? std::optional<uint64_t>(Seen::kWindow) : std::nullopt);
    windows_[i].local = tables != 0 ? 2 * low + i * WindowBytes() : ReservePaging(WindowBytes());
  }
  if (FillWindowBytes() != 0)
    fill_window_.local = tables != 0 ? 2 * low + windows_.size() * WindowBytes() : ReservePaging(FillWindowBytes());
  fence_va_ = ReservePaging(kPage);
}

void VidMm::FreePagingVa() {
  for (const uint64_t va : paging_ranges_) FreeVa(paging_, va);
  paging_ranges_.clear();
  if (unexplained_) gpu_.local_segment().space->Free(*unexplained_);
  unexplained_.reset();
}

// Read-only; whatever the bring-up, before anything is submitted.
void VidMm::MapPagingBuffers() {
  if (gpu_.caps().paging_buffer_segment == 0) return;
  const uint64_t bytes = gpu_.caps().paging_buffer_bytes;
  for (size_t i = 0; i < queue_.buffers(); ++i) {
    std::vector<DXGK_PTE> entries;
    for (uint64_t page = 0; page < bytes / kPage; ++page) {
      entries.push_back(SystemEntry(queue_.memory(i).page(page)));
      entries.back().ReadOnly = 1;
    }
    const uint64_t va = buffers_va_ + i * bytes;
    paging_.space->SetEntries(va, entries.size(), entries, nullptr, 0, SinkFor(paging_));
    queue_.SetAddress(i, va);
  }
}

// Every table that the windows and the fence page need is made now; later only leaf entries change.
void VidMm::MakePagingTables() {
  paging_is_up_ = false;
  WritePagingTables();
  paging_is_up_ = true;
}

void VidMm::WritePagingTables() {
  const auto sink = SinkFor(paging_);
  const BringUp order = kernel_.parameters().bring_up;
  paging_.space->CreateRoot(sink);
  for (Window& window : windows_) window.packet = 0;
  fill_window_.packet = 0;
  if (order == BringUp::kWindows26100) return MakePagingTablesOf26100();
  const std::vector<DXGK_PTE> fence = {SystemEntry(fence_page_.page(0))};
  if (order == BringUp::kWindows22621) {
    paging_.space->MakeWhole(PagingVaEnd(), sink);
    MapPagingBuffers();
    TellPagingRoot();
    paging_.space->SetEntries(fence_va_, 1, fence, nullptr, 0, sink);
    return;
  }
  for (Window& window : windows_) {
    paging_.space->Invalidate(window.system, WindowBytes() / kPage, sink);
    paging_.space->EnsureTables(window.local, WindowBytes() / kPage, sink, LeafTablesOfLocalWindows() != 0);
    paging_.space->Invalidate(window.local, WindowBytes() / kPage, sink);
  }
  if (FillWindowBytes() != 0) {
    paging_.space->EnsureTables(fill_window_.local, FillWindowBytes() / kPage, sink, LeafTablesOfLocalWindows() != 0);
    paging_.space->Invalidate(fill_window_.local, FillWindowBytes() / kPage, sink);
  }
  MapPagingBuffers();
  paging_.space->SetEntries(fence_va_, 1, fence, nullptr, 0, sink);
  TellPagingRoot();
}

void VidMm::TellPagingRoot() {
  gpu_.SetRootPageTable(paging_.handles.context, paging_.space->root(), paging_.space->root_entries());
}

void VidMm::MakePagingTablesOf26100() {
  const auto sink = SinkFor(paging_);
  AddressSpace& space = *paging_.space;
  const uint64_t low = gpu_.caps().geometry.Coverage(0);
  const std::vector<DXGK_PTE> self = space.MakeFirst(low, LeafTablesOfLocalWindows(), sink);
  space.SetEntries(self_map_, self.size(), self, nullptr, 0, sink);
  MapPagingBuffers();
  WriteUnexplained();
  space.MakeWholeRoot(sink);
  Flush(paging_, low + Seen::kFlushStart, Seen::kFlushEnd - Seen::kFlushStart);
  TellPagingRoot();
  space.SetEntries(fence_va_, 1, {SystemEntry(fence_page_.page(0))}, nullptr, 0, sink);
  FirstFill();
}

void VidMm::WriteUnexplained() {
  const Geometry& geometry = gpu_.caps().geometry;
  if (geometry.Entries(0) < Seen::kStart + Seen::kCount) return;
  Segment& segment = gpu_.local_segment();
  if (!unexplained_)
    unexplained_ = segment.space->Allocate(geometry.levels[0].bytes, segment.page_bytes(), "unexplained update");
  if (!unexplained_) throw NoRoom("no room in VRAM for the table of an update that nothing explains");
  TableUpdate update;
  update.start = Seen::kStart;
  update.count = Seen::kCount;
  update.initial = true;
  update.first_va = geometry.Coverage(0) + Seen::kStart * kPage;
  update.entries.assign(Seen::kCount, SystemEntry(fence_page_.page(0)));
  for (DXGK_PTE& entry : update.entries) entry.ReadOnly = 1;
  update.table.SegmentId = segment.id;
  update.table.SegmentOffset = *unexplained_;
  Send(paging_, update, false);
}

// What is filled first is not known: pages of VRAM that nobody has.
void VidMm::FirstFill() {
  auto pages = SegmentPages::Allocate(gpu_.local_segment(), Seen::kFillPages, random_, "first fill");
  if (!pages) throw NoRoom("no room in VRAM for the first fill of the paging process");
  std::vector<DXGK_PTE> entries;
  for (uint64_t page = 0; page < Seen::kFillPages; ++page) entries.push_back(LocalEntry(pages->page(page)));
  paging_.space->SetEntries(first_fill_, Seen::kFillPages, entries, nullptr, 0, SinkFor(paging_));
  Flush(paging_, first_fill_, Seen::kFillPages * kPage);
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_VIRTUAL_FILL;
  operation.FillVirtual.FillSizeInBytes = Seen::kFillPages * kPage;
  operation.FillVirtual.DestinationVirtualAddress = first_fill_;
  active_->Add(operation);
  Finish();
  paging_.space->Invalidate(first_fill_, Seen::kFillPages, SinkFor(paging_));
  Flush(paging_, first_fill_, Seen::kFillPages * kPage);
  Finish();
  pages->Release(kernel_);
}

}  // namespace gmmu::os
