// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/residency.h"

#include <algorithm>

namespace gmmu::os {

void Residency::MakeResident(const std::vector<VidMm::Allocation*>& wanted) {
  ++now_;
  for (VidMm::Allocation* allocation : wanted) {
    if (!allocation->local) Restore(*allocation, wanted);
    held_[allocation->serial].used = now_;
  }
}

VidMm::Allocation* Residency::Oldest(const std::vector<VidMm::Allocation*>& wanted) {
  VidMm::Allocation* oldest = nullptr;
  uint64_t used = ~uint64_t{0};
  for (VidMm::Allocation* allocation : vidmm_.Allocations()) {  // in the order of their making
    const auto held = held_.find(allocation->serial);
    if (!allocation->local || held == held_.end() || held->second.used >= used) continue;
    if (std::find(wanted.begin(), wanted.end(), allocation) != wanted.end()) continue;
    oldest = allocation;
    used = held->second.used;
  }
  return oldest;
}

void Residency::EvictOldest(const VidMm::Allocation& for_this, const std::vector<VidMm::Allocation*>& wanted) {
  VidMm::Allocation* oldest = Oldest(wanted);
  if (oldest != nullptr) return Evict(*oldest);
  uint64_t bytes = 0;
  for (const VidMm::Allocation* each : wanted) bytes += each->bytes;
  throw OsError(std::to_string(bytes) +
                " bytes must be resident at once and do not fit into VRAM with their page tables: no room for " +
                for_this.name);
}

void Residency::WithRoom(const VidMm::Allocation& for_this, const std::vector<VidMm::Allocation*>& wanted,
                         const std::function<void()>& work) {
  for (;;) {
    try {
      return work();
    } catch (const NoRoom&) {
      EvictOldest(for_this, wanted);
    }
  }
}

void Residency::Restore(VidMm::Allocation& allocation, const std::vector<VidMm::Allocation*>& wanted) {
  WithRoom(allocation, wanted, [&] { vidmm_.EnsureTables(allocation); });
  while (!vidmm_.TryMakeResident(allocation)) EvictOldest(allocation, wanted);
  Held& held = held_[allocation.serial];
  if (held.backing) {
    vidmm_.PageIn(allocation, held.backing, allocation.bytes, nullptr);
    ++counts_.restores;
    counts_.bytes_in += allocation.bytes;
  } else {
    vidmm_.Fill(allocation, 0, allocation.bytes, 0);
    ++counts_.fills;
    counts_.bytes_filled += allocation.bytes;
  }
  vidmm_.NotifyResident(allocation);
  // Where its pages come between pages of 64 KiB, that takes a leaf table of 4 KiB entries.
  WithRoom(allocation, wanted, [&] { vidmm_.RestoreMappings(allocation); });
}

void Residency::Evict(VidMm::Allocation& allocation) {
  if (!allocation.local) return;
  vidmm_.InvalidateMappings(allocation);
  Held& held = held_[allocation.serial];
  if (!held.backing) {
    PhysicalAdapter& gpu = vidmm_.gpu();
    held.backing = SystemBuffer(gpu.kernel(), gpu.objects(), gpu.handle(), allocation.bytes,
                                SystemBuffer::Shape::kScattered, "vidmm");
  }
  vidmm_.NotifyEvicted(allocation);
  if (allocation.homes.eviction != 0) vidmm_.EvictThroughAperture(allocation, held.backing);
  else vidmm_.PageOut(allocation, held.backing, allocation.bytes, nullptr);
  vidmm_.Evict(allocation);
  ++counts_.evictions;
  counts_.bytes_out += allocation.bytes;
}

void Residency::Drop(VidMm::Allocation& allocation) {
  const auto held = held_.find(allocation.serial);
  if (held == held_.end()) return;
  if (held->second.backing) held->second.backing.Release();
  held_.erase(held);
}

SystemBuffer* Residency::Backing(const VidMm::Allocation& allocation) {
  const auto held = held_.find(allocation.serial);
  return held == held_.end() || !held->second.backing ? nullptr : &held->second.backing;
}

}  // namespace gmmu::os
