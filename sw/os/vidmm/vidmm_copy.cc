// SPDX-License-Identifier: Apache-2.0
// Copies of mappings, companion contexts, and system memory in the paging process.
#include <algorithm>

#include "os/kernel/bug_check.h"
#include "os/vidmm/vidmm.h"
#include "os/kernel/page_math.h"

namespace gmmu::os {
// The companion is a system context of the process' own device; its buffers are paging buffers like all others.
void VidMm::OnCompanion(Process& process, const std::function<void()>& work) {
  RefuseOnLink("a paging companion context");
  if (process.handles.context == nullptr) throw BugCheck("process " + process.name + " has no context to accompany");
  if (!process.companion) {
    if (process.handles.companion_node != gpu_.caps().paging_node)
      throw OsError("the driver names node " + std::to_string(process.handles.companion_node) +
                    " for paging companions; only the paging node is supported");
    process.companion = Process::Companion{
        adapter().driver_objects().OpenCompanion(process.handles, process.name, gpu_),
        std::make_unique<PagingQueue>(gpu_),
        kernel_.ledger().Open("context", "paging companion of " + process.name, "dxgkrnl", "DxgkDdiCreateContext")};
    process.companion->queue->Start(process.companion->context);
  }
  queue_.Drain();
  active_ = process.companion->queue.get();
  try {
    work();
  } catch (...) {
    active_ = &queue_;
    throw;
  }
  active_ = &queue_;
}

uint64_t VidMm::MapForPaging(const SystemBuffer& buffer) {
  const uint64_t pages = buffer.bytes() / kPage, va = ReserveVa(paging_, buffer.bytes());
  std::vector<DXGK_PTE> entries;
  for (uint64_t page = 0; page < pages; ++page) entries.push_back(SystemEntry(buffer.page(page)));
  paging_.space->SetEntries(va, pages, entries, nullptr, 0, SinkFor(paging_));
  Flush(paging_, va, pages * kPage);
  return va;
}

void VidMm::UnmapForPaging(uint64_t va, uint64_t pages) {
  paging_.space->Invalidate(va, pages, SinkFor(paging_));
  Flush(paging_, va, pages * kPage);
  Finish();
  FreeVa(paging_, va);
}

// Leaf by leaf, from the end that an overlap leaves whole.
void VidMm::CopyMappings(Process& process, uint64_t source, uint64_t target, uint64_t bytes,
                         uint64_t driver_protection) {
  RefuseOnLink("copying mappings");
  process.space->EnsureTables(source, bytes / kPage, SinkFor(process));
  std::vector<AddressSpace::CopyPiece> pieces = process.space->CopyPieces(source, target, bytes);
  if (target > source) std::reverse(pieces.begin(), pieces.end());
  for (const AddressSpace::CopyPiece& piece : pieces) CopyPiece(process, piece, driver_protection);

  auto copies = MappingsIn(process, source, bytes);
  Forget(process, target, bytes / kPage);
  for (auto& [allocation, mapping] : copies) {
    mapping.va = target + (mapping.va - source);
    mapping.protection.driver = driver_protection;
    allocation->mappings.push_back(mapping);
  }
  FinishMapping(process, target, bytes / kPage);
}

// By the entries that the tables are known to have; or by the GPU, which copies entries of 4 KiB as they are: pages of
// 64 KiB on either side, and entries that get another protection of the driver's, are written.
void VidMm::CopyPiece(Process& process, const AddressSpace::CopyPiece& piece, uint64_t driver_protection) {
  AddressSpace& space = *process.space;
  const std::vector<HeldEntry> entries = space.PageEntries(piece, ContentsOf(process));
  const bool as_they_are = std::all_of(entries.begin(), entries.end(), [&](const HeldEntry& held) {
    return !InUse(held.entry) || held.driver_protection == driver_protection;
  });
  if (kernel_.parameters().copies_entries && gpu_.caps().update_mode != DXGK_PAGETABLEUPDATE_CPU_VIRTUAL &&
      as_they_are && !space.Any64k(piece.source, piece.pages) && !space.Any64k(piece.target, piece.pages))
    return CopyByGpu(process, piece, entries);
  for (size_t first = 0, end = 0; first < entries.size(); first = end) {
    end = EndOfRun(entries, first, kPage);
    std::vector<DXGK_PTE> run;
    for (size_t i = first; i < end; ++i) run.push_back(entries[i].entry);
    space.SetEntries(piece.target + first * kPage, run.size(), run, entries[first].allocation,
                     entries[first].allocation_offset, SinkFor(process),
                     InUse(run.front()) ? driver_protection : 0);
  }
}

// A copy is executed when the stream gets there, and the tables must be in the paging process' space.
void VidMm::CopyByGpu(Process& process, const AddressSpace::CopyPiece& piece, const std::vector<HeldEntry>& entries) {
  process.space->EnsureTables(piece.target, piece.pages, SinkFor(process));
  const Geometry& geometry = gpu_.caps().geometry;
  const uint64_t from = geometry.Index(0, piece.source), to = geometry.Index(0, piece.target);
  const auto source = process.space->PlaceOfLeaf(piece.source), target = process.space->PlaceOfLeaf(piece.target);
  const uint64_t source_va = MapTable(source.gpu, source.bytes), target_va = MapTable(target.gpu, target.bytes);
  DXGK_BUILDPAGINGBUFFER_COPY_RANGE range{static_cast<UINT>(piece.pages), source_va, target_va,
                                          static_cast<UINT>(from), static_cast<UINT>(to)};
  if (source.gpu.SegmentId == target.gpu.SegmentId && source.gpu.SegmentOffset == target.gpu.SegmentOffset)
    range.DstPageTableAddress = source_va;  // one table has one address, so that the driver sees an overlap
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES;
  operation.CopyPageTableEntries.NumRanges = 1;
  operation.CopyPageTableEntries.pRanges = &range;
  active_->Add(operation);
  if (process.shadow.Copy(source.gpu, from, target.gpu, to, piece.pages)) process.overwritten = true;
  const TableUpdate copied = process.space->NoteCopied(piece, entries);
  if (process.order) process.order->Note(copied);
  active_->Drain();
  UnmapTable(source_va, source.bytes);
  UnmapTable(target_va, target.bytes);
}

std::vector<VidMm::Allocation::Mapping> VidMm::Within(const std::vector<Allocation::Mapping>& mappings,
                                                      const Process& process, uint64_t va, uint64_t bytes) {
  std::vector<Allocation::Mapping> found;
  for (const Allocation::Mapping& mapping : mappings) {
    const uint64_t start = std::max(mapping.va, va), end = std::min(mapping.end(), va + bytes);
    if (mapping.process != &process || start >= end) continue;
    found.push_back(mapping.Part((start - mapping.va) / kPage, (end - start) / kPage));
  }
  return found;
}

std::vector<std::pair<VidMm::Allocation*, VidMm::Allocation::Mapping>> VidMm::MappingsIn(const Process& process,
                                                                                         uint64_t va,
                                                                                         uint64_t bytes) const {
  std::vector<std::pair<Allocation*, Allocation::Mapping>> found;
  for (const auto& allocation : allocations_) {
    for (const Allocation::Mapping& mapping : Within(allocation->mappings, process, va, bytes))
      found.emplace_back(allocation.get(), mapping);
  }
  return found;
}

}  // namespace gmmu::os
