// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/victims.h"

#include <algorithm>
#include <tuple>

#include "os/miniport/segments.h"
#include "os/tables/address_space.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/allocations.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/processes.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {
namespace {

bool MappedIn(const Allocation& allocation, const std::vector<GpuProcess*>& parts) {
  return std::any_of(allocation.mappings.begin(), allocation.mappings.end(), [&](const Mapping& mapping) {
    return std::find(parts.begin(), parts.end(), mapping.process) != parts.end();
  });
}

}  // namespace

bool Victims::IsWanted(const Allocation& allocation) const {
  return std::find(wanted_.begin(), wanted_.end(), &allocation) != wanted_.end();
}

const GpuProcess* Victims::OwnerOf(const Allocation& allocation) {
  return allocation.mappings.empty() ? nullptr : allocation.mappings.front().process;
}

Allocation* Victims::Find(const Among& among) const {
  Allocation* victim = nullptr;
  for (Allocation* each : vidmm_.allocations().all()) {  // iterates in creation order
    if (!each->local || each->used == 0 || each->locked || IsWanted(*each)) continue;
    if ((each->homes.priority > among.priority && !each->offered) ||
        (among.segment != 0 && each->segment() != among.segment))
      continue;
    if (among.another_place && each->homes.places.back().segment == each->segment()) continue;
    if (among.owner != nullptr && OwnerOf(*each) != among.owner) continue;
    const auto key = [](const Allocation& one) { return std::tuple(!one.offered, one.homes.priority, one.used); };
    if (victim == nullptr || key(*each) < key(*victim)) victim = each;
  }
  return victim;
}

GpuProcess* Victims::FindTables() const {
  GpuProcess* victim = nullptr;
  uint64_t oldest = 0;
  for (const auto& process : vidmm_.processes().all()) {
    if (process->handles.context == nullptr || process->space == nullptr || process->space->tables() == 0) continue;
    // The tables are evicted already, or are being restored.
    if (process->TablesEvicted() || process->tables_gave_way) continue;
    bool needed = false;
    uint64_t used = 0;
    const std::vector<GpuProcess*> parts = process->Parts();
    for (VidMm* gpu : vidmm_.link()) {
      for (const Allocation* each : gpu->allocations().all()) {
        if (!MappedIn(*each, parts)) continue;
        needed = needed || IsWanted(*each) || (each->resident() && each->used == 0);
        used = std::max(used, each->used);
      }
    }
    if (needed || (victim != nullptr && used >= oldest)) continue;
    victim = process.get();
    oldest = used;
  }
  return victim;
}

uint64_t Victims::LocalBytes(const GpuProcess& process) const {
  uint64_t bytes = 0;
  for (const Allocation* each : vidmm_.allocations().all())
    if (each->local && OwnerOf(*each) == &process) bytes += each->bytes;
  return bytes;
}

}  // namespace gmmu::os
