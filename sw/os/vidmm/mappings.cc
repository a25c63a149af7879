// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/mappings.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/base/bug_check.h"
#include "os/base/errors.h"
#include "os/kernel/kernel.h"
#include "os/base/page_math.h"
#include "os/memory/system_buffer.h"
#include "os/tables/address_space.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/allocations.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/page_entries.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/process_tables.h"
#include "os/vidmm/residency.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {
namespace {

/// Returns the first range that ends above `va`.
template <typename Ranges>
auto FirstBehind(Ranges& shown, uint64_t va) {
  auto at = shown.upper_bound(va);
  return at != shown.begin() && std::prev(at)->second.end > va ? std::prev(at) : at;
}

/// A part of a mapping: consecutive pages with leaf entries, or one large page.
struct Part {
  uint64_t first;  // page index in the mapping
  uint64_t pages;
  bool large;
};

/// Divides a mapping into parts. `large` is the size of a large page, in pages; 0 disables large
/// pages. `is_block(page)` returns whether the allocation's pages that start at `page` form a
/// contiguous, aligned block of that size.
std::vector<Part> Divide(const Mapping& mapping, uint64_t large, const std::function<bool(uint64_t)>& is_block) {
  std::vector<Part> parts;
  uint64_t done = 0;
  if (large != 0 && !mapping.one_page) {
    const uint64_t start = (large - mapping.va / kPage % large) % large;
    for (uint64_t at = start; at + large <= mapping.pages; at += large) {
      if (!is_block(mapping.first_page + at)) continue;
      if (done < at) parts.push_back({done, at - done, false});
      parts.push_back({at, large, true});
      done = at + large;
    }
  }
  if (done < mapping.pages) parts.push_back({done, mapping.pages - done, false});
  return parts;
}

bool Consecutive(const std::vector<DXGK_PTE>& entries, uint64_t first, uint64_t count) {
  for (uint64_t i = first + 1; i < first + count; ++i) {
    if (entries[i].Flags != entries[first].Flags || entries[i].PageAddress != entries[first].PageAddress + i - first)
      return false;
  }
  return true;
}

}  // namespace

void Mappings::Finish(const std::vector<VidMm*>& touched) {
  for (VidMm* vidmm : vidmm_.link()) {
    if (vidmm == &vidmm_ || std::find(touched.begin(), touched.end(), vidmm) != touched.end()) vidmm->work().Finish();
  }
}

// Restores the process's page tables if they were evicted to make room. Call before a mapping uses
// them.
void Mappings::BringTables(GpuProcess& process) {
  if (process.tables_gave_way) vidmm_.residency().RestoreTables(process);
}

bool Mappings::MayBeLarge(const Allocation& allocation, const Mapping& mapping, unsigned segment) {
  return allocation.vidmm->gpu().Has64kPages(segment) && mapping.va % kBytesOf64k == 0 &&
         mapping.pages % kPagesOf64k == 0 && mapping.first_page % kPagesOf64k == 0 && !mapping.one_page;
}

void Mappings::EnsureTables(Allocation& allocation, unsigned segment, const SegmentPages* at) {
  const bool memory = segment != 0 && !allocation.vidmm->gpu().segment(segment).aperture;
  const uint64_t large = memory ? LargePageBytes(allocation) / kPage : 0;
  const auto is_block = [&](uint64_t page) { return at == nullptr || at->IsBlock(page, large); };
  for (const Mapping& mapping : allocation.mappings) {
    const bool large_64k = MayBeLarge(allocation, mapping, segment);
    ProcessTables& tables = mapping.process->vidmm->tables();
    if (tables.Away(*mapping.process)) continue;
    for (const Part& part : Divide(mapping, large, is_block)) {
      if (part.large) continue;
      const uint64_t va = mapping.va + part.first * kPage;
      tables.EnsureEverywhere(*mapping.process, va, part.pages, large_64k);
      tables.Ensure(*mapping.process, va, part.pages, large_64k);
    }
  }
}

void Mappings::Invalidate(Allocation& allocation) {
  std::vector<VidMm*> touched;
  for (const Mapping& mapping : allocation.mappings) {
    VidMm* const owner = mapping.process->vidmm;
    touched.push_back(owner);
    owner->tables().Clear(*mapping.process, mapping.va, mapping.pages);
  }
  Finish(touched);
}

