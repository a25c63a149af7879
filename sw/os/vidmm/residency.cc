// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/residency.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "hw/device_access.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/base/bug_check.h"
#include "os/base/errors.h"
#include "os/base/page_math.h"
#include "os/base/text.h"
#include "os/kernel/kernel.h"
#include "os/memory/system_buffer.h"
#include "os/miniport/segments.h"
#include "os/tables/address_space.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/allocations.h"
#include "os/vidmm/aperture.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/placement.h"
#include "os/vidmm/process_tables.h"
#include "os/vidmm/suspended_contexts.h"
#include "os/vidmm/transfers.h"
#include "os/vidmm/victims.h"
#include "os/vidmm/vidmm.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {
namespace {

/// Triggers a bug check, whose message names the first differing byte, if the memory of a clean
/// allocation (Allocation::clean) differs from its backing store. A difference means that the GPU
/// has written to the memory although no allocation list set WriteOperation; the written bytes
/// would be lost. The check takes no simulated time. It is skipped on machines that do not expose
/// local memory (hw/device_access.h), and for segments outside BAR 2.
void RequireClean(const Allocation& allocation) {
  PhysicalAdapter& gpu = allocation.vidmm->gpu();
  hw::Instruments* const instruments = gpu.kernel().instruments();
  hw::DeviceAccess* const access = instruments == nullptr ? nullptr : instruments->device_access();
  const DXGK_SEGMENTDESCRIPTOR4& segment = gpu.answers().segments[allocation.segment() - 1];
  const Bar& window = gpu.function().bars[2];
  const auto shown = static_cast<uint64_t>(segment.CpuTranslatedAddress.QuadPart);
  if (access == nullptr || !segment.Flags.CpuVisible || shown < window.address || shown >= window.address + window.size)
    return;
  for (uint64_t page = 0; page < PagesOf(allocation.bytes); ++page) {
    std::array<uint8_t, kPage> local{}, kept{};
    const uint64_t at = shown - window.address + allocation.local->page(page) * kPage;
    if (!access->Access(gpu.machine_unit(), hw::DeviceAccess::Memory::kLocal, at, local.data(), kPage, false) ||
        !gpu.kernel().hal().ram().Read(allocation.backing->host_pages()[page] * kPage, kept.data(), kPage)) {
      return;
    }
    const auto differs = std::mismatch(local.begin(), local.end(), kept.begin());
    if (differs.first == local.end()) continue;
    throw BugCheck("byte " + Hex(page * kPage + static_cast<uint64_t>(differs.first - local.begin())) + " of " +
                   allocation.name + " is " + Hex(*differs.first) + " in video memory and was " + Hex(*differs.second) +
                   ": the GPU has written to it, and no allocation list since it came in has it with "
                   "DXGK_ALLOCATIONLIST.WriteOperation");
  }
}

/// Returns a time stamp that is later than all earlier ones, on all GPUs.
uint64_t NextUse() {
  static uint64_t last = 0;
  return ++last;
}

}  // namespace

size_t Residency::PlaceOf(const Allocation& allocation) {
  const auto& places = allocation.homes.places;
  if (!allocation.resident()) return places.size();
  const auto here = [&](const Homes::Place& place) { return place.segment == allocation.segment(); };
  return static_cast<size_t>(std::find_if(places.begin(), places.end(), here) - places.begin());
}

/// Memory that is reserved at an allocation's new place before the allocation leaves its old place.
struct Residency::Room {
  std::optional<SegmentPages> pages;
  std::optional<uint64_t> aperture_page;
};

void Residency::MakeResident(const Wanted& wanted) {
  const uint64_t now = NextUse();
  for (Allocation* allocation : wanted) {
    for (const Mapping& mapping : allocation->mappings)
      if (mapping.process->tables_gave_way) RestoreTables(*mapping.process, wanted);
    Bring(*allocation, wanted);
    allocation->used = now;
  }
}

