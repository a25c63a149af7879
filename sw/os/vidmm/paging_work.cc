// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/paging_work.h"

#include <utility>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "os/memory/system_buffer.h"
#include "os/miniport/interface_version.h"
#include "os/tables/address_space.h"
#include "os/tables/page_size_checker.h"
#include "os/tables/table_shadow.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/paging_companion.h"
#include "os/vidmm/paging_queue.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {

PagingWork::PagingWork(PhysicalAdapter& gpu)
    : gpu_(gpu),
      queue_(std::make_unique<PagingQueue>(gpu)),
      active_(queue_.get()),
      fence_(gpu),
      variety_(gpu.kernel().parameters(), "updates of GPU " + std::to_string(gpu.machine_unit())) {}

PagingWork::~PagingWork() = default;

void PagingWork::Start(HANDLE context) {
  queue_->Start(context, gpu_.kernel().parameters().bring_up == BringUp::kWindows26100 ? 2 : 4);
}

void PagingWork::Stop() { queue_->Stop(); }

void PagingWork::Reset() {
  queue_->Reset();
  active_ = queue_.get();
}

void PagingWork::Add(DXGKARG_BUILDPAGINGBUFFER& operation) { active_->Add(operation); }

PacketId PagingWork::Submit() { return active_->Submit(); }

void PagingWork::WaitFor(PacketId packet) { queue_->WaitFor(packet); }

void PagingWork::Drain() { active_->Drain(); }

void PagingWork::DrainPaging() { queue_->Drain(); }

void PagingWork::Finish() {
  const bool fence = !gpu_.caps().physical_model;
  if (fence) Signal(fence_.va(), fence_.Next(), fence_.memory());
  else active_->Drain();
  ReleaseHeld();
  DoDeferred();
  if (fence) fence_.Wait();
}

void PagingWork::Operate(DXGKARG_BUILDPAGINGBUFFER operation) {
  active_->Add(operation);
  Finish();
}

void PagingWork::Signal(uint64_t va, uint64_t value, const SystemBuffer& memory) {
  if (!HasSignalOperation(gpu_.answers().version) || !gpu_.kernel().parameters().gpu_signals) {
    active_->Drain();
    return memory.Write(0, &value, sizeof value);
  }
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_SIGNAL_MONITORED_FENCE;
  operation.SignalMonitoredFence.MonitoredFenceGpuVa = va;
  operation.SignalMonitoredFence.MonitoredFenceValue = value;
  active_->Add(operation);
  active_->Drain();
}

std::function<void(const TableUpdate&)> PagingWork::SinkFor(GpuProcess& process) {
  const bool immediate = process.by_cpu || gpu_.caps().update_mode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
  return [this, &process, immediate](const TableUpdate& update) { Update(process, update, immediate); };
}

void PagingWork::Update(GpuProcess& process, const TableUpdate& update, bool immediate) {
  Hold(process);
  const bool overwritten = process.shadow->Apply(update);
  if (!update.retired) {
    process.overwritten = process.overwritten || overwritten;
    if (process.checker) process.checker->Note(update);
  }
  Send(process, update, immediate);
}

// Only updates of leaf entries are divided. Initial updates and updates before an eviction cover a
// whole table, so they are not divided either.
void PagingWork::Send(GpuProcess& process, const TableUpdate& update, bool immediate) {
  if (update.level != 0 || update.initial || update.notify_eviction) return SendWhole(process, update, immediate);
  for (uint64_t done = 0; done < update.count;) {
    const uint64_t count = variety_.PartOf(update.count - done);
    SendWhole(process, PartOf(update, done, count), immediate);
    done += count;
  }
}

