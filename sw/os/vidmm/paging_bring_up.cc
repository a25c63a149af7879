// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/paging_bring_up.h"

#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/kernel.h"
#include "os/base/page_math.h"
#include "os/base/text.h"
#include "os/memory/system_buffer.h"
#include "os/tables/address_space.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/page_entries.h"
#include "os/vidmm/paging_process.h"
#include "os/vidmm/paging_queue.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/placement.h"
#include "os/vidmm/scratch_windows.h"

namespace gmmu::os {
namespace {
using Seen = Unexplained26100;

/// Creates the first tables in the order that Windows build 26100 uses: the tables on the path from
/// the root, which must exist, to the leaf table that covers `va`, and `large` leaf tables of 64
/// KiB entries, which cover the addresses that follow. Does not write the root. Returns the leaf
/// table that covers `va`.
///
/// Tables are allocated from the root down and filled from the leaf up. It is not known when
/// Windows clears the leaf tables of 64 KiB entries; here, they are cleared before level-1 entries
/// link them.
PageTable& MakeFirstTables(TableTree& tree, uint64_t va, uint64_t large, const UpdateSink& sink) {
  const Geometry& geometry = tree.geometry();
  const unsigned top = tree.root().level();
  const uint64_t leaf = va / geometry.Coverage(0);
  for (unsigned level = top; level-- > 0;) tree.Place(level, va);
  for (uint64_t i = 1; i <= large; ++i) tree.leaves_64k().Make(leaf + i);
  PageTable& first = tree.Place(0, va);
  Initialise(first, tree.ExtentAt(0, va), sink);
  first.written = true;
  for (uint64_t i = 1; i <= large; ++i) tree.leaves_64k().Initialise(leaf + i, sink);
  for (unsigned level = 1; level < top; ++level) {
    const uint64_t coverage = geometry.Coverage(level), end = va + (large + 1) * geometry.Coverage(0);
    for (uint64_t at = va / coverage * coverage; at < end; at += coverage) tree.WriteLinks(level, at, sink);
  }
  return first;
}
}  // namespace

uint64_t PagingBringUp::Reserve(uint64_t bytes, std::optional<uint64_t> offset) {
  const uint64_t low = gpu_.caps().geometry.Coverage(0);
  const uint64_t size = (bytes + kBytesOf64k - 1) / kBytesOf64k * kBytesOf64k;
  const bool seen = gpu_.kernel().parameters().bring_up == BringUp::kWindows26100;
  uint64_t va = 0;
  if (seen && offset && *offset + size <= low) {
    va = paging_.process().ReserveVa(bytes, low + *offset);
  } else if (seen) {
    const auto free = paging_.space().va().Allocate(size, kBytesOf64k, "ReservePaging", RangeAllocator::Place::kLowest);
    if (!free) throw Exhausted("no virtual addresses left in the paging process");
    va = *free;
  } else {
    va = paging_.process().ReserveVa(bytes);
  }
  ranges_.push_back(va);
  return va;
}

// If VRAM has 64 KiB pages, the scratch windows onto VRAM use separate leaf tables, which cover the
// addresses after those of the first leaf table.
void PagingBringUp::ReserveVa() {
  const bool seen = gpu_.kernel().parameters().bring_up == BringUp::kWindows26100;
  const Geometry& geometry = gpu_.caps().geometry;
  const uint64_t low = geometry.Coverage(0), tables = windows_.leaf_tables(), bytes = windows_.bytes();
  if (tables != 0) {
    if ((tables + 2) * low > paging_.va_end())
      throw OsError("the windows of VRAM need " + std::to_string(tables) +
                    " leaf tables of 64 KiB entries behind the first; the paging process has no addresses for them");
    ranges_.push_back(paging_.process().ReserveVa(tables * low, 2 * low));
  }
  if (seen) self_map_ = Reserve(geometry.levels[0].bytes, 0);
  if (gpu_.caps().paging_buffer_segment != 0) buffers_va_ = Reserve(paging_.BytesOf(work_.queue()), Seen::kBuffers);
  if (seen) first_fill_ = Reserve(Seen::kFillPages * kPage, Seen::kFill);
  auto& all = windows_.all();
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].system = Reserve(bytes, i == 0 ? std::optional<uint64_t>(Seen::kWindow) : std::nullopt);
    all[i].local = tables != 0 ? 2 * low + i * bytes : Reserve(bytes);
  }
  if (windows_.fill_bytes() != 0)
    windows_.fill().local = tables != 0 ? 2 * low + all.size() * bytes : Reserve(windows_.fill_bytes());
  work_.fence().set_va(Reserve(kPage));
}

void PagingBringUp::FreeVa() {
  for (const uint64_t va : ranges_) paging_.process().FreeVa(va);
  ranges_.clear();
  FreeUnexplained();
}

void PagingBringUp::FreeUnexplained() {
  if (unexplained_) gpu_.local_segment().space->Free(*unexplained_);
  unexplained_.reset();
}

// In every bring-up order, the paging buffers are mapped before the first submission.
void PagingBringUp::MapPagingBuffers() {
  if (gpu_.caps().paging_buffer_segment != 0) paging_.MapBuffers(work_.queue(), buffers_va_);
}

