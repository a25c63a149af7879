// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/process_tables.h"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/base/bug_check.h"
#include "os/base/errors.h"
#include "os/base/page_math.h"
#include "os/tables/address_space.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/vidmm.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {

void ProcessTables::Ensure(GpuProcess& process, uint64_t va, uint64_t pages, bool large) {
  process.space->entries().EnsureTables(va, pages, work_.SinkFor(process), large);
}

void ProcessTables::EnsureEverywhere(GpuProcess& process, uint64_t va, uint64_t pages, bool large) {
  if (process.parts == nullptr) return;
  for (GpuProcess* part : *process.parts) {
    part->vidmm->tables().Ensure(*part, va, pages, large);
    PagingWork& work = part->vidmm->work();
    if (part != &process && work.Holds(*part)) work.Finish();  // Finish resumes the part's context
  }
}

void ProcessTables::EnsureLike(GpuProcess& process, GpuProcess& other) {
  const uint64_t coverage = gpu_.caps().geometry.Coverage(0);
  for (const auto& [slot, table] : other.space->tree().tables())
    if (slot.first == 0) Ensure(process, slot.second * coverage, 1);
  for (const auto& [leaf, held] : other.space->tree().leaves_64k().all()) Ensure(process, leaf * coverage, 1, true);
}

bool ProcessTables::Away(const GpuProcess& process) const { return asleep_ || process.TablesEvicted(); }

bool ProcessTables::Clear(GpuProcess& process, uint64_t va, uint64_t pages) {
  if (Away(process)) {
    process.stale.emplace_back(va, pages);
    return false;
  }
  const bool any = process.space->entries().Clear(va, pages, process.Contents(), work_.SinkFor(process));
  if (any) FlushChanges(process, va, pages);
  return any;
}

void ProcessTables::RenewStale(GpuProcess& process) {
  for (const auto& [va, pages] : process.stale)
    process.space->entries().Clear(va, pages, process.Contents(), work_.SinkFor(process));
  process.vidmm->mappings().RestoreIn(process, process.stale);
  process.stale.clear();
}

void ProcessTables::FlushChanges(GpuProcess& process, uint64_t va, uint64_t pages) {
  if (std::exchange(process.overwritten, false) || !gpu_.caps().invalid_not_cached)
    work_.Flush(process, va, pages * kPage);
}

void ProcessTables::FinishChange(GpuProcess& process, uint64_t va, uint64_t pages) {
  FlushChanges(process, va, pages);
  work_.Finish();
  TellRoot(process);
  ReleaseRetired(process);
}

void ProcessTables::ReleaseRetired(GpuProcess& process) {
  if (gpu_.caps().explicit_invalidation && process.space->retired().Invalidate(work_.SinkFor(process))) work_.Finish();
  process.space->retired().Free();
}

void ProcessTables::FlushSpace(GpuProcess& process) {
  process.overwritten = false;
  work_.Flush(process, 0, 0);
  work_.Finish();
  ReleaseRetired(process);
}

void ProcessTables::SetRoot(GpuProcess& process) {
  gpu_.SetRootPageTable(process.handles.context, process.space->root(), process.space->root_entries());
}

void ProcessTables::TellRoot(GpuProcess& process) {
  if (process.root_is_set || process.handles.context == nullptr || !process.space->ready()) return;
  work_.Finish();
  SetRoot(process);
  process.root_is_set = true;
}

void ProcessTables::ReplaceRoot(GpuProcess& process, uint64_t entries) {
  process.space->tree().ReplaceRoot(entries, work_.SinkFor(process));
  work_.Finish();  // the new root must be written before the hardware uses it
  SetRoot(process);
  ReleaseRetired(process);
}

