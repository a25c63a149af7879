// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/residency.h"

#include <algorithm>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/memory/system_buffer.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/allocations.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/placement.h"
#include "os/vidmm/transfers.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {

struct Residency::Held {
  SystemBuffer backing;
  uint64_t used = 0;  // the time of the last call that wanted it
};

Residency::Residency(VidMm& vidmm) : vidmm_(vidmm) {}

Residency::~Residency() = default;

Residency::Held& Residency::HeldOf(const Allocation& allocation) {
  auto& held = held_[allocation.serial];
  if (!held) held = std::make_unique<Held>();
  return *held;
}

void Residency::MakeResident(const std::vector<Allocation*>& wanted) {
  ++now_;
  for (Allocation* allocation : wanted) {
    if (!allocation->local) Restore(*allocation, wanted);
    HeldOf(*allocation).used = now_;
  }
}

Allocation* Residency::Oldest(const std::vector<Allocation*>& wanted) {
  Allocation* oldest = nullptr;
  uint64_t used = ~uint64_t{0};
  for (Allocation* allocation : vidmm_.allocations().all()) {  // in the order in which they were made
    const auto held = held_.find(allocation->serial);
    if (!allocation->local || held == held_.end() || held->second->used >= used) continue;
    if (std::find(wanted.begin(), wanted.end(), allocation) != wanted.end()) continue;
    oldest = allocation;
    used = held->second->used;
  }
  return oldest;
}

void Residency::EvictOldest(const Allocation& for_this, const std::vector<Allocation*>& wanted) {
  Allocation* oldest = Oldest(wanted);
  if (oldest != nullptr) return Evict(*oldest);
  uint64_t bytes = 0;
  for (const Allocation* each : wanted) bytes += each->bytes;
  throw OsError(std::to_string(bytes) +
                " bytes must be resident at once and do not fit into VRAM with their page tables: no room for " +
                for_this.name);
}

void Residency::WithRoom(const Allocation& for_this, const std::vector<Allocation*>& wanted,
                         const std::function<void()>& work) {
  for (;;) {
    try {
      return work();
    } catch (const NoRoom&) {
      EvictOldest(for_this, wanted);
    }
  }
}

void Residency::Restore(Allocation& allocation, const std::vector<Allocation*>& wanted) {
  WithRoom(allocation, wanted, [&] { vidmm_.mappings().EnsureTables(allocation); });
  while (!vidmm_.placement().TryMakeResident(allocation)) EvictOldest(allocation, wanted);
  Held& held = HeldOf(allocation);
  if (held.backing) {
    vidmm_.PageIn(allocation, held.backing, allocation.bytes, nullptr);
    ++counts_.restores;
    counts_.bytes_in += allocation.bytes;
  } else {
    vidmm_.Fill(allocation, 0, allocation.bytes, 0);
    ++counts_.fills;
    counts_.bytes_filled += allocation.bytes;
  }
  vidmm_.placement().NotifyResident(allocation);
  // Pages of 4 KiB between pages of 64 KiB need a leaf table of 4 KiB entries, for which there must be room.
  WithRoom(allocation, wanted, [&] { vidmm_.mappings().Restore(allocation); });
}

void Residency::Evict(Allocation& allocation) {
  if (!allocation.local) return;
  vidmm_.mappings().Invalidate(allocation);
  Held& held = HeldOf(allocation);
  if (!held.backing) held.backing = vidmm_.gpu().MakeBuffer(allocation.bytes);
  vidmm_.placement().NotifyEvicted(allocation);
  if (allocation.homes.eviction != 0) vidmm_.transfers().EvictThroughAperture(allocation, held.backing);
  else vidmm_.PageOut(allocation, held.backing, allocation.bytes, nullptr);
  vidmm_.placement().Evict(allocation);
  ++counts_.evictions;
  counts_.bytes_out += allocation.bytes;
}

void Residency::Drop(Allocation& allocation) {
  const auto held = held_.find(allocation.serial);
  if (held == held_.end()) return;
  if (held->second->backing) held->second->backing.Release();
  held_.erase(held);
}

SystemBuffer* Residency::Backing(const Allocation& allocation) {
  const auto held = held_.find(allocation.serial);
  return held == held_.end() || !held->second->backing ? nullptr : &held->second->backing;
}

}  // namespace gmmu::os