void Residency::Bring(Allocation& allocation, const Wanted& wanted) {
  if (allocation.offered) throw OsError(allocation.name + " is offered; D3DKMTReclaimAllocations2 comes first");
  if (allocation.resident() && (allocation.bound || allocation.locked)) return;
  for (size_t place = 0; place < allocation.homes.places.size(); ++place) {
    if (PlaceOf(allocation) == place) return Collapse(allocation, wanted);
    if (TryPlace(allocation, place, &wanted)) return;
  }
  if (allocation.resident()) return;
  uint64_t bytes = 0;
  for (const Allocation* each : wanted) bytes += each->bytes;
  throw Exhausted(std::to_string(bytes) +
                  " bytes must be resident at once and do not fit into VRAM with their page tables: no room for \"" +
                  allocation.name + "\"");
}

bool Residency::TryPlace(Allocation& allocation, size_t place, const Wanted* wanted) {
  Room room;
  if (!TakeRoom(allocation, place, wanted, room)) return false;
  const SuspendedContexts suspended(allocation);
  const size_t from = PlaceOf(allocation);
  Allocation old;  // owns the old pages until the contents have been copied
  if (allocation.resident()) {
    vidmm_.mappings().Invalidate(allocation);
    if (room.pages && allocation.local && !vidmm_.gpu().physical_paging()) HandOver(allocation, old);
    else Leave(allocation);
  }
  const unsigned segment = allocation.homes.places[place].segment;
  try {
    WithRoom(allocation.name, wanted, &allocation,
             [&] { vidmm_.mappings().EnsureTables(allocation, segment, room.pages ? &*room.pages : nullptr); });
  } catch (...) {
    if (room.pages) room.pages->Release(vidmm_.gpu().kernel());
    if (room.aperture_page) vidmm_.aperture().Free(*room.aperture_page);
    if (old.local != nullptr) {
      vidmm_.placement().Put(allocation, std::move(*old.local));
      old.local.reset();
      vidmm_.placement().NotifyResident(allocation);
      vidmm_.mappings().Restore(allocation);
    }
    throw;
  }
  if (room.pages) {
    vidmm_.placement().Put(allocation, std::move(*room.pages));
    if (old.local) vidmm_.transfers().CopyLocal(old, allocation, allocation.bytes);
    else FillIn(allocation);
    vidmm_.placement().Evict(old);
  } else {
    if (!allocation.backing)
      allocation.backing = std::make_unique<SystemBuffer>(vidmm_.gpu().MakeBuffer(allocation.bytes));
    if (room.aperture_page) {
      vidmm_.aperture().Bind(*room.aperture_page, PagesOf(allocation.bytes), allocation, *allocation.backing, 0);
      allocation.aperture_page = room.aperture_page;
    } else {
      allocation.in_system = true;
    }
  }
  vidmm_.placement().NotifyResident(allocation);
  // Restore may need a new table: 4 KiB pages next to 64 KiB pages need a leaf table of 4 KiB
  // entries.
  WithRoom(allocation.name, wanted, &allocation, [&] { vidmm_.mappings().Restore(allocation); });
  if (from != allocation.homes.places.size())
    place < from ? Count(counts_.promotions, "promotions") : Count(counts_.demotions, "demotions");
  return true;
}