void Mappings::Restore(Allocation& allocation) {
  std::vector<VidMm*> touched;
  for (const Mapping& mapping : allocation.mappings) {
    VidMm* const owner = mapping.process->vidmm;
    touched.push_back(owner);
    if (owner->tables().Away(*mapping.process)) {
      mapping.process->stale.emplace_back(mapping.va, mapping.pages);
      continue;
    }
    owner->mappings().WriteEntries(allocation, mapping);
    owner->tables().FlushChanges(*mapping.process, mapping.va, mapping.pages);
  }
  Finish(touched);
  // If the allocation was mapped while it was not resident, the entries just written may be the
  // first entries of the process. In this case, the driver has not received the process's root page
  // table yet.
  for (const Mapping& mapping : allocation.mappings) {
    ProcessTables& tables = mapping.process->vidmm->tables();
    tables.TellRoot(*mapping.process);
    // Free the leaf tables that large pages have replaced.
    if (!tables.Away(*mapping.process)) tables.ReleaseRetired(*mapping.process);
  }
}

void Mappings::RestoreIn(GpuProcess& process, const std::vector<std::pair<uint64_t, uint64_t>>& ranges) {
  for (const auto& [va, pages] : ranges) {
    for (VidMm* vidmm : vidmm_.link()) {
      for (const auto& [allocation, mapping] : vidmm->mappings().Of(process, va, pages * kPage))
        if (allocation->accessible()) WriteEntries(*allocation, mapping);
    }
  }
}

void Mappings::Clear(Allocation& allocation) {
  std::vector<VidMm*> touched;
  std::vector<GpuProcess*> changed;
  for (const Mapping& mapping : ForgetAll(allocation)) {
    GpuProcess& process = *mapping.process;
    VidMm* const owner = process.vidmm;
    if (!owner->running() || (!allocation.resident() && !owner->tables().Away(process))) continue;
    if (!owner->tables().Clear(process, mapping.va, mapping.pages)) continue;
    touched.push_back(owner);
    changed.push_back(&process);
  }
  if (touched.empty()) return;
  Finish(touched);
  for (GpuProcess* process : changed) process->vidmm->tables().ReleaseRetired(*process);
}

void Mappings::WriteEntries(Allocation& allocation, const Mapping& mapping) {
  GpuProcess& process = *mapping.process;
  vidmm_.tables().EnsureEverywhere(process, mapping.va, mapping.pages,
                                   MayBeLarge(allocation, mapping, allocation.segment()));
  const uint64_t shown = mapping.shown();
  std::vector<DXGK_PTE> entries;
  for (uint64_t page = mapping.first_page; page < mapping.first_page + shown; ++page)
    entries.push_back(Protect(EntryOf(allocation, page), mapping.protection));
  if (vidmm_.gpu().kernel().parameters().inject.wrong_pte && !wrong_pte_done_) {
    wrong_pte_done_ = true;
    vidmm_.gpu().kernel().Injected("wrong_pte");
    entries[shown / 2].PageAddress = shown > 1 ? entries[(shown / 2 + 1) % shown].PageAddress
                                               : entries[0].PageAddress ^ 1;
  }
  const uint64_t large = allocation.local ? LargePageBytes(allocation) / kPage : 0;
  const auto is_block = [&](uint64_t page) {
    return allocation.local->IsBlock(page, large) && Consecutive(entries, page - mapping.first_page, large);
  };
  for (const Part& part : Divide(mapping, large, is_block)) {
    const uint64_t va = mapping.va + part.first * kPage, offset = (mapping.first_page + part.first) * kPage;
    if (part.large) {
      WriteLarge(process, va, 1, allocation, offset, entries[part.first], mapping.protection.driver);
      continue;
    }
    const auto first = entries.begin() + static_cast<std::ptrdiff_t>(part.first);
    const auto end = mapping.one_page ? entries.end() : first + static_cast<std::ptrdiff_t>(part.pages);
    process.space->entries().Set(va, part.pages, {first, end}, allocation.handle, offset,
                                 vidmm_.work().SinkFor(process), mapping.protection.driver);
  }
}

