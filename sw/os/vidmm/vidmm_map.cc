// SPDX-License-Identifier: Apache-2.0
// What page tables of processes say.
#include <algorithm>
#include <utility>

#include "os/kernel/bug_check.h"
#include "os/vidmm/context_allocations.h"
#include "os/kernel/text.h"
#include "os/vidmm/vidmm.h"
#include "os/kernel/page_math.h"

namespace gmmu::os {
namespace {
constexpr uint64_t kIdleNs = 100'000'000;
}  // namespace

void VidMm::EnsureTables(Process& process, uint64_t va, uint64_t pages, bool large) {
  process.space->EnsureTables(va, pages, SinkFor(process), large);
}

void VidMm::EnsureEverywhere(Process& process, uint64_t va, uint64_t pages) {
  if (process.parts == nullptr) return;  // its own are made when they are written
  for (Process* part : *process.parts) {
    part->vidmm->EnsureTables(*part, va, pages);
    if (part != &process && part->held) part->vidmm->Finish();  // its context goes on
  }
}

void VidMm::EnsureTables(Allocation& allocation) {
  for (const Allocation::Mapping& mapping : allocation.mappings) {
    const bool large = gpu_.local_segment().pages_64k && mapping.va % kBytesOf64k == 0 &&
                       mapping.pages % kPagesOf64k == 0 && mapping.first_page % kPagesOf64k == 0 &&
                       !mapping.one_page;
    EnsureEverywhere(*mapping.process, mapping.va, mapping.pages);
    mapping.process->vidmm->EnsureTables(*mapping.process, mapping.va, mapping.pages, large);
  }
}

void VidMm::Finish(const std::vector<VidMm*>& touched) {
  for (VidMm* vidmm : link_) {
    if (vidmm == this || std::find(touched.begin(), touched.end(), vidmm) != touched.end()) vidmm->Finish();
  }
}

// Tables of a GPU are written by its own paging work, whoever has the memory.
void VidMm::InvalidateMappings(Allocation& allocation) {
  std::vector<VidMm*> touched;
  for (const Allocation::Mapping& mapping : allocation.mappings) {
    Process& process = *mapping.process;
    VidMm& tables = *process.vidmm;
    touched.push_back(&tables);
    tables.Clear(process, mapping.va, mapping.pages);
  }
  Finish(touched);
}

void VidMm::RestoreMappings(Allocation& allocation) {
  std::vector<VidMm*> touched;
  for (const Allocation::Mapping& mapping : allocation.mappings) {
    Process& process = *mapping.process;
    VidMm& tables = *process.vidmm;
    touched.push_back(&tables);
    tables.SetLocal(allocation, mapping);
    tables.FlushChanges(process, mapping.va, mapping.pages);
  }
  Finish(touched);
}

void VidMm::SetLocal(Allocation& allocation, const Allocation::Mapping& mapping) {
  Process& process = *mapping.process;
  EnsureEverywhere(process, mapping.va, mapping.pages);
  const uint64_t shown = mapping.shown();
  std::vector<DXGK_PTE> entries;
  for (uint64_t page = mapping.first_page; page < mapping.first_page + shown; ++page)
    entries.push_back(Protect(LocalEntry(allocation, page), mapping.protection));
  if (kernel_.parameters().inject.wrong_pte && !wrong_pte_done_) {
    wrong_pte_done_ = true;
    entries[shown / 2].PageAddress =
        shown > 1 ? entries[(shown / 2 + 1) % shown].PageAddress : entries[0].PageAddress ^ 1;
  }
  process.space->SetEntries(mapping.va, mapping.pages, entries, allocation.handle, mapping.first_page * kPage,
                            SinkFor(process), mapping.protection.driver);
}

// What is left of every mapping outside of the range.
void VidMm::Forget(Process& process, uint64_t va, uint64_t pages) {
  for (VidMm* vidmm : link_) {
    for (const auto& allocation : vidmm->allocations_)
      allocation->mappings = Without(allocation->mappings, process, va, pages);
  }
}

std::vector<VidMm::Allocation::Mapping> VidMm::Without(const std::vector<Allocation::Mapping>& mappings,
                                                       const Process& process, uint64_t va, uint64_t pages) {
  const uint64_t end = va + pages * kPage;
  std::vector<Allocation::Mapping> kept;
  for (const Allocation::Mapping& mapping : mappings) {
    const uint64_t last = mapping.end();
    if (mapping.process != &process || last <= va || mapping.va >= end) {
      kept.push_back(mapping);
      continue;
    }
    if (mapping.va < va) kept.push_back(mapping.Part(0, (va - mapping.va) / kPage));
    if (last > end) kept.push_back(mapping.Part((end - mapping.va) / kPage, (last - end) / kPage));
  }
  return kept;
}

void VidMm::FlushChanges(Process& process, uint64_t va, uint64_t pages) {
  if (std::exchange(process.overwritten, false) || !gpu_.caps().invalid_not_cached) Flush(process, va, pages * kPage);
}

bool VidMm::Clear(Process& process, uint64_t va, uint64_t pages) {
  if (Away(process)) {
    process.stale.emplace_back(va, pages);
    return false;
  }
  const bool any = process.space->Clear(va, pages, ContentsOf(process), SinkFor(process));
  if (any) FlushChanges(process, va, pages);
  return any;
}

// What is not resident has no entries, unless they are in tables that are away.
void VidMm::ClearMappings(Allocation& allocation) {
  std::vector<VidMm*> touched;
  std::vector<Process*> changed;
  for (const Allocation::Mapping& mapping : std::exchange(allocation.mappings, {})) {
    Process& process = *mapping.process;
    VidMm& tables = *process.vidmm;
    if (!tables.running() || (!allocation.local && !tables.Away(process))) continue;
    if (!tables.Clear(process, mapping.va, mapping.pages)) continue;
    touched.push_back(&tables);
    changed.push_back(&process);
  }
  if (touched.empty()) return;
  Finish(touched);
  for (Process* process : changed) process->vidmm->ReleaseRetired(*process);
}

void VidMm::ClearStale(Process& process) {
  for (const auto& [va, pages] : std::exchange(process.stale, {}))
    process.space->Clear(va, pages, ContentsOf(process), SinkFor(process));
}

// Flushes what the entries were, waits, and frees the tables that nothing uses any more.
void VidMm::FinishMapping(Process& process, uint64_t va, uint64_t pages) {
  FlushChanges(process, va, pages);
  Finish();
  TellRoot(process);
  ReleaseRetired(process);
}

// Nothing leads to them any more, and that is done.
void VidMm::ReleaseRetired(Process& process) {
  if (gpu_.caps().explicit_invalidation && process.space->InvalidateRetired(SinkFor(process))) Finish();
  process.space->ReleaseRetired();
}

void VidMm::MapLocal(Process& process, uint64_t va, Allocation& allocation, uint64_t first_page, uint64_t pages,
                     const Protection& protection) {
  MapResident(allocation, {&process, va, first_page, pages, protection});
}

void VidMm::MapResident(Allocation& allocation, const Allocation::Mapping& mapping) {
  SetLocal(allocation, mapping);
  Forget(*mapping.process, mapping.va, mapping.pages);
  allocation.mappings.push_back(mapping);
  FinishMapping(*mapping.process, mapping.va, mapping.pages);
}

uint64_t VidMm::LargePageBytes(const Allocation& allocation) const {
  const uint64_t bytes = uint64_t{1} << gpu_.caps().geometry.Shift(1);
  const bool may = gpu_.answers().mmu.LargePageSupported && allocation.large_pages && allocation.local &&
                   allocation.contiguous != 0 && allocation.bytes >= bytes &&
                   allocation.local->page(0) % (bytes / kPage) == 0;
  return may ? bytes : 0;
}

const std::pair<const uint64_t, VidMm::Process::DriverRange>* VidMm::DriverRangeOf(const Process& process,
                                                                                   uint64_t base,
                                                                                   uint64_t bytes) const {
  for (const auto& range : process.driver_ranges)
    if (base < range.first + range.second.bytes && range.first < base + bytes) return &range;
  return nullptr;
}

void VidMm::MapLarge(Process& process, uint64_t va, unsigned level, Allocation& allocation,
                     const Protection& protection) {
  const uint64_t pages = (uint64_t{1} << gpu_.caps().geometry.Shift(level)) / kPage;
  DXGK_PTE entry = LocalEntry(allocation, 0);
  entry.LargePage = 1;
  if (!allocation.contiguous || entry.PageAddress % pages != 0 || allocation.bytes < pages * kPage)
    throw BugCheck("a large page of " + allocation.name + ", which is not contiguous and aligned to it");
  process.space->SetUpper(level, va, Protect(entry, protection), allocation.handle, 0, SinkFor(process),
                          protection.driver);
  Forget(process, va, pages);
  allocation.mappings.push_back({&process, va, 0, pages, protection});
  FinishMapping(process, va, pages);
}

void VidMm::MapZero(Process& process, uint64_t va, uint64_t pages) {
  process.space->SetZero(va, pages, SinkFor(process));
  Forget(process, va, pages);
  FinishMapping(process, va, pages);
}

void VidMm::UnmapAndFreeTables(Process& process, uint64_t va, uint64_t pages) {
  const auto sink = SinkFor(process);
  process.space->Invalidate(va, pages, sink);
  process.space->FreeTables(va, pages, sink);
  Forget(process, va, pages);
  FinishMapping(process, va, pages);
}

AddressSpace::Contents VidMm::ContentsOf(Process& process) {
  return [&process](const D3DGPU_PHYSICAL_ADDRESS& table, uint64_t first, uint64_t count) {
    return process.shadow.Entries(table, first, count);
  };
}

void VidMm::FlushSpace(Process& process) {
  process.overwritten = false;
  Flush(process, 0, 0);
  Finish();
  ReleaseRetired(process);
}

// Parents by UPDATE_PAGE_TABLE, the root by SetRootPageTable.
void VidMm::MoveTables(Process& process) {
  RefuseOnLink("moving page tables");
  gpu_.vidsch().SuspendContext(process.handles.context, kIdleNs);
  try {
    process.space->MoveTables(ContentsOf(process), SinkFor(process));
    process.space->ReplaceRoot(0, SinkFor(process));
  } catch (const NoRoom&) {  // what has moved stays there, under the old root
    FlushSpace(process);
    gpu_.vidsch().ResumeContext(process.handles.context);
    throw;
  }
  Finish();
  gpu_.SetRootPageTable(process.handles.context, process.space->root(), process.space->root_entries());
  FlushSpace(process);
  gpu_.vidsch().ResumeContext(process.handles.context);
}

void VidMm::EvictTables(Process& process) {
  RefuseOnLink("eviction of page tables");
  gpu_.vidsch().SuspendContext(process.handles.context, kIdleNs);
  process.space->EvictTables(ContentsOf(process), SinkFor(process));
  FlushSpace(process);
}

void VidMm::RestoreTables(Process& process) {
  process.space->RestoreTables(SinkFor(process));
  ClearStale(process);
  FlushSpace(process);
  gpu_.vidsch().ResumeContext(process.handles.context);
}

void VidMm::ReplaceRoot(Process& process, uint64_t entries) {
  process.space->ReplaceRoot(entries, SinkFor(process));
  Finish();  // the new root is complete before the hardware is told of it
  gpu_.SetRootPageTable(process.handles.context, process.space->root(), process.space->root_entries());
  ReleaseRetired(process);
}

// In the middle of a mapping: tables that it has replaced go too, so all that was cached of the space does. A process
// without a context is told of its root when it has one, and nothing of it is cached.
void VidMm::GrowRoot(Process& process, uint64_t entries) {
  const HANDLE context = process.handles.context;
  if (context != nullptr) gpu_.vidsch().SuspendContext(context, kIdleNs, true);
  try {
    process.space->ReplaceRoot(entries, SinkFor(process));
  } catch (const NoRoom&) {
    if (context != nullptr) gpu_.vidsch().ResumeContext(context);
    throw;
  }
  Finish();
  if (context == nullptr) return ReleaseRetired(process);
  gpu_.SetRootPageTable(context, process.space->root(), process.space->root_entries());
  process.root_told = true;
  FlushSpace(process);
  gpu_.vidsch().ResumeContext(context);
}

void VidMm::Map(Process& process, uint64_t va, Allocation& allocation, uint64_t first_page, uint64_t pages,
                const Protection& protection) {
  if (allocation.local) return MapLocal(process, va, allocation, first_page, pages, protection);
  if (Clear(process, va, pages)) {
    Finish();
    ReleaseRetired(process);
  }
  Forget(process, va, pages);
  allocation.mappings.push_back({&process, va, first_page, pages, protection});
}

std::vector<VidMm::Allocation*> VidMm::Allocations() const {
  std::vector<Allocation*> all;
  for (const auto& allocation : allocations_) all.push_back(allocation.get());
  return all;
}

void VidMm::MapToAperture(Process& process, uint64_t va, Allocation& allocation,
                          uint64_t aperture_page, uint64_t pages) {
  std::vector<DXGK_PTE> entries(pages);
  for (uint64_t i = 0; i < pages; ++i) {
    entries[i].Valid = 1;
    entries[i].CacheCoherent = gpu_.caps().coherent;
    entries[i].Segment = gpu_.aperture_segment().id;
    entries[i].PageAddress = aperture_page + i;
  }
  EnsureEverywhere(process, va, pages);
  process.space->SetEntries(va, pages, entries, allocation.handle, 0, SinkFor(process));
  Forget(process, va, pages);
  FinishMapping(process, va, pages);
}

void VidMm::MapSystem(Process& process, uint64_t va, const SystemBuffer& buffer, uint64_t first_page, uint64_t pages) {
  if (pages == 0) pages = buffer.bytes() / kPage - first_page;
  std::vector<DXGK_PTE> entries;
  for (uint64_t page = first_page; page < first_page + pages; ++page) entries.push_back(SystemEntry(buffer.page(page)));
  EnsureEverywhere(process, va, pages);
  process.space->SetEntries(va, pages, entries, nullptr, 0, SinkFor(process));
  Forget(process, va, pages);
  FinishMapping(process, va, pages);
}

void VidMm::MapOnePage(Process& process, uint64_t va, Allocation& allocation, uint64_t page, uint64_t pages) {
  MapResident(allocation, {&process, va, page, pages, Protection::All(), true});
}

// A context's own memory is resident before the context runs.
PacketId VidMm::SubmitRender(Process& process, uint64_t va, uint64_t bytes, const std::string& what) {
  context_allocations_->MakeResident(process);
  GpuPacket packet;
  packet.node = process.handles.node;
  packet.engine = gpu_.index();
  packet.context = process.handles.context;
  packet.address = va;
  packet.bytes = bytes;
  packet.device = process.handles.state;
  packet.what = what + " of " + process.name;
  if (kernel_.parameters().root_before_submission) {
    packet.before = [this, &process] {
      gpu_.SetRootPageTable(process.handles.context, process.space->root(), process.space->root_entries());
    };
  }
  return gpu_.vidsch().Submit(std::move(packet));
}

void VidMm::Unmap(Process& process, uint64_t va, uint64_t pages) {
  process.space->Invalidate(va, pages, SinkFor(process));
  Forget(process, va, pages);
  FinishMapping(process, va, pages);
}

}  // namespace gmmu::os
