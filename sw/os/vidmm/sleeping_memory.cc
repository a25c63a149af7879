// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/sleeping_memory.h"

#include <algorithm>
#include <utility>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/errors.h"
#include "os/tables/address_space.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/allocations.h"
#include "os/vidmm/aperture.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/paging_process.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/process_tables.h"
#include "os/vidmm/processes.h"
#include "os/vidmm/residency.h"
#include "os/vidmm/vidmm.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {

void SleepingMemory::Sleep() {
  PhysicalAdapter& gpu = vidmm_.gpu();
  PagingWork& work = vidmm_.work();
  gpu.RefuseOnLink("sleep with processes");
  uint64_t pages = 0;  // that allocations have there
  for (const Allocation* allocation : vidmm_.allocations().all())
    if (allocation->aperture_page) pages += PagesOf(allocation->bytes);
  if (vidmm_.aperture().mapped_pages() != pages)
    throw OsError("ranges of the aperture are mapped: they must be unmapped before the GPU sleeps");
  // When a context is suspended, what it did is in memory: the bytes that are kept from here on are final.
  for (const auto& process : vidmm_.processes().all())
    if (process->handles.context != nullptr) gpu.vidsch().SuspendContext(process->handles.context, VidSch::kBoundNs);
  for (Allocation* allocation : vidmm_.allocations().all()) {
    if (!allocation->local && !allocation->aperture_page) continue;
    vidmm_.residency().Leave(*allocation);
    kept_.push_back(allocation);
  }
  for (const auto& process : vidmm_.processes().all()) {
    process->tables_asleep = !process->space->evicted();  // tables that were evicted before stay away after the sleep
    if (process->tables_asleep) process->space->moves().Evict(process->Contents(), work.SinkFor(*process));
    if (gpu.caps().explicit_invalidation) process->space->InvalidateAll(work.SinkFor(*process));
    work.Finish();
    process->space->FreeRoot();
    process->root_is_set = false;
  }
  work.DrainPaging();
  vidmm_.paging().InvalidateTables();
  vidmm_.paging().space().FreeTables();
  vidmm_.tables().set_asleep(true);
}

void SleepingMemory::Drop(const Allocation& allocation) {
  kept_.erase(std::remove(kept_.begin(), kept_.end(), &allocation), kept_.end());
}

void SleepingMemory::Wake() {
  ProcessTables& tables = vidmm_.tables();
  tables.set_asleep(false);
  for (const auto& process : vidmm_.processes().all()) {
    const auto sink = vidmm_.work().SinkFor(*process);
    process->space->moves().RestoreRoot(sink);
    if (process->tables_asleep) process->space->moves().Restore(sink);
    if (!process->space->evicted()) tables.ClearStale(*process);
    tables.TellRoot(*process);
  }
  for (Allocation* allocation : std::exchange(kept_, {})) vidmm_.residency().Return(*allocation);
  for (const auto& process : vidmm_.processes().all())
    if (process->handles.context != nullptr) vidmm_.gpu().vidsch().ResumeContext(process->handles.context);
}

}  // namespace gmmu::os