void Mappings::WriteLarge(GpuProcess& process, uint64_t va, unsigned level, const Allocation& allocation,
                          uint64_t offset, DXGK_PTE entry, uint64_t driver_protection) {
  entry.LargePage = 1;
  process.space->tree().WriteUpper(level, va, {entry, {}, allocation.handle, offset, driver_protection},
                                   vidmm_.work().SinkFor(process));
  vidmm_.gpu().kernel().Happened("large_pages");
}

std::vector<Allocation*> Mappings::ShownIn(const GpuProcess& process, uint64_t va, uint64_t end) {
  std::vector<Allocation*> found;
  for (auto at = FirstBehind(process.shown, va); at != process.shown.end() && at->first < end; ++at)
    found.push_back(at->second.allocation);
  std::sort(found.begin(), found.end(), [](const Allocation* a, const Allocation* b) { return a->serial < b->serial; });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void Mappings::Add(Allocation& allocation, const Mapping& mapping) {
  allocation.mappings.push_back(mapping);
  mapping.process->shown[mapping.va] = {mapping.end(), &allocation};
}

void Mappings::Forget(GpuProcess& process, uint64_t va, uint64_t pages) {
  const uint64_t end = va + pages * kPage;
  for (Allocation* allocation : ShownIn(process, va, end))
    allocation->mappings = Without(allocation->mappings, process, va, pages);
  auto& shown = process.shown;
  for (auto at = FirstBehind(shown, va); at != shown.end() && at->first < end;) {
    const auto [start, old] = *at;
    at = shown.erase(at);
    if (start < va) shown[start] = {va, old.allocation};
    if (old.end > end) shown[end] = old;
  }
}

void Mappings::ForgetAll(GpuProcess& process) {
  const auto of_it = [&](const Mapping& mapping) { return mapping.process == &process; };
  for (Allocation* allocation : ShownIn(process, 0, ~uint64_t{0})) {
    auto& held = allocation->mappings;
    held.erase(std::remove_if(held.begin(), held.end(), of_it), held.end());
  }
  process.shown.clear();
}

std::vector<Mapping> Mappings::ForgetAll(Allocation& allocation) {
  for (const Mapping& mapping : allocation.mappings) mapping.process->shown.erase(mapping.va);
  return std::exchange(allocation.mappings, {});
}

std::vector<std::pair<Allocation*, Mapping>> Mappings::Of(const GpuProcess& process, uint64_t va,
                                                          uint64_t bytes) const {
  std::vector<std::pair<Allocation*, Mapping>> found;
  for (Allocation* allocation : ShownIn(process, va, va + bytes)) {
    if (allocation->vidmm != &vidmm_) continue;
    for (const Mapping& mapping : Within(allocation->mappings, process, va, bytes))
      found.emplace_back(allocation, mapping);
  }
  return found;
}

void Mappings::Replace(GpuProcess& process, uint64_t va, uint64_t pages) {
  Forget(process, va, pages);
  vidmm_.tables().FinishChange(process, va, pages);
}

void Mappings::MapResident(Allocation& allocation, const Mapping& mapping) {
  WriteEntries(allocation, mapping);
  Forget(*mapping.process, mapping.va, mapping.pages);
  Add(allocation, mapping);
  vidmm_.tables().FinishChange(*mapping.process, mapping.va, mapping.pages);
}

void Mappings::Map(GpuProcess& process, uint64_t va, Allocation& allocation, uint64_t first_page, uint64_t pages,
                   const Protection& protection) {
  BringTables(process);
  const Mapping mapping{&process, va, first_page, pages, protection};
  // A GPU cannot access the aperture of a linked GPU, so an allocation must leave the aperture
  // before another GPU maps it.
  const bool moves = allocation.aperture_page && process.vidmm != allocation.vidmm;
  if (moves && allocation.homes.places.size() == 1)
    throw OsError(allocation.name + " can be in its GPU's aperture only, so " + process.name + " cannot map it");
  if (moves) allocation.vidmm->residency().Evict(allocation);
  if (allocation.accessible()) return MapResident(allocation, mapping);
  if (vidmm_.tables().Clear(process, va, pages)) {
    vidmm_.work().Finish();
    vidmm_.tables().ReleaseRetired(process);
  }
  Forget(process, va, pages);
  Add(allocation, mapping);
  if (moves) allocation.vidmm->residency().Return(allocation);
}

uint64_t Mappings::LargePageBytes(const Allocation& allocation) {
  PhysicalAdapter& gpu = allocation.vidmm->gpu();
  const bool has_blocks = allocation.contiguous != 0 ||
                          gpu.kernel().parameters().vram_placement == VramPlacement::kFirstFit;
  const uint64_t bytes = gpu.LargePageBytes();
  return has_blocks && allocation.large_pages && allocation.bytes >= bytes ? bytes : 0;
}

void Mappings::MapLarge(GpuProcess& process, uint64_t va, unsigned level, Allocation& allocation,
                        const Protection& protection) {
  BringTables(process);
  const uint64_t pages = (uint64_t{1} << vidmm_.gpu().caps().geometry.Shift(level)) / kPage;
  const DXGK_PTE entry = EntryOf(allocation, 0);
  if (!allocation.contiguous || entry.PageAddress % pages != 0 || allocation.bytes < pages * kPage)
    throw BugCheck("a large page of " + allocation.name + ", which is not contiguous and aligned to it");
  WriteLarge(process, va, level, allocation, 0, Protect(entry, protection), protection.driver);
  Forget(process, va, pages);
  Add(allocation, {&process, va, 0, pages, protection});
  vidmm_.tables().FinishChange(process, va, pages);
}

void Mappings::MapOnePage(GpuProcess& process, uint64_t va, Allocation& allocation, uint64_t page, uint64_t pages) {
  BringTables(process);
  MapResident(allocation, {&process, va, page, pages, Protection::All(), true});
}

void Mappings::MapZero(GpuProcess& process, uint64_t va, uint64_t pages) {
  BringTables(process);
  vidmm_.tables().EnsureEverywhere(process, va, pages);
  process.space->entries().SetZero(va, pages, vidmm_.work().SinkFor(process), /*only_leaves=*/process.parts != nullptr);
  Replace(process, va, pages);
}

void Mappings::MapToAperture(GpuProcess& process, uint64_t va, Allocation& allocation, uint64_t aperture_page,
                             uint64_t pages) {
  BringTables(process);
  std::vector<DXGK_PTE> entries;
  for (uint64_t page = aperture_page; page < aperture_page + pages; ++page) {
    entries.push_back(SystemEntry(vidmm_.gpu(), page));
    entries.back().Segment = vidmm_.gpu().aperture_segment().id;
  }
  vidmm_.tables().EnsureEverywhere(process, va, pages);
  process.space->entries().Set(va, pages, entries, allocation.handle, 0, vidmm_.work().SinkFor(process));
  Replace(process, va, pages);
}

void Mappings::MapSystem(GpuProcess& process, uint64_t va, const SystemBuffer& buffer, uint64_t first_page,
                         uint64_t pages) {
  BringTables(process);
  if (pages == 0) pages = buffer.bytes() / kPage - first_page;
  vidmm_.tables().EnsureEverywhere(process, va, pages);
  process.space->entries().Set(va, pages, SystemEntries(vidmm_.gpu(), buffer, first_page, pages), nullptr, 0,
                               vidmm_.work().SinkFor(process));
  Replace(process, va, pages);
}

void Mappings::Unmap(GpuProcess& process, uint64_t va, uint64_t pages) {
  BringTables(process);
  vidmm_.tables().EnsureEverywhere(process, va, pages);
  vidmm_.residency().Unmap(process, ShownIn(process, va, va + pages * kPage),
                           [&] { process.space->entries().Invalidate(va, pages, vidmm_.work().SinkFor(process)); });
  Replace(process, va, pages);
}

void Mappings::UnmapAndFreeTables(GpuProcess& process, uint64_t va, uint64_t pages) {
  BringTables(process);
  const auto sink = vidmm_.work().SinkFor(process);
  process.space->entries().Invalidate(va, pages, sink);
  process.space->tree().Free(va, pages, sink);
  Replace(process, va, pages);
  vidmm_.tables().ShrinkRoot(process);
}

}  // namespace gmmu::os
