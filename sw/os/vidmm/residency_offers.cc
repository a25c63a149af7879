// SPDX-License-Identifier: Apache-2.0
// The part of Residency for offered allocations and budgets.
#include <utility>

#include "os/base/errors.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/kernel.h"
#include "os/memory/system_buffer.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/placement.h"
#include "os/vidmm/residency.h"
#include "os/vidmm/suspended_contexts.h"
#include "os/vidmm/transfers.h"
#include "os/vidmm/victims.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {

bool Residency::KeepToBudget(Allocation& allocation, const Wanted& wanted) {
  const GpuProcess* owner = Victims::OwnerOf(allocation);
  return owner == nullptr || Trim(*owner, allocation.bytes, allocation.homes.priority, wanted);
}

bool Residency::Trim(const GpuProcess& process, uint64_t more, UINT priority, const Wanted& wanted) {
  const uint64_t of_all = vidmm_.gpu().kernel().parameters().local_budget_kib << 10;
  if (!process.budget && of_all == 0) return true;
  const Victims victims(vidmm_, wanted);
  Victims::Among among;
  among.owner = &process;
  among.priority = priority;
  while (victims.LocalBytes(process) + more > process.budget.value_or(of_all)) {
    Allocation* victim = victims.Find(among);
    if (victim == nullptr) return false;
    Demote(*victim);
  }
  return true;
}

void Residency::OnTrim(GpuProcess& process, std::function<void(uint64_t bytes)> trim) {
  process.trim = std::move(trim);
}

void Residency::SetBudget(GpuProcess& process, uint64_t bytes) {
  process.budget = bytes;
  const uint64_t local = Victims(vidmm_, {}).LocalBytes(process);
  if (local > bytes && process.trim) process.trim(local - bytes);
  Trim(process, 0, ~UINT{0}, {});
  vidmm_.gpu().kernel().Happened("budget_changes");
}

void Residency::Offer(Allocation& allocation) {
  if (allocation.offered) throw OsError(allocation.name + " is offered already");
  if (allocation.used == 0) throw OsError(allocation.name + " is not managed by Residency, so it cannot be offered");
  allocation.RequireUnlocked();
  const SuspendedContexts suspended(allocation);
  if (allocation.resident()) vidmm_.mappings().Invalidate(allocation);
  allocation.offered = true;
  if (!allocation.resident()) Drop(allocation);
}

bool Residency::Reclaim(Allocation& allocation) {
  if (!allocation.offered) throw OsError(allocation.name + " was not offered");
  allocation.offered = false;
  if (allocation.resident()) {
    const Wanted wanted{&allocation};
    WithRoom(allocation.name, &wanted, &allocation, [&] { vidmm_.mappings().Restore(allocation); });
  }
  return !std::exchange(allocation.dropped, false);
}

void Residency::Drop(Allocation& allocation) {
  if (allocation.backing) allocation.backing->Release();
  allocation.backing.reset();
  if (allocation.local) {
    if (vidmm_.gpu().caps().physical_model) vidmm_.transfers().Discard(allocation);
    vidmm_.placement().Evict(allocation);
  }
  allocation.clean = false;
  allocation.dropped = true;
  Count(counts_.drops, "drops");
}

}  // namespace gmmu::os