bool Residency::TakeRoom(Allocation& allocation, size_t place, const Wanted* wanted, Room& room) {
  const Homes::Place& at = allocation.homes.places[place];
  if (at.segment == 0) return true;
  if (vidmm_.gpu().segment(at.segment).aperture) {
    // Page tables of other linked GPUs cannot map this GPU's aperture.
    const auto elsewhere = [&](const Mapping& mapping) { return mapping.process->vidmm != &vidmm_; };
    if (std::any_of(allocation.mappings.begin(), allocation.mappings.end(), elsewhere)) return false;
    room.aperture_page = vidmm_.aperture().TryReserve(PagesOf(allocation.bytes));
    return room.aperture_page.has_value();
  }
  const bool last = place + 1 == allocation.homes.places.size();
  if (wanted != nullptr && !last && !KeepToBudget(allocation, *wanted)) return false;
  // Make room for the page tables first, because this can evict allocations, which must not happen
  // while this allocation is only partly placed.
  if (wanted != nullptr && !allocation.resident()) {
    const UINT moved = WithRoom(allocation.name, wanted, &allocation,
                                [&] { vidmm_.mappings().EnsureTables(allocation, at.segment, nullptr); });
    // The page tables displaced an allocation of a higher priority. The rest of its memory must stay
    // free for its return.
    if (moved > allocation.homes.priority && !last) return false;
  }
  const auto take = [&] {
    while (!(room.pages = vidmm_.placement().TryTake(allocation, at, true))) {
      if (wanted == nullptr || !MakeRoom(allocation, place, *wanted)) return false;
    }
    return true;
  };
  if (!take()) return false;
  const uint64_t large = Mappings::LargePageBytes(allocation);
  const uint64_t fit = wanted == nullptr || large == 0 ? 0 : allocation.bytes / large;
  if (fit == 0 || room.pages->Blocks(large / kPage) >= fit) return true;
  room.pages->Release(vidmm_.gpu().kernel());
  Compact(at.segment, large, fit, *wanted);
  return take();
}

bool Residency::MakeRoom(Allocation& allocation, size_t place, const Wanted& wanted) {
  Victims::Among among;
  among.segment = allocation.homes.places[place].segment;
  among.priority = allocation.homes.priority;
  if (allocation.resident()) {
    if (among.priority == 0) return false;
    --among.priority;  // a resident allocation displaces only lower priorities
  }
  if (Allocation* victim = Victims(vidmm_, wanted).Find(among)) {
    Demote(*victim);
    return true;
  }
  const bool last = place + 1 == allocation.homes.places.size();
  return last && !allocation.resident() && EvictTables(wanted);
}

void Residency::WaitUnused(Allocation& allocation) {
  while (!allocation.Unused()) vidmm_.gpu().vidsch().Wait(allocation.users.front(), VidSch::kBoundNs);
}

void Residency::Count(uint64_t& count, const char* what) {
  ++count;
  vidmm_.gpu().kernel().Happened(what);
}

void Residency::Demote(Allocation& allocation) {
  if (allocation.offered) return Evict(allocation);
  try {
    for (size_t place = PlaceOf(allocation) + 1; place < allocation.homes.places.size(); ++place)
      if (TryPlace(allocation, place, nullptr)) return;
  } catch (const NoRoom&) {  // no room for the page tables
  }
  if (allocation.resident()) Evict(allocation);
  else Count(counts_.evictions, "evictions");
}

void Residency::FillIn(Allocation& allocation) {
  if (allocation.backing) {
    vidmm_.transfers().PageIn(allocation, *allocation.backing, allocation.bytes);
    allocation.clean = vidmm_.gpu().caps().physical_model;
    Count(counts_.restores, "restores");
    counts_.bytes_in += allocation.bytes;
  } else {
    vidmm_.transfers().Fill(allocation, 0, allocation.bytes, 0);
    ++counts_.fills;
    counts_.bytes_filled += allocation.bytes;
  }
}

void Residency::HandOver(Allocation& allocation, Allocation& old) {
  vidmm_.placement().NotifyEvicted(allocation);
  old.vidmm = allocation.vidmm;
  old.name = allocation.name;
  old.bytes = allocation.bytes;
  old.handle = allocation.handle;
  old.mappings = allocation.mappings;
  old.local = std::move(allocation.local);
}

void Residency::Evict(Allocation& allocation) {
  if (!allocation.resident()) return;
  allocation.RequireUnlocked();
  const SuspendedContexts suspended(allocation);
  vidmm_.mappings().Invalidate(allocation);
  Leave(allocation);
  Count(counts_.evictions, "evictions");
}

