// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/sleeping_memory.h"

#include <algorithm>
#include <utility>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/base/errors.h"
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

// A linked GPU uses the memory and tables of its peers, so each step completes on all GPUs before the next step starts.
void SleepingMemory::Sleep() {
  for (VidMm* one : vidmm_.link()) one->sleeping().RequireNoApertureRange();
  for (VidMm* one : vidmm_.link()) one->sleeping().Suspend();
  for (VidMm* one : vidmm_.link()) one->sleeping().Keep();
  for (VidMm* one : vidmm_.link()) one->sleeping().PutTablesAway();
}

void SleepingMemory::RequireNoApertureRange() const {
  uint64_t pages = 0;  // pages of the aperture that allocations occupy
  for (const Allocation* allocation : vidmm_.allocations().all())
    if (allocation->aperture_page) pages += PagesOf(allocation->bytes);
  if (vidmm_.aperture().mapped_pages() != pages)
    throw OsError("ranges of the aperture are mapped: they must be unmapped before the GPU sleeps");
}

// A suspended context has completed its writes, so the contents saved afterwards are final.
void SleepingMemory::Suspend() {
  for (const auto& process : vidmm_.processes().all())
    if (process->handles.context != nullptr)
      vidmm_.gpu().vidsch().SuspendContext(process->handles.context, VidSch::kBoundNs);
}

void SleepingMemory::Keep() {
  for (Allocation* allocation : vidmm_.allocations().all()) {
    if (!allocation->local && !allocation->aperture_page) continue;
    vidmm_.residency().Leave(*allocation);
    if (!allocation->offered) kept_.push_back(allocation);
  }
}

void SleepingMemory::PutTablesAway() {
  PagingWork& work = vidmm_.work();
  for (const auto& process : vidmm_.processes().all()) {
    // Tables that were evicted before the sleep stay evicted after it.
    process->tables_asleep = !process->space->evicted();
    if (process->tables_asleep) process->space->moves().Evict(process->Contents(), work.SinkFor(*process));
    if (vidmm_.gpu().caps().explicit_invalidation) process->space->InvalidateAll(work.SinkFor(*process));
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
  for (VidMm* one : vidmm_.link()) one->sleeping().BringTables();
  for (VidMm* one : vidmm_.link()) one->sleeping().RenewEntries();
  for (VidMm* one : vidmm_.link()) one->sleeping().BringAllocations();
  for (VidMm* one : vidmm_.link()) one->sleeping().Resume();
}

void SleepingMemory::BringTables() {
  vidmm_.tables().set_asleep(false);
  for (const auto& process : vidmm_.processes().all()) {
    const auto sink = vidmm_.work().SinkFor(*process);
    process->space->moves().RestoreRoot(sink);
    if (process->tables_asleep) process->space->moves().Restore(sink);
  }
}

void SleepingMemory::RenewEntries() {
  for (const auto& process : vidmm_.processes().all()) {
    if (!process->TablesEvicted()) vidmm_.tables().RenewStale(*process);
    vidmm_.tables().TellRoot(*process);
  }
}

void SleepingMemory::BringAllocations() {
  // Contiguous allocations go first, because scattered pages could occupy the only ranges in which
  // they fit.
  std::vector<Allocation*> kept = std::exchange(kept_, {});
  std::stable_partition(kept.begin(), kept.end(), [](const Allocation* each) { return each->contiguous != 0; });
  for (Allocation* allocation : kept) vidmm_.residency().Return(*allocation);
}

void SleepingMemory::Resume() {
  for (const auto& process : vidmm_.processes().all())
    if (process->handles.context != nullptr) vidmm_.gpu().vidsch().ResumeContext(process->handles.context);
}

}  // namespace gmmu::os
