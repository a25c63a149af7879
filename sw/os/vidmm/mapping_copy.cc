// SPDX-License-Identifier: Apache-2.0
// Implements Mappings::Copy.
#include <algorithm>
#include <utility>
#include <vector>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/kernel.h"
#include "os/base/page_math.h"
#include "os/tables/address_space.h"
#include "os/tables/page_size_checker.h"
#include "os/tables/table_shadow.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/paging_process.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/process_tables.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {
namespace {

// Has the GPU copy the entries in stream order. The GPU accesses the tables at GPU VAs of the
// paging process.
void CopyByGpu(VidMm& vidmm, GpuProcess& process, const CopyPiece& piece, const std::vector<HeldEntry>& entries) {
  PagingProcess& paging = vidmm.paging();
  AddressSpace& space = *process.space;
  space.entries().EnsureTables(piece.target, piece.pages, vidmm.work().SinkFor(process));
  const Geometry& geometry = vidmm.gpu().caps().geometry;
  const uint64_t from = geometry.Index(0, piece.source), to = geometry.Index(0, piece.target);
  const auto source = space.copies().PlaceOfLeaf(piece.source), target = space.copies().PlaceOfLeaf(piece.target);
  const uint64_t source_va = paging.MapTable(source.gpu, source.bytes);
  const uint64_t target_va = paging.MapTable(target.gpu, target.bytes);
  DXGK_BUILDPAGINGBUFFER_COPY_RANGE range{static_cast<UINT>(piece.pages), source_va, target_va, static_cast<UINT>(from),
                                          static_cast<UINT>(to)};
  if (source.gpu.SegmentId == target.gpu.SegmentId && source.gpu.SegmentOffset == target.gpu.SegmentOffset)
    // If both ranges are in one table, they get the same table address, so that the driver can
    // detect an overlap.
    range.DstPageTableAddress = source_va;
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES;
  operation.CopyPageTableEntries.NumRanges = 1;
  operation.CopyPageTableEntries.pRanges = &range;
  vidmm.work().Add(operation);
  if (process.shadow->Copy(source.gpu, from, target.gpu, to, piece.pages)) process.overwritten = true;
  const TableUpdate copied = space.copies().NoteCopied(piece, entries);
  if (process.checker) process.checker->Note(copied);
  vidmm.work().Drain();
  paging.UnmapTable(source_va, source.bytes);
  paging.UnmapTable(target_va, target.bytes);
}

// Copies the entries of one piece. The GPU can only copy 4 KiB entries unchanged, so VidMm writes
// the entries itself if either range has 64 KiB pages or if the driver protection changes.
void CopyOne(VidMm& vidmm, GpuProcess& process, const CopyPiece& piece, uint64_t driver_protection) {
  AddressSpace& space = *process.space;
  const std::vector<HeldEntry> entries = space.copies().Entries(piece, process.Contents());
  const bool as_they_are = std::all_of(entries.begin(), entries.end(), [&](const HeldEntry& held) {
    return !InUse(held.entry) || held.driver_protection == driver_protection;
  });
  const Leaves64k& large = space.tree().leaves_64k();
  PhysicalAdapter& gpu = vidmm.gpu();
  if (gpu.kernel().parameters().copies_entries && gpu.caps().update_mode != DXGK_PAGETABLEUPDATE_CPU_VIRTUAL &&
      as_they_are && !large.Any64k(piece.source, piece.pages) && !large.Any64k(piece.target, piece.pages))
    return CopyByGpu(vidmm, process, piece, entries);
  for (size_t first = 0, end = 0; first < entries.size(); first = end) {
    end = EndOfRun(entries, first, kPage);
    std::vector<DXGK_PTE> run;
    for (size_t i = first; i < end; ++i) run.push_back(entries[i].entry);
    space.entries().Set(piece.target + first * kPage, run.size(), run, entries[first].allocation,
                        entries[first].allocation_offset, vidmm.work().SinkFor(process),
                        InUse(run.front()) ? driver_protection : 0);
  }
}

}  // namespace

// Copies one leaf table after another, in an order in which overlapping ranges overwrite only
// entries that have already been copied.
void Mappings::Copy(GpuProcess& process, uint64_t source, uint64_t target, uint64_t bytes, uint64_t driver_protection) {
  BringTables(process);
  vidmm_.tables().EnsureEverywhere(process, target, bytes / kPage);
  process.space->entries().EnsureTables(source, bytes / kPage, vidmm_.work().SinkFor(process));
  std::vector<CopyPiece> pieces = process.space->copies().Pieces(source, target, bytes);
  if (target > source) std::reverse(pieces.begin(), pieces.end());
  for (const CopyPiece& piece : pieces) CopyOne(vidmm_, process, piece, driver_protection);

  std::vector<std::pair<Allocation*, Mapping>> copies;
  for (VidMm* vidmm : vidmm_.link())
    for (const auto& copy : vidmm->mappings().Of(process, source, bytes)) copies.push_back(copy);
  Forget(process, target, bytes / kPage);
  for (auto& [allocation, mapping] : copies) {
    mapping.va = target + (mapping.va - source);
    mapping.protection.driver = driver_protection;
    Add(*allocation, mapping);
  }
  vidmm_.tables().FinishChange(process, target, bytes / kPage);
}

}  // namespace gmmu::os
