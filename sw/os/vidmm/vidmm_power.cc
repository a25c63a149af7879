// SPDX-License-Identifier: Apache-2.0
// What of VidMm lives through D3, where video memory loses its content: processes, contexts, virtual addresses, and
// allocations with their bytes, and every entry of their page tables.
#include <algorithm>

#include "os/kernel/text.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {
namespace {

constexpr uint64_t kIdleNs = 100'000'000;

}  // namespace

void VidMm::Sleep() {
  RefuseOnLink("sleep with processes");
  if (aperture_->in_use())
    throw OsError("ranges of the aperture are mapped: they must be unmapped before the GPU sleeps");
  // What the GPU still does for them is in the bytes that are kept; from here on it does nothing for them.
  for (const auto& process : processes_)
    if (process->handles.context != nullptr) gpu_.vidsch().SuspendContext(process->handles.context, kIdleNs);
  for (const auto& allocation : allocations_) {
    if (!allocation->local) continue;
    SystemBuffer kept(kernel_, gpu_.objects(), gpu_.handle(), allocation->bytes,
                      SystemBuffer::Shape::kScattered, "vidmm");
    NotifyEvicted(*allocation);
    PageOut(*allocation, kept, allocation->bytes, nullptr);
    Evict(*allocation);
    asleep_.emplace_back(allocation.get(), std::move(kept));
  }
  for (const auto& process : processes_) {
    process->tables_asleep = !process->space->evicted();  // else they come back when who evicted them says so
    if (process->tables_asleep) process->space->EvictTables(ContentsOf(*process), SinkFor(*process));
    if (gpu_.caps().explicit_invalidation) process->space->InvalidateAll(SinkFor(*process));
    Finish();
    process->space->FreeRoot();
    process->root_told = false;
  }
  queue_.Drain();
  InvalidatePagingTables();
  paging_.space->FreeTables();
  asleep_now_ = true;
}

void VidMm::DropAsleep(const Allocation& allocation) {
  const auto kept = std::find_if(asleep_.begin(), asleep_.end(),
                                 [&](const auto& asleep) { return asleep.first == &allocation; });
  if (kept == asleep_.end()) return;
  kept->second.Release();
  asleep_.erase(kept);
}

void VidMm::Wake() {
  MakePagingTables();
  asleep_now_ = false;
  for (const auto& process : processes_) {
    process->space->RestoreRoot(SinkFor(*process));
    if (process->tables_asleep) process->space->RestoreTables(SinkFor(*process));
    if (!process->space->evicted()) ClearStale(*process);
    TellRoot(*process);
  }
  for (auto& [allocation, kept] : asleep_) {
    EnsureTables(*allocation);
    MakeResident(*allocation);
    PageIn(*allocation, kept, allocation->bytes, nullptr);
    NotifyResident(*allocation);
    RestoreMappings(*allocation);
    kept.Release();
  }
  asleep_.clear();
  for (const auto& process : processes_)
    if (process->handles.context != nullptr) gpu_.vidsch().ResumeContext(process->handles.context);
}

}  // namespace gmmu::os