// Resizing also frees the replaced tables, so the whole address space is flushed. A process without
// a context has no cached translations; the driver receives its root when the context is created.
void ProcessTables::ResizeRoot(GpuProcess& process, uint64_t entries) {
  const HANDLE context = process.handles.context;
  if (context != nullptr) gpu_.vidsch().SuspendContext(context, VidSch::kBoundNs, true);
  try {
    process.space->tree().ReplaceRoot(entries, work_.SinkFor(process));
  } catch (const NoRoom&) {
    if (context != nullptr) gpu_.vidsch().ResumeContext(context);
    throw;
  }
  work_.Finish();
  if (context == nullptr) return ReleaseRetired(process);
  SetRoot(process);
  process.root_is_set = true;
  FlushSpace(process);
  gpu_.vidsch().ResumeContext(context);
}

// The root shrinks only if it can lose at least half of its entries, so that small changes do not
// resize it.
void ProcessTables::ShrinkRoot(GpuProcess& process) {
  const Geometry& geometry = gpu_.caps().geometry;
  if (geometry.count() != 2 || process.parts != nullptr || Away(process)) return;
  const unsigned shift = geometry.Shift(geometry.count() - 1);
  const uint64_t reserved = (process.space->va().used_end() + (uint64_t{1} << shift) - 1) >> shift;
  const uint64_t needed = std::max<uint64_t>({reserved, process.space->tree().RootEntriesInUse(), 1});
  const uint64_t entries = gpu_.RootPageTableSize(needed).first;
  if (2 * entries <= process.space->root_entries()) ResizeRoot(process, entries);
}

// The driver learns a table's new address from an UPDATE_PAGE_TABLE that writes the parent's entry,
// and the root's new address from SetRootPageTable. On linked adapters, the first part selects an
// address that is free on all GPUs and the other parts use the same address (LinkedTables), so
// either all roots move or none does.
void ProcessTables::Move(GpuProcess& process) {
  std::exception_ptr no_room;
  for (GpuProcess* part : process.Parts()) {
    part->vidmm->gpu().vidsch().SuspendContext(part->handles.context, VidSch::kBoundNs);
    const std::exception_ptr refusal =
        RefusalOf([&] { part->space->moves().Move(part->Contents(), part->vidmm->work().SinkFor(*part)); });
    if (!no_room) no_room = refusal;
  }
  for (GpuProcess* part : process.Parts()) {
    if (no_room) break;  // tables that have moved already keep their new addresses
    no_room = RefusalOf([&] { part->space->tree().ReplaceRoot(0, part->vidmm->work().SinkFor(*part)); });
    if (no_room) break;
    part->vidmm->work().Finish();
    part->vidmm->tables().SetRoot(*part);
  }
  for (GpuProcess* part : process.Parts()) {
    part->vidmm->tables().FlushSpace(*part);
    part->vidmm->gpu().vidsch().ResumeContext(part->handles.context);
  }
  if (no_room) std::rethrow_exception(no_room);
}

void ProcessTables::Evict(GpuProcess& process) {
  for (GpuProcess* part : process.Parts()) {
    part->vidmm->gpu().vidsch().SuspendContext(part->handles.context, VidSch::kBoundNs);
    part->space->moves().Evict(part->Contents(), part->vidmm->work().SinkFor(*part));
    part->vidmm->tables().FlushSpace(*part);
  }
}

void ProcessTables::Restore(GpuProcess& process) {
  const std::vector<GpuProcess*> parts = process.Parts();
  for (GpuProcess* part : parts) part->space->moves().Restore(part->vidmm->work().SinkFor(*part));
  // This follows the restoration of all parts, because the entries may need tables on every GPU.
  for (GpuProcess* part : parts) part->vidmm->tables().RenewStale(*part);
  for (GpuProcess* part : parts) part->vidmm->tables().FlushSpace(*part);
  for (GpuProcess* part : parts) part->vidmm->tables().TellRoot(*part);
  for (GpuProcess* part : parts) part->vidmm->gpu().vidsch().ResumeContext(part->handles.context);
}

}  // namespace gmmu::os