void PagingWork::SendWhole(GpuProcess& process, const TableUpdate& update, bool immediate) {
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE;
  auto& args = operation.UpdatePageTable;
  std::vector<DXGK_PTE> entries = update.entries, entries_64k = update.entries_64k;
  if (update.level == 1 && gpu_.caps().geometry.dual) {
    entries_64k.resize(entries.size());  // missing 64 KiB entries of pairs are invalid
    args.pPageTableEntries64KB = entries_64k.data();
  }
  args.PageTableLevel = update.level;
  args.hAllocation = update.allocation;
  args.pPageTableEntries = entries.data();
  args.StartIndex = static_cast<UINT>(update.start);
  args.NumPageTableEntries = static_cast<UINT>(update.count);
  args.Flags.Repeat = update.repeat;
  args.Flags.InitialUpdate = update.initial;
  args.Flags.NotifyEviction = update.notify_eviction;
  args.Flags.Use64KBPages = update.use_64k;
  args.AllocationOffsetInBytes = update.allocation_offset;
  args.hProcess = process.handles.process;
  args.FirstPteVirtualAddress = update.first_va;
  args.DriverProtection = update.level == 0 ? update.driver_protection : 0;
  if (immediate) {
    if (update.table_cpu == nullptr) throw BugCheck("a page table of the paging process is not reachable by the CPU");
    args.UpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
    args.PageTableAddress.CpuVirtual = update.table_cpu;
    active_->Immediate(operation);
  } else if (update.table_va != 0) {
    args.UpdateMode = DXGK_PAGETABLEUPDATE_GPU_VIRTUAL;
    args.PageTableAddress.GpuVirtual = update.table_va;
    active_->Add(operation);
  } else {
    args.UpdateMode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
    args.PageTableAddress.GpuPhysical = update.table;
    active_->Add(operation);
  }
}

void PagingWork::Flush(GpuProcess& process, uint64_t va, uint64_t bytes) {
  active_->FlushTlb(process.handles.process, process.space->root(), va, va + bytes);
  if (const auto space = gpu_.SpaceOf(process.handles.process)) active_->NoteFlush(*space, va, va + bytes);
  if (process.checker) process.checker->NoteFlush(va, va + bytes);
}

void PagingWork::Hold(GpuProcess& process) {
  if (!gpu_.caps().idle_for_updates || Holds(process) || process.handles.context == nullptr ||
      process.handles.state == nullptr) {
    return;
  }
  held_[process.serial] = &process;
  gpu_.vidsch().SuspendContext(process.handles.context, VidSch::kBoundNs);
}

void PagingWork::CheckPageSizes(GpuProcess& process, bool paging) {
  if (gpu_.caps().geometry.leaf_64k_bytes == 0) return;
  process.checker = std::make_unique<PageSizeChecker>(gpu_.caps().geometry, gpu_.SegmentsOf64kPages(), process.name);
  LeafChanges::Hooks hooks;
  // True while the driver has not received the paging process's root. Until then, the TLBs hold no
  // entries of that process and nothing can be submitted, so no flush or wait is needed.
  const auto comes_up = [&process, paging] { return paging && !process.root_is_set; };
  hooks.begin = [this, &process, paging, comes_up](LeafChange change) {
    process.checker->Begin(change);
    if (change != LeafChange::kConversion) return;
    if (paging && !comes_up()) DrainPaging();
    if (!paging) gpu_.vidsch().SuspendContext(process.handles.context, VidSch::kBoundNs, true);
    process.checker->set_suspended(true);
  };
  hooks.flush = [this, &process, paging, comes_up](uint64_t va, uint64_t bytes) {
    if (comes_up()) return process.checker->NoteFlush(va, va + bytes);
    Flush(process, va, bytes);
    // The updates after the flush are immediate, so the flush must complete first.
    if (paging || gpu_.caps().update_mode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL) Finish();
  };
  hooks.end = [this, &process, paging, comes_up](LeafChange change) {
    process.checker->End();
    if (change != LeafChange::kConversion) return;
    if (!comes_up()) Finish();
    process.checker->set_suspended(false);
    if (!paging) gpu_.vidsch().ResumeContext(process.handles.context);
  };
  process.space->changes().set_hooks(std::move(hooks));
}

bool PagingWork::Holds(const GpuProcess& process) const { return held_.count(process.serial) != 0; }

void PagingWork::ReleaseHeld() {
  for (const auto& [serial, process] : std::exchange(held_, {})) gpu_.vidsch().ResumeContext(process->handles.context);
}

void PagingWork::Forget(const GpuProcess& process) { held_.erase(process.serial); }

void PagingWork::OnCompanion(GpuProcess& process, const std::function<void()>& work) {
  if (process.handles.context == nullptr) throw BugCheck("process " + process.name + " has no context to accompany");
  if (!process.companion) {
    process.companion = std::make_unique<PagingCompanion>(process, gpu_);
    process.companion->Start();
  }
  queue_->Drain();
  active_ = &process.companion->queue();
  try {
    work();
  } catch (...) {
    active_ = queue_.get();
    throw;
  }
  active_ = queue_.get();
}

void PagingWork::DoDeferred() {
  for (const auto& action : std::exchange(deferred_, {})) action();
}

}  // namespace gmmu::os