void Residency::Leave(Allocation& allocation) {
  allocation.RequireUnlocked();
  WaitUnused(allocation);
  vidmm_.placement().NotifyEvicted(allocation);
  if (const auto first = std::exchange(allocation.aperture_page, std::nullopt)) {
    vidmm_.aperture().Unbind(*first, PagesOf(allocation.bytes), allocation);
    vidmm_.aperture().Free(*first);
  }
  allocation.in_system = false;
  if (allocation.offered) return Drop(allocation);
  if (!allocation.local) return;
  if (allocation.clean) {  // the backing store has the current contents
    RequireClean(allocation);
    vidmm_.transfers().Discard(allocation);
    vidmm_.placement().Evict(allocation);
    Count(counts_.discards, "discards");
    return;
  }
  if (!allocation.backing)
    allocation.backing = std::make_unique<SystemBuffer>(vidmm_.gpu().MakeBuffer(allocation.bytes));
  if (allocation.homes.eviction != 0) vidmm_.transfers().EvictThroughAperture(allocation, *allocation.backing);
  else vidmm_.transfers().PageOut(allocation, *allocation.backing, allocation.bytes);
  vidmm_.placement().Evict(allocation);
  counts_.bytes_out += allocation.bytes;
}

void Residency::Return(Allocation& allocation) {
  for (size_t place = 0; place < allocation.homes.places.size(); ++place)
    if (TryPlace(allocation, place, nullptr)) return;
  throw Exhausted("no room for " + allocation.name + ", which was resident before");
}

UINT Residency::WithRoom(const std::string& for_this, const Wanted* wanted, Allocation* stays,
                         const std::function<void()>& work) {
  for (UINT moved = 0;;) {
    VidMm* full = nullptr;
    unsigned segment = 0;
    try {
      work();
      return moved;
    } catch (const NoRoom& no_room) {
      if (wanted == nullptr) throw;
      full = vidmm_.link().at(no_room.gpu);
      segment = no_room.segment;
    }
    if (!full->residency().MakeRoomForTables(segment, *wanted, stays, moved))
      throw Exhausted("no room for the page tables of " + for_this);
  }
}

void Residency::Unmap(const GpuProcess& process, const std::vector<Allocation*>& mapped,
                      const std::function<void()>& unmap) {
  WithRoom(process.name, mapped.empty() ? nullptr : &mapped, mapped.empty() ? nullptr : mapped.front(), unmap);
}

bool Residency::MakeRoomForTables(unsigned segment, const Wanted& wanted, Allocation* stays, UINT& moved) {
  Victims::Among among;
  among.segment = segment;
  Allocation* victim = Victims(vidmm_, wanted).Find(among);
  if (victim == nullptr) {
    if (EvictTables(wanted)) return true;
    among.another_place = true;
    victim = Victims(vidmm_, {stays}).Find(among);
  }
  if (victim == nullptr) return false;
  if (!victim->offered) moved = std::max(moved, victim->homes.priority);
  Demote(*victim);
  return true;
}

bool Residency::EvictTables(const Wanted& wanted) {
  GpuProcess* process = Victims(vidmm_, wanted).FindTables();
  if (process == nullptr) return false;
  vidmm_.tables().Evict(*process);
  for (GpuProcess* part : process->Parts()) part->tables_gave_way = true;
  Count(counts_.table_evictions, "table_evictions");
  return true;
}

void Residency::RestoreTables(GpuProcess& process, const Wanted& wanted) {
  if (!process.TablesEvicted()) return;
  WithRoom(process.name, &wanted, nullptr, [&] { vidmm_.tables().Restore(process); });
  for (GpuProcess* part : process.Parts()) part->tables_gave_way = false;
  Count(counts_.table_restores, "table_restores");
}

}  // namespace gmmu::os
