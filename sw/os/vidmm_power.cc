// SPDX-License-Identifier: Apache-2.0
// What of VidMm lives through D3, where video memory loses its content: processes, contexts, virtual addresses, and
// allocations with their bytes and the entries that lead to them.
#include "os/text.h"
#include "os/vidmm.h"

namespace gmmu::os {

void VidMm::Sleep() {
  RefuseOnLink("sleep with processes");
  if (aperture_->in_use())
    throw OsError("ranges of the aperture are mapped: they must be unmapped before the GPU sleeps");
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
    process->root_entries = process->space->root_entries();
    process->space->FreeTables();
    process->root_told = false;
  }
  queue_.Drain();
  paging_.space->FreeTables();
}

void VidMm::Wake() {
  MakePagingTables();
  for (const auto& process : processes_) {
    process->space->CreateRoot(SinkFor(*process), process->root_entries);
    TellRoot(*process);
  }
  for (auto& [allocation, kept] : asleep_) {
    EnsureTables(*allocation);
    MakeResident(*allocation);
    PageIn(*allocation, kept, allocation->bytes, nullptr);
    NotifyResident(*allocation);
    RestoreMappings(*allocation);
    for (const Allocation::Mapping& mapping : allocation->mappings) TellRoot(*mapping.process);
    kept.Release();
  }
  asleep_.clear();
}

}  // namespace gmmu::os
