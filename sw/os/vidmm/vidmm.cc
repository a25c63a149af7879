// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/vidmm.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "os/kernel/bug_check.h"
#include "os/vidmm/context_allocations.h"
#include "os/vidmm/monitored_fence.h"
#include "os/kernel/text.h"
#include "os/kernel/page_math.h"

namespace gmmu::os {
namespace {
constexpr uint64_t kPagingVa = uint64_t{1} << 30;
constexpr uint64_t kBlock = kBytesOf64k;

}  // namespace

VidMm::VidMm(PhysicalAdapter& gpu)
    : gpu_(gpu),
      kernel_(gpu.kernel()),
      queue_(gpu),
      random_(kernel_.parameters().seed, "vidmm"),
      context_allocations_(std::make_unique<ContextAllocations>(*this)) {}

VidMm::~VidMm() = default;

void VidMm::RefuseOnLink(const char* what) const {
  if (link_.size() > 1)
    throw OsError(std::string(what) + " is for one GPU, not for " + std::to_string(link_.size()) +
                  " that are linked (LinkedAdapters)");
}

DXGK_PTE VidMm::SystemEntry(uint64_t page) const {
  DXGK_PTE entry{};
  entry.Valid = 1;
  entry.CacheCoherent = gpu_.caps().coherent;
  entry.PageAddress = page;
  return entry;
}

DXGK_PTE VidMm::LocalEntry(uint64_t page) const {
  DXGK_PTE entry{};
  entry.Valid = 1;
  entry.Segment = gpu_.local_segment().id;
  entry.PhysicalAdapterIndex = gpu_.index();
  entry.PageAddress = page;
  return entry;
}

DXGK_PTE VidMm::LocalEntry(const Allocation& allocation, uint64_t page) {
  return allocation.vidmm->LocalEntry(allocation.local->page(page));
}

void VidMm::Update(Process& process, const TableUpdate& update, bool immediate) {
  Hold(process);
  const bool overwritten = process.shadow.Apply(update);
  if (!update.retired) {
    process.overwritten = process.overwritten || overwritten;
    if (process.order) process.order->Note(update);
  }
  Send(process, update, immediate);
}

void VidMm::Send(Process& process, const TableUpdate& update, bool immediate) {
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE;
  auto& args = operation.UpdatePageTable;
  std::vector<DXGK_PTE> entries = update.entries, entries_64k = update.entries_64k;
  if (update.level == 1 && gpu_.caps().geometry.dual) {
    entries_64k.resize(entries.size());  // invalid
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
    if (update.table_cpu == nullptr)
      throw BugCheck("a page table of the paging process is not reachable by the CPU");
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

void VidMm::Flush(Process& process, uint64_t va, uint64_t bytes) {
  active_->FlushTlb(process.handles.process, process.space->root(), va, va + bytes);
  if (process.order) process.order->NoteFlush(va, va + bytes);
}

AddressSpace::Sink VidMm::SinkFor(Process& process) {
  const bool by_cpu = !paging_is_up_ || kernel_.parameters().window_updates == WindowUpdates::kCpuVirtual;
  const bool immediate =
      (&process == &paging_ && by_cpu) || gpu_.caps().update_mode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
  return [this, &process, immediate](const TableUpdate& update) {
    Update(process, update, immediate);
  };
}

uint64_t VidMm::PagingVaEnd() const {
  return std::min(kPagingVa, uint64_t{1} << gpu_.caps().geometry.va_bits);
}

// PageTableUpdateRequireAddressSpaceIdle: nothing of the space runs from its first update until all is done.
void VidMm::Hold(Process& process) {
  if (!gpu_.caps().idle_for_updates || process.held || process.handles.context == nullptr ||
      process.handles.state == nullptr) {
    return;
  }
  process.held = true;
  gpu_.vidsch().SuspendContext(process.handles.context, VidSch::kBoundNs);
}

void VidMm::ReleaseHeld() {
  for (const auto& process : processes_) {
    if (std::exchange(process->held, false)) gpu_.vidsch().ResumeContext(process->handles.context);
  }
}

// The driver may keep addresses of the process for itself while it is told of it.
void VidMm::StartProcess(Process& process, bool system, uint64_t va_end, const Process* joins) {
  process.vidmm = this;
  process.space = std::make_unique<AddressSpace>(gpu_, process.name, system, va_end);
  if (joins == nullptr) {
    process.in_creation = true;
    adapter().driver_objects().OpenProcess(process.handles, process.name, system);
    process.in_creation = false;
    adapter().driver_objects().OpenDevice(process.handles, process.name, system);
  } else {
    process.handles = joins->handles;
    process.handles.joined = true;
    process.handles.context = nullptr;  // its own comes later
  }
  WatchOrder(process);
  if (!system) process.space->set_root_grower([this, &process](uint64_t entries) { GrowRoot(process, entries); });
  if (system || gpu_.caps().update_mode != DXGK_PAGETABLEUPDATE_GPU_VIRTUAL) return;
  process.space->set_table_views({[this](const auto& table, uint64_t bytes) { return MapTable(table, bytes); },
                                  [this](uint64_t va, uint64_t bytes) { UnmapTable(va, bytes); }});
}

// The paging context does not run while its own queue is empty; contexts of others are suspended.
void VidMm::WatchOrder(Process& process) {
  if (gpu_.caps().geometry.leaf_64k_bytes == 0) return;
  process.order = std::make_unique<TableOrder>(gpu_.caps().geometry, process.name);
  const bool paging = &process == &paging_;
  AddressSpace::ChangeHooks hooks;
  hooks.begin = [this, &process, paging](LeafChange change) {
    process.order->Begin(change);
    if (change != LeafChange::kConversion) return;
    if (paging) queue_.Drain();
    else gpu_.vidsch().SuspendContext(process.handles.context, VidSch::kBoundNs, true);
    process.order->set_suspended(true);
  };
  hooks.flush = [this, &process, paging](uint64_t va, uint64_t bytes) {
    Flush(process, va, bytes);
    // What follows is done at once.
    if (paging || gpu_.caps().update_mode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL) Finish();
  };
  hooks.end = [this, &process, paging](LeafChange change) {
    process.order->End();
    if (change != LeafChange::kConversion) return;
    Finish();
    process.order->set_suspended(false);
    if (!paging) gpu_.vidsch().ResumeContext(process.handles.context);
  };
  process.space->set_change_hooks(std::move(hooks));
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
      entry.PhysicalAdapterIndex = gpu_.index();
    }
    entries.push_back(entry);
  }
  try {
    paging_.space->SetEntries(va, entries.size(), entries, nullptr, 0, SinkFor(paging_));
  } catch (const NoRoom&) {
    FreeVa(paging_, va);
    throw;
  }
  Flush(paging_, va, bytes);
  return va;
}

void VidMm::UnmapTable(uint64_t va, uint64_t bytes) {
  paging_.space->Invalidate(va, PagesOf(bytes), SinkFor(paging_));
  Flush(paging_, va, bytes);
  active_->Drain();
  FreeVa(paging_, va);
}

void VidMm::Start() {
  paging_.name = gpu_.Named("paging process");
  adapter().set_driver_requests(context_allocations_.get());
  StartProcess(paging_, true, PagingVaEnd());
  adapter().driver_objects().OpenContext(paging_.handles, paging_.name, true, gpu_);
  queue_.Start(paging_.handles.context, kernel_.parameters().bring_up == BringUp::kWindows26100 ? 2 : 4);
  ReservePagingVa();
  fence_page_ = SystemBuffer(kernel_, gpu_.objects(), gpu_.handle(), kPage,
                             SystemBuffer::Shape::kReadOnlyView, "vidmm");
  fence_cpu_ = fence_page_.Map(0, kPage);
  MakePagingTables();
  dummy_ = SystemBuffer(kernel_, gpu_.objects(), gpu_.handle(), kPage,
                        SystemBuffer::Shape::kScattered, "vidmm");
  Aperture::Facts facts;
  facts.map_aperture2 = gpu_.answers().driver.MemoryManagementCaps.MapAperture2Supported;
  facts.remapped = gpu_.remapped();
  facts.commit_limit = gpu_.answers().segments[gpu_.aperture_segment().id - 1].CommitLimit;
  facts.dummy_logical = dummy_.logical();
  facts.dummy_host = dummy_.host_pages()[0] * kPage;
  aperture_.emplace(kernel_, gpu_.objects(), gpu_.aperture_segment(), facts,
                    Aperture::Work{[this](DXGKARG_BUILDPAGINGBUFFER& operation) { active_->Add(operation); },
                                   [this] { Finish(); }});
  Finish();
}

// What was in VRAM and in the aperture, allocation by allocation; the GPU does nothing of it.
void VidMm::Rebuild() {
  adapter().vidsch().BeginRebuild();
  ForgetQueued();
  adapter().Restart();
  RebuildTables();
}

void VidMm::ForgetQueued() {
  queue_.Reset();
  active_ = &queue_;
  for (const auto& process : processes_)
    if (process->companion) process->companion->queue->Reset();
  std::vector<DXGKARG_BUILDPAGINGBUFFER> lost;
  for (const auto& allocation : allocations_) {
    if (!allocation->local) continue;
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_TRANSFER;
    operation.Transfer.hAllocation = allocation->handle;
    operation.Transfer.Source.SegmentId = operation.Transfer.Destination.SegmentId = gpu_.local_segment().id;
    operation.Transfer.Source.SegmentAddress.QuadPart = operation.Transfer.Destination.SegmentAddress.QuadPart =
        SegmentAddress(*allocation, 0);
    operation.Transfer.Flags.TransferStart = 1;
    operation.Transfer.Flags.TransferEnd = 1;
    lost.push_back(operation);
    allocation->notified = false;
  }
  for (const auto& allocation : allocations_) allocation->mappings.clear();  // the tables are lost as well
  for (const DXGKARG_BUILDPAGINGBUFFER& operation : aperture_->Lost()) lost.push_back(operation);
  ReleaseHeld();
  adapter().AnnounceLoss(paging_.handles.context, std::move(lost));
  aperture_->ForgetAll();
}

void VidMm::RebuildTables() {
  paging_.space->FreeTables();
  WatchOrder(paging_);
  MakePagingTables();
}

// By the CPU: nothing uses them any more.
void VidMm::InvalidatePagingTables() {
  if (!gpu_.caps().explicit_invalidation) return;
  paging_is_up_ = false;
  paging_.space->InvalidateAll(SinkFor(paging_));
}

void VidMm::Stop() {
  DestroyDeferred();
  active_->Drain();
  FreePagingVa();
  InvalidatePagingTables();
  queue_.Stop();
  adapter().driver_objects().DestroyProcess(paging_.handles);
  adapter().set_driver_requests(nullptr);
  paging_.space->FreeTables();
  fence_page_.Release();
  dummy_.Release();
}

// The root must be complete before the hardware is told of it.
void VidMm::TellRoot(Process& process) {
  if (process.root_told || process.handles.context == nullptr || !process.space->ready()) return;
  Finish();
  gpu_.SetRootPageTable(process.handles.context, process.space->root(), process.space->root_entries());
  process.root_told = true;
}

VidMm::Process* VidMm::CreateProcess(const std::string& name, uint64_t root_entries, bool with_context) {
  processes_.push_back(std::make_unique<Process>());  // the driver may ask for memory of it from now on
  Process& process = *processes_.back();
  process.name = name;
  OrUndo(process, [&] {
    StartProcess(process, false, uint64_t{1} << gpu_.caps().geometry.va_bits);
    const Geometry& geometry = gpu_.caps().geometry;
    if (root_entries == 0) root_entries = geometry.first_root_entries;
    if (root_entries != 0) {
      for (const auto& [va, range] : process.driver_ranges)  // their tables exist from now on
        root_entries = std::max(root_entries, ((va + range.bytes - 1) >> geometry.Shift(geometry.count() - 1)) + 1);
    }
    process.space->CreateRoot(SinkFor(process), root_entries);
    for (const auto& [va, range] : process.driver_ranges)
      process.space->Invalidate(va, range.bytes / kPage, SinkFor(process));
    if (with_context) CreateContext(process);
  });
  return &process;
}

void VidMm::CreateContext(Process& process) {
  adapter().driver_objects().OpenContext(process.handles, process.name, false, gpu_);
  TellRoot(process);
}

VidMm::Process* VidMm::CreatePart(const std::string& name, const Process* joins, AddressSpace::Placer placer,
                                  const std::vector<Process*>& parts) {
  processes_.push_back(std::make_unique<Process>());
  Process& process = *processes_.back();
  process.name = gpu_.Named(name);
  process.parts = &parts;
  OrUndo(process, [&] {
    StartProcess(process, false, uint64_t{1} << gpu_.caps().geometry.va_bits, joins);
    process.space->set_placer(std::move(placer));
    process.space->CreateRoot(SinkFor(process), 0);
    CreateContext(process);
  });
  return &process;
}

void VidMm::OrUndo(Process& process, const std::function<void()>& making) {
  const std::exception_ptr refusal = RefusalOf(making);
  if (!refusal) return;
  DestroyProcess(&process);
  std::rethrow_exception(refusal);
}

void VidMm::DestroyProcess(Process* process) {
  if (gpu_.caps().explicit_invalidation) process->space->InvalidateAll(SinkFor(*process));
  active_->Drain();
  if (process->space->evicted()) gpu_.vidsch().ResumeContext(process->handles.context);
  if (process->companion) {
    process->companion->queue->Stop();
    adapter().driver_objects().CloseCompanion(process->companion->context);
    kernel_.ledger().Close(process->companion->ticket);
  }
  adapter().driver_objects().DestroyProcess(process->handles);
  active_->Drain();
  for (const auto& [va, range] : process->driver_ranges) FreeVa(*process, va);
  process->space->FreeTables();
  for (VidMm* vidmm : link_) {
    for (const auto& allocation : vidmm->allocations_) {
      auto& held = allocation->mappings;
      const auto of_it = [&](const auto& mapping) { return mapping.process == process; };
      held.erase(std::remove_if(held.begin(), held.end(), of_it), held.end());
    }
  }
  processes_.erase(std::find_if(processes_.begin(), processes_.end(),
                                [process](const auto& held) { return held.get() == process; }));
}

uint64_t VidMm::ReserveVa(Process& part, uint64_t bytes, std::optional<uint64_t> at) {
  Process& process = part.parts == nullptr ? part : *part.parts->front();
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

std::optional<uint64_t> VidMm::ReserveVaWithin(Process& part, uint64_t bytes, uint64_t base, uint64_t minimum,
                                               uint64_t maximum, uint64_t alignment) {
  Process& process = part.parts == nullptr ? part : *part.parts->front();
  RangeAllocator& va = process.space->va();
  if (maximum == 0) maximum = ~uint64_t{0};
  if (base == 0) return va.AllocateWithin(minimum, maximum, bytes, alignment, "ReserveVaWithin");
  return va.AllocateAt(base, bytes, "ReserveVaWithin") ? std::optional(base) : std::nullopt;
}

void VidMm::FreeVa(Process& part, uint64_t va) {
  Process& process = part.parts == nullptr ? part : *part.parts->front();
  if (kernel_.LeakNow("va_range")) return;
  process.space->va().Free(va);
}

VidMm::Allocation* VidMm::CreateAllocation(const std::string& name, uint64_t bytes) {
  AllocationRequest request;
  request.name = name;
  request.bytes = bytes;
  request.accessed_physically = false;
  return CreateAllocation(request);
}

VidMm::Allocation* VidMm::CreateInAperture(const std::string& name, uint64_t bytes) {
  AllocationRequest request;
  request.name = name;
  request.bytes = bytes;
  request.system_only = true;
  return CreateAllocation(request);
}

VidMm::Allocation* VidMm::CreateAllocation(const AllocationRequest& asked) {
  AllocationRequest request = asked;
  request.physical_adapter = gpu_.index();
  const DriverAllocation made = adapter().driver_objects().CreateAllocation(request);
  auto allocation = std::make_unique<Allocation>();
  allocation->vidmm = this;
  allocation->name = request.name;
  allocation->bytes = PagesOf(request.bytes) * kPage;
  allocation->handle = made.handle;
  allocation->ticket = made.ticket;
  allocation->homes = made.homes;
  if (made.homes.contiguous) allocation->contiguous = std::max<uint64_t>(made.homes.alignment, kPage);
  allocation->map_cpu_visible = made.flags.MapApertureCpuVisible;
  allocation->large_pages = !made.flags.DisableLargePageMapping;
  allocation->explicit_residency = made.flags.ExplicitResidencyNotification;
  allocations_.push_back(std::move(allocation));
  return allocations_.back().get();
}

void VidMm::DestroyAllocation(Allocation* allocation) {
  const auto [handle, ticket] = std::pair(allocation->handle, allocation->ticket);
  DropAllocation(allocation);
  if (kernel_.parameters().deferred_destroy) deferred_.emplace_back(handle, ticket);
  else adapter().driver_objects().DestroyAllocation(handle, ticket);
}

void VidMm::DropAllocation(Allocation* allocation) {
  ClearMappings(*allocation);
  if (running()) NotifyEvicted(*allocation);
  if (allocation->local) {
    Discard(*allocation);
    Evict(*allocation);
  }
  DropAsleep(*allocation);
  for (auto it = opened_.begin(); it != opened_.end();) it = it->second == allocation ? opened_.erase(it) : ++it;
  allocations_.erase(
      std::find_if(allocations_.begin(), allocations_.end(),
                   [allocation](const auto& held) { return held.get() == allocation; }));
}

D3DKMT_HANDLE VidMm::Open(Allocation& allocation) {
  opened_[next_handle_ += 0x40] = &allocation;
  return next_handle_;
}

VidMm::Allocation* VidMm::Opened(D3DKMT_HANDLE handle) const {
  const auto found = opened_.find(handle);
  return found == opened_.end() ? nullptr : found->second;
}

VidMm::Allocation* VidMm::AdoptAllocation(const std::string& name, uint64_t bytes, HANDLE driver_handle) {
  allocations_.push_back(std::make_unique<Allocation>());
  Allocation& allocation = *allocations_.back();
  allocation.vidmm = this;
  allocation.name = name;
  allocation.bytes = PagesOf(bytes) * kPage;
  allocation.handle = driver_handle;
  allocation.homes.places.push_back({gpu_.local_segment().id});
  return &allocation;
}

void VidMm::DestroyDeferred() {
  for (const auto& [handle, ticket] : std::exchange(deferred_, {}))
    adapter().driver_objects().DestroyAllocation(handle, ticket);
}

bool VidMm::TryMakeResident(Allocation& allocation) {
  if (allocation.local) return true;
  Segment& segment = gpu_.local_segment();
  const uint64_t pages = PagesOf(allocation.bytes);
  for (const Homes::Place& place : allocation.homes.places) {
    if (place.segment != segment.id) continue;  // entries name one memory segment
    if (allocation.contiguous == 0) {
      allocation.local = SegmentPages::Allocate(segment, pages, random_, allocation.name);
    } else {
      allocation.local = SegmentPages::AllocateContiguous(
          segment, pages, allocation.contiguous, allocation.name,
          place.from_end ? RangeAllocator::Place::kHighest : RangeAllocator::Place::kBySeed);
    }
    if (allocation.local) return true;
  }
  return false;
}

void VidMm::MakeResident(Allocation& allocation) {
  if (TryMakeResident(allocation)) return;
  if (allocation.homes.memory == 0)
    throw OsError(allocation.name + " has no place in VRAM: its driver names no memory segment");
  throw OsError("no room in VRAM for " + std::to_string(allocation.bytes) + " bytes of " + allocation.name + "; " +
                std::to_string(gpu_.local_segment().space->free_bytes()) + " are free");
}

void VidMm::Evict(Allocation& allocation) {
  if (!allocation.local) return;
  allocation.local->Release(kernel_);
  allocation.local.reset();
}

void VidMm::Signal(uint64_t va, uint64_t value) {
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_SIGNAL_MONITORED_FENCE;
  operation.SignalMonitoredFence.MonitoredFenceGpuVa = va;
  operation.SignalMonitoredFence.MonitoredFenceValue = value;
  active_->Add(operation);
  active_->Drain();
}

void VidMm::Finish() {
  Signal(fence_va_, ++fence_value_);
  ReleaseHeld();
  DestroyDeferred();
  kernel_.WaitOrFault(
      [this] {
        uint64_t value = 0;
        std::memcpy(&value, fence_cpu_, sizeof value);
        fence_seen_ = ExtendFence(fence_seen_, value, gpu_.caps().narrow_fences);
        return fence_seen_ >= fence_value_;
      },
      VidSch::kBoundNs, "monitored fence value " + std::to_string(fence_value_), 1000);
}

}  // namespace gmmu::os