void PagingBringUp::MakeTables(bool gpu_runs, const std::function<void()>& rest) {
  paging_.set_up(false);
  WriteTables(gpu_runs);
  rest();
  paging_.set_up(true);
}

void PagingBringUp::WriteTables(bool gpu_runs) {
  const auto sink = paging_.sink();
  AddressSpace& space = paging_.space();
  const BringUp order = gpu_.kernel().parameters().bring_up;
  space.CreateRoot(sink);
  windows_.ForgetPackets();
  if (order == BringUp::kWindows26100) return WriteTablesOf26100(gpu_runs);
  const std::vector<DXGK_PTE> fence = {SystemEntry(gpu_, work_.fence().page())};
  if (order == BringUp::kWindows22621) {
    space.windows_22621().MakeWhole(paging_.va_end(), sink);
    MapPagingBuffers();
    paging_.TellRoot();
    paging_.Set(work_.fence().va(), fence);
    return;
  }
  const bool large = windows_.leaf_tables() != 0;
  for (const ScratchWindows::Window& window : windows_.all()) {
    paging_.Clear(window.system, windows_.bytes());
    space.entries().EnsureTables(window.local, windows_.bytes() / kPage, sink, large);
    paging_.Clear(window.local, windows_.bytes());
  }
  if (windows_.fill_bytes() != 0) {
    space.entries().EnsureTables(windows_.fill().local, windows_.fill_bytes() / kPage, sink, large);
    paging_.Clear(windows_.fill().local, windows_.fill_bytes());
  }
  MapPagingBuffers();
  paging_.Set(work_.fence().va(), fence);
  paging_.TellRoot();
}

void PagingBringUp::WriteTablesOf26100(bool gpu_runs) {
  const auto sink = paging_.sink();
  AddressSpace& space = paging_.space();
  const uint64_t low = gpu_.caps().geometry.Coverage(0);
  const PageTable& first = MakeFirstTables(space.tree(), low, windows_.leaf_tables(), sink);
  std::vector<DXGK_PTE> self;  // entries that map the leaf table itself, page by page
  for (uint64_t page = 0; page < PagesOf(first.bytes); ++page) {
    self.push_back(space.memory().LinkTo(first));
    self.back().PageAddress += page;
    self.back().CacheCoherent = first.gpu.SegmentId == 0 && gpu_.caps().coherent;
  }
  paging_.Set(self_map_, self);
  MapPagingBuffers();
  if (gpu_runs) WriteUnexplained();
  space.tree().WriteLinks(space.tree().root().level(), 0, sink);
  if (gpu_runs) paging_.Flush(low + Seen::kFlushStart, Seen::kFlushEnd - Seen::kFlushStart);
  paging_.TellRoot();
  paging_.Set(work_.fence().va(), {SystemEntry(gpu_, work_.fence().page())});
  if (gpu_runs) FirstFill();
}

void PagingBringUp::WriteUnexplained() {
  const Geometry& geometry = gpu_.caps().geometry;
  if (geometry.Entries(0) < Seen::kStart + Seen::kCount || !gpu_.has_local_segment()) return;
  Segment& segment = gpu_.local_segment();
  if (!unexplained_)
    unexplained_ = segment.space->Allocate(geometry.levels[0].bytes, segment.page_bytes(), "unexplained update");
  if (!unexplained_)
    throw NoRoom(gpu_.index(), segment.id, "no room in VRAM for the table of an update that nothing explains");
  TableUpdate update;
  update.start = Seen::kStart;
  update.count = Seen::kCount;
  update.initial = true;
  update.first_va = geometry.Coverage(0) + Seen::kStart * kPage;
  update.entries.assign(Seen::kCount, SystemEntry(gpu_, work_.fence().page()));
  for (DXGK_PTE& entry : update.entries) entry.ReadOnly = 1;
  update.table.SegmentId = segment.id;
  update.table.SegmentOffset = *unexplained_;
  work_.Send(paging_.process(), update, false);
}

// It is not documented which pages Windows fills here. The model fills free pages of VRAM, or none
// if the GPU has no VRAM.
void PagingBringUp::FirstFill() {
  if (!gpu_.has_local_segment()) return;
  SegmentPages pages = placement_.Take(Seen::kFillPages, "first fill");
  std::vector<DXGK_PTE> entries;
  for (uint64_t page = 0; page < Seen::kFillPages; ++page)
    entries.push_back(LocalEntry(gpu_, pages.segment(), pages.page(page)));
  paging_.Set(first_fill_, entries);
  paging_.Flush(first_fill_, Seen::kFillPages * kPage);
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_VIRTUAL_FILL;
  operation.FillVirtual.FillSizeInBytes = Seen::kFillPages * kPage;
  operation.FillVirtual.DestinationVirtualAddress = first_fill_;
  work_.Operate(operation);
  paging_.Clear(first_fill_, Seen::kFillPages * kPage);
  paging_.Flush(first_fill_, Seen::kFillPages * kPage);
  work_.Finish();
  pages.Release(gpu_.kernel());
}

}  // namespace gmmu::os
