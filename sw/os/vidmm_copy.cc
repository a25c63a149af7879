// SPDX-License-Identifier: Apache-2.0
// Copies of mappings, companion contexts, and system memory in the paging process.
#include <algorithm>

#include "os/bug_check.h"
#include "os/vidmm.h"

namespace gmmu::os {
namespace {
constexpr uint64_t kPage = hw::kPageSize;
}  // namespace

// The companion is a system context of the process' own device; its buffers are paging buffers like all others.
void VidMm::OnCompanion(Process& process, const std::function<void()>& work) {
  RefuseOnLink("a paging companion context");
  if (process.handles.context == nullptr) throw BugCheck("process " + process.name + " has no context to accompany");
  if (!process.companion) {
    if (process.handles.companion_node != gpu_.caps().paging_node)
      throw OsError("the driver names node " + std::to_string(process.handles.companion_node) +
                    " for paging companions; only the paging node is supported");
    process.companion = Process::Companion{adapter().OpenCompanion(process.handles, process.name, gpu_),
                                           std::make_unique<PagingQueue>(gpu_),
                                           kernel_.ledger().Open("context", "paging companion of " + process.name,
                                                                 "dxgkrnl", "DxgkDdiCreateContext")};
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

// Leaf by leaf, from the end that an overlap leaves whole: by the entries that the tables are known to have, or by
// the GPU from table to table (a copy is executed when the stream gets there, and the tables must be in its space).
void VidMm::CopyMappings(Process& process, uint64_t source, uint64_t target, uint64_t bytes) {
  RefuseOnLink("copying mappings");
  const auto sink = SinkFor(process);
  process.space->EnsureTables(source, bytes / kPage, sink);
  process.space->EnsureTables(target, bytes / kPage, sink);
  std::vector<AddressSpace::LeafRun> runs = process.space->LeafRuns(source, target, bytes);
  if (target > source) std::reverse(runs.begin(), runs.end());

  const bool by_gpu =
      kernel_.parameters().copies_entries && gpu_.caps().update_mode != DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
  if (by_gpu) {
    for (const AddressSpace::LeafRun& run : runs) {
      const uint64_t from = MapTable(run.source, run.source_bytes), to = MapTable(run.target, run.target_bytes);
      DXGK_BUILDPAGINGBUFFER_COPY_RANGE range{static_cast<UINT>(run.entries), from, to, static_cast<UINT>(run.from),
                                              static_cast<UINT>(run.to)};
      if (run.source.SegmentId == run.target.SegmentId && run.source.SegmentOffset == run.target.SegmentOffset)
        range.DstPageTableAddress = from;  // one table has one address, so that the driver sees an overlap
      DXGKARG_BUILDPAGINGBUFFER operation{};
      operation.Operation = DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES;
      operation.CopyPageTableEntries.NumRanges = 1;
      operation.CopyPageTableEntries.pRanges = &range;
      active_->Add(operation);
      process.shadow.Copy(run.source, run.from, run.target, run.to, run.entries);
      active_->Drain();
      UnmapTable(from, run.source_bytes);
      UnmapTable(to, run.target_bytes);
    }
  } else {
    std::vector<std::vector<DXGK_PTE>> all;  // as they were before the first is written
    for (const AddressSpace::LeafRun& run : runs)
      all.push_back(process.shadow.Entries(run.source, run.from, run.entries));
    for (size_t i = 0; i < runs.size(); ++i)
      process.space->SetEntries(runs[i].va, runs[i].entries, all[i], nullptr, 0, sink);
  }
  CopyRecords(process, source, target, bytes);
  FinishMapping(process, target, bytes / kPage);
}

void VidMm::CopyRecords(Process& process, uint64_t source, uint64_t target, uint64_t bytes) {
  std::vector<std::pair<Allocation*, Allocation::Mapping>> copies;
  for (const auto& allocation : allocations_) {
    for (const Allocation::Mapping& mapping : allocation->mappings) {
      const uint64_t start = std::max(mapping.va, source);
      const uint64_t end = std::min(mapping.va + mapping.pages * kPage, source + bytes);
      if (mapping.process != &process || start >= end) continue;
      Allocation::Mapping copy = mapping;
      copy.va = target + (start - source);
      copy.first_page += (start - mapping.va) / kPage;
      copy.pages = (end - start) / kPage;
      copies.emplace_back(allocation.get(), copy);
    }
  }
  Forget(process, target, bytes / kPage);
  for (const auto& [allocation, mapping] : copies) allocation->mappings.push_back(mapping);
}

}  // namespace gmmu::os
