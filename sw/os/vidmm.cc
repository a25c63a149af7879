// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm.h"

#include <algorithm>
#include <cstring>

#include "os/bug_check.h"
#include "os/text.h"

namespace gmmu::os {
namespace {
constexpr uint64_t kPage = hw::kPageSize;
constexpr uint64_t kPagingVa = uint64_t{1} << 30;
constexpr uint64_t kBoundNs = 100'000'000;
constexpr uint64_t kBlock = 64 << 10;

uint64_t PagesOf(uint64_t bytes) { return (bytes + kPage - 1) / kPage; }
}  // namespace

VidMm::VidMm(Adapter& adapter)
    : adapter_(adapter),
      kernel_(adapter.kernel()),
      queue_(adapter),
      random_(kernel_.parameters().seed, "vidmm") {}

DXGK_PTE VidMm::SystemEntry(uint64_t page) const {
  DXGK_PTE entry{};
  entry.Valid = 1;
  entry.CacheCoherent = adapter_.caps().coherent;
  entry.PageAddress = page;
  return entry;
}

DXGK_PTE VidMm::LocalEntry(uint64_t page) const {
  DXGK_PTE entry{};
  entry.Valid = 1;
  entry.Segment = adapter_.local_segment().id;
  entry.PageAddress = page;
  return entry;
}

void VidMm::Update(Process& process, const TableUpdate& update, bool immediate) {
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE;
  auto& args = operation.UpdatePageTable;
  std::vector<DXGK_PTE> entries = update.entries;
  args.PageTableLevel = update.level;
  args.hAllocation = update.allocation;
  args.pPageTableEntries = entries.data();
  args.StartIndex = static_cast<UINT>(update.start);
  args.NumPageTableEntries = static_cast<UINT>(update.count);
  args.Flags.Repeat = update.repeat;
  args.Flags.InitialUpdate = update.initial;
  args.AllocationOffsetInBytes = update.allocation_offset;
  args.hProcess = process.handles.process;
  args.FirstPteVirtualAddress = update.first_va;
  args.DriverProtection = update.level == 0 ? update.driver_protection : 0;
  if (immediate) {
    if (update.table_cpu == nullptr)
      throw BugCheck("a page table of the paging process is not reachable by the CPU");
    args.UpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
    args.PageTableAddress.CpuVirtual = update.table_cpu;
    queue_.Immediate(operation);
  } else if (update.table_va != 0) {
    args.UpdateMode = DXGK_PAGETABLEUPDATE_GPU_VIRTUAL;
    args.PageTableAddress.GpuVirtual = update.table_va;
    queue_.Add(operation);
  } else {
    args.UpdateMode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
    args.PageTableAddress.GpuPhysical = update.table;
    queue_.Add(operation);
  }
}

AddressSpace::Sink VidMm::SinkFor(Process& process) {
  const bool immediate =
      &process == &paging_ || adapter_.caps().update_mode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
  return [this, &process, immediate](const TableUpdate& update) {
    Update(process, update, immediate);
  };
}

uint64_t VidMm::PagingVaEnd() const {
  return std::min(kPagingVa, uint64_t{1} << adapter_.caps().geometry.va_bits);
}

void VidMm::StartProcess(Process& process, bool system, uint64_t va_end) {
  process.handles = adapter_.CreateProcess(process.name, system);
  process.space = std::make_unique<AddressSpace>(adapter_, process.name, system, va_end);
  if (system || adapter_.caps().update_mode != DXGK_PAGETABLEUPDATE_GPU_VIRTUAL) return;
  process.space->set_table_views({[this](const auto& table, uint64_t bytes) { return MapTable(table, bytes); },
                                  [this](uint64_t va, uint64_t bytes) { UnmapTable(va, bytes); }});
}

// The tables of processes as the paging process sees them: its own tables are written by the CPU.
uint64_t VidMm::MapTable(const D3DGPU_PHYSICAL_ADDRESS& table, uint64_t bytes) {
  const uint64_t va = ReserveVa(paging_, bytes);
  std::vector<DXGK_PTE> entries;
  for (uint64_t page = 0; page < PagesOf(bytes); ++page) {
    DXGK_PTE entry = SystemEntry(table.SegmentOffset / kPage + page);
    if (table.SegmentId != 0) {
      entry.CacheCoherent = 0;
      entry.Segment = table.SegmentId;
    }
    entries.push_back(entry);
  }
  paging_.space->SetEntries(va, entries.size(), entries, nullptr, 0, SinkFor(paging_));
  queue_.FlushTlb(paging_.handles.process, paging_.space->root(), va, va + bytes);
  return va;
}

void VidMm::UnmapTable(uint64_t va, uint64_t bytes) {
  paging_.space->Invalidate(va, PagesOf(bytes), SinkFor(paging_));
  queue_.FlushTlb(paging_.handles.process, paging_.space->root(), va, va + bytes);
  queue_.Drain();
  FreeVa(paging_, va);
}

void VidMm::Start() {
  paging_.name = "paging process";
  StartProcess(paging_, true, PagingVaEnd());
  queue_.Start(paging_.handles.context);
  for (Window& window : windows_) {
    window.source = ReserveVa(paging_, kWindowPages * kPage);
    window.target = ReserveVa(paging_, kWindowPages * kPage);
  }
  fence_page_ = SystemBuffer(kernel_, adapter_.objects(), adapter_.handle(), kPage,
                             SystemBuffer::Shape::kScattered, "vidmm");
  fence_cpu_ = fence_page_.Map(0, kPage);
  fence_va_ = ReserveVa(paging_, kPage);
  MakePagingTables();
  dummy_ = SystemBuffer(kernel_, adapter_.objects(), adapter_.handle(), kPage,
                        SystemBuffer::Shape::kScattered, "vidmm");
  Aperture::Facts facts;
  facts.map_aperture2 = adapter_.answers().driver.MemoryManagementCaps.MapAperture2Supported;
  facts.remapped = adapter_.remapped();
  facts.commit_limit = adapter_.answers().segments[adapter_.aperture_segment().id - 1].CommitLimit;
  facts.dummy_logical = dummy_.logical();
  facts.dummy_host = dummy_.host_pages()[0] * kPage;
  aperture_.emplace(kernel_, adapter_.objects(), adapter_.aperture_segment(), facts,
                    Aperture::Work{[this](DXGKARG_BUILDPAGINGBUFFER& operation) { queue_.Add(operation); },
                                   [this] { Finish(); }});
  Finish();
}

// Every table that the windows and the fence page need is made now; later only leaf entries change.
void VidMm::MakePagingTables() {
  const auto sink = SinkFor(paging_);
  paging_.space->CreateRoot(sink);
  for (Window& window : windows_) window.packet = 0;
  const auto set_root = [&] {
    adapter_.SetRootPageTable(paging_.handles.context, paging_.space->root(), paging_.space->root_entries());
  };
  if (kernel_.parameters().bring_up == BringUp::kWindows22621) {
    paging_.space->MakeWhole(PagingVaEnd(), sink);
    set_root();
    paging_.space->SetEntries(fence_va_, 1, {SystemEntry(fence_page_.page(0))}, nullptr, 0, sink);
    return;
  }
  for (Window& window : windows_) {
    paging_.space->Invalidate(window.source, kWindowPages, sink);
    paging_.space->Invalidate(window.target, kWindowPages, sink);
  }
  paging_.space->SetEntries(fence_va_, 1, {SystemEntry(fence_page_.page(0))}, nullptr, 0, sink);
  set_root();
}

void VidMm::Rebuild() {
  queue_.Reset();
  adapter_.Restart(paging_.handles.context);
  paging_.space->FreeTables();
  MakePagingTables();
}

void VidMm::Stop() {
  queue_.Drain();
  FreeVa(paging_, fence_va_);
  for (Window& window : windows_) {
    FreeVa(paging_, window.source);
    FreeVa(paging_, window.target);
  }
  queue_.Stop();
  adapter_.DestroyProcess(paging_.handles);
  paging_.space->FreeTables();
  fence_page_.Release();
  dummy_.Release();
}

// The root must be complete before the hardware is told of it.
void VidMm::TellRoot(Process& process) {
  if (process.root_told || !process.space->ready()) return;
  Finish();
  adapter_.SetRootPageTable(process.handles.context, process.space->root(), process.space->root_entries());
  process.root_told = true;
}

VidMm::Process* VidMm::CreateProcess(const std::string& name, uint64_t root_entries) {
  auto process = std::make_unique<Process>();
  process->name = name;
  StartProcess(*process, false, uint64_t{1} << adapter_.caps().geometry.va_bits);
  process->space->CreateRoot(SinkFor(*process), root_entries);
  TellRoot(*process);
  processes_.push_back(std::move(process));
  return processes_.back().get();
}

void VidMm::DestroyProcess(Process* process) {
  if (adapter_.caps().explicit_invalidation) process->space->InvalidateAll(SinkFor(*process));
  queue_.Drain();
  adapter_.DestroyProcess(process->handles);
  process->space->FreeTables();
  for (const auto& allocation : allocations_) {
    auto& held = allocation->mappings;
    held.erase(std::remove_if(held.begin(), held.end(), [&](const auto& mapping) { return mapping.process == process; }),
               held.end());
  }
  processes_.erase(std::find_if(processes_.begin(), processes_.end(),
                                [process](const auto& held) { return held.get() == process; }));
}

uint64_t VidMm::ReserveVa(Process& process, uint64_t bytes, std::optional<uint64_t> at) {
  const uint64_t size = std::max<uint64_t>((bytes + kBlock - 1) / kBlock * kBlock, kBlock);
  if (at) {
    if (!process.space->va().AllocateAt(*at, size, "ReserveVa")) {
      throw OsError("virtual addresses at " + Hex(*at) + " of " + process.name + " are taken");
    }
    return *at;
  }
  const auto va = process.space->va().Allocate(size, kBlock, "ReserveVa");
  if (!va) throw OsError("no virtual addresses left in " + process.name);
  return *va;
}

void VidMm::FreeVa(Process& process, uint64_t va) {
  if (kernel_.LeakNow("va_range")) return;
  process.space->va().Free(va);
}

VidMm::Allocation* VidMm::CreateAllocation(const std::string& name, uint64_t bytes) {
  AllocationRequest request;
  request.name = name;
  request.bytes = bytes;
  return CreateAllocation(request);
}

VidMm::Allocation* VidMm::CreateAllocation(const AllocationRequest& request) {
  const DriverAllocation made = adapter_.CreateAllocation(request);
  auto allocation = std::make_unique<Allocation>();
  allocation->name = request.name;
  allocation->bytes = PagesOf(request.bytes) * kPage;
  allocation->handle = made.handle;
  allocation->ticket = made.ticket;
  allocation->homes = made.homes;
  allocation->map_cpu_visible = made.flags.MapApertureCpuVisible;
  allocations_.push_back(std::move(allocation));
  return allocations_.back().get();
}

void VidMm::DestroyAllocation(Allocation* allocation) {
  if (allocation->local) Evict(*allocation);
  adapter_.DestroyAllocation(allocation->handle, allocation->ticket);
  allocations_.erase(
      std::find_if(allocations_.begin(), allocations_.end(),
                   [allocation](const auto& held) { return held.get() == allocation; }));
}

bool VidMm::TryMakeResident(Allocation& allocation) {
  if (allocation.local) return true;
  Segment& segment = adapter_.local_segment();
  const uint64_t pages = PagesOf(allocation.bytes);
  allocation.local = allocation.contiguous != 0
                         ? SegmentPages::AllocateContiguous(segment, pages, allocation.contiguous, allocation.name)
                         : SegmentPages::Allocate(segment, pages, random_, allocation.name);
  return allocation.local.has_value();
}

void VidMm::MakeResident(Allocation& allocation) {
  if (TryMakeResident(allocation)) return;
  throw OsError("no room in VRAM for " + std::to_string(allocation.bytes) + " bytes of " + allocation.name + "; " +
                std::to_string(adapter_.local_segment().space->free_bytes()) + " are free");
}

void VidMm::Evict(Allocation& allocation) {
  if (!allocation.local) return;
  allocation.local->Release(kernel_);
  allocation.local.reset();
}

void VidMm::Finish() {
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_SIGNAL_MONITORED_FENCE;
  operation.SignalMonitoredFence.MonitoredFenceGpuVa = fence_va_;
  operation.SignalMonitoredFence.MonitoredFenceValue = ++fence_value_;
  queue_.Add(operation);
  queue_.Drain();
  kernel_.WaitOrFault(
      [this] {
        uint64_t value = 0;
        std::memcpy(&value, fence_cpu_, sizeof value);
        return value >= fence_value_;
      },
      kBoundNs, "monitored fence value " + std::to_string(fence_value_), 1000);
}

}  // namespace gmmu::os
