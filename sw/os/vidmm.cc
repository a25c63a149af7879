// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm.h"

#include <algorithm>
#include <cstring>

#include "os/bug_check.h"
#include "os/text.h"

namespace gmmu::os {
namespace {
constexpr uint64_t kPage = hw::kPageSize;
constexpr uint64_t kWindowPages = 256;  // 1 MiB each way
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
  if (immediate) {
    if (update.table_cpu == nullptr)
      throw BugCheck("a page table of the paging process is not reachable by the CPU");
    args.UpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
    args.PageTableAddress.CpuVirtual = update.table_cpu;
    queue_.Immediate(operation);
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

void VidMm::StartProcess(Process& process, bool system, uint64_t va_end) {
  process.handles = adapter_.CreateProcess(process.name, system);
  process.space = std::make_unique<AddressSpace>(adapter_, process.name, system, va_end);
}

void VidMm::Start() {
  if (adapter_.caps().update_mode == DXGK_PAGETABLEUPDATE_GPU_VIRTUAL) {
    throw OsError(
        "the driver asks for page table updates by GPU virtual address, which this VidMm does not "
        "do");
  }
  const uint64_t va_end = uint64_t{1} << adapter_.caps().geometry.va_bits;
  paging_.name = "paging process";
  StartProcess(paging_, true, std::min(kPagingVa, va_end));
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
  Finish();
}

// Every table that the windows and the fence page need is made now; later only leaf entries change.
void VidMm::MakePagingTables() {
  const auto sink = SinkFor(paging_);
  paging_.space->CreateRoot(sink);
  for (Window& window : windows_) {
    paging_.space->Invalidate(window.source, kWindowPages, sink);
    paging_.space->Invalidate(window.target, kWindowPages, sink);
    window.packet = 0;
  }
  paging_.space->SetEntries(fence_va_, 1, {SystemEntry(fence_page_.page(0))}, nullptr, 0, sink);
  adapter_.SetRootPageTable(paging_.handles.context, paging_.space->root(),
                            paging_.space->root_entries());
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

VidMm::Process* VidMm::CreateProcess(const std::string& name) {
  auto process = std::make_unique<Process>();
  process->name = name;
  StartProcess(*process, false, uint64_t{1} << adapter_.caps().geometry.va_bits);
  process->space->CreateRoot(SinkFor(*process));
  Finish();  // the root must be complete before the hardware is told of it
  adapter_.SetRootPageTable(process->handles.context, process->space->root(),
                            process->space->root_entries());
  processes_.push_back(std::move(process));
  return processes_.back().get();
}

void VidMm::DestroyProcess(Process* process) {
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
  auto allocation = std::make_unique<Allocation>();
  allocation->name = name;
  allocation->bytes = PagesOf(bytes) * kPage;
  allocation->handle = adapter_.CreateAllocation(allocation->bytes, name, allocation->ticket);
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
  if (!allocation.local)
    allocation.local = SegmentPages::Allocate(adapter_.local_segment(), PagesOf(allocation.bytes), random_, allocation.name);
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

void VidMm::EnsureTables(Allocation& allocation) {
  for (const Allocation::Mapping& mapping : allocation.mappings)
    mapping.process->space->EnsureTables(mapping.va, mapping.pages, SinkFor(*mapping.process));
}

void VidMm::InvalidateMappings(Allocation& allocation) {
  for (const Allocation::Mapping& mapping : allocation.mappings) {
    Process& process = *mapping.process;
    process.space->Invalidate(mapping.va, mapping.pages, SinkFor(process));
    queue_.FlushTlb(process.handles.process, process.space->root(), mapping.va, mapping.va + mapping.pages * kPage);
  }
  Finish();
}

// From invalid to valid: no flush when the hardware says that it does not cache invalid entries
// (DXGK_GPUMMUCAPS.InvalidTlbEntriesNotCached).
void VidMm::RestoreMappings(Allocation& allocation) {
  for (const Allocation::Mapping& mapping : allocation.mappings) {
    Process& process = *mapping.process;
    SetLocal(process, mapping.va, allocation, mapping.first_page, mapping.pages);
    if (adapter_.caps().invalid_not_cached) continue;
    queue_.FlushTlb(process.handles.process, process.space->root(), mapping.va, mapping.va + mapping.pages * kPage);
  }
  Finish();
}

VidMm::Window& VidMm::NextWindow() {
  Window& window = windows_[next_window_];
  next_window_ = (next_window_ + 1) % windows_.size();
  queue_.WaitFor(window.packet);
  window.packet = 0;
  return window;
}

void VidMm::FlushPaging(uint64_t va, uint64_t pages) {
  queue_.FlushTlb(paging_.handles.process, paging_.space->root(), va, va + pages * kPage);
}

void VidMm::SetWindow(uint64_t va, const std::vector<DXGK_PTE>& entries,
                      const Allocation& allocation, uint64_t offset) {
  paging_.space->SetEntries(va, entries.size(), entries, allocation.handle, offset,
                            SinkFor(paging_));
  FlushPaging(va, entries.size());
}

void VidMm::Transfer(Allocation& allocation, SystemBuffer& buffer, uint64_t bytes, bool in,
                     const Progress& progress) {
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t size = std::min(bytes - done, kWindowPages * kPage);
    Window& window = NextWindow();
    std::vector<DXGK_PTE> system, local;
    for (uint64_t page = done / kPage; page < done / kPage + PagesOf(size); ++page) {
      system.push_back(SystemEntry(buffer.page(page)));
      local.push_back(LocalEntry(allocation.local->page(page)));
    }
    SetWindow(window.source, in ? system : local, allocation, done);
    SetWindow(window.target, in ? local : system, allocation, done);
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_VIRTUAL_TRANSFER;
    operation.TransferVirtual.hAllocation = allocation.handle;
    operation.TransferVirtual.AllocationOffsetInBytes = done;
    operation.TransferVirtual.TransferSizeInBytes = size;
    operation.TransferVirtual.SourceVirtualAddress = window.source;
    operation.TransferVirtual.DestinationVirtualAddress = window.target;
    operation.TransferVirtual.TransferDirection =
        in ? DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL : DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM;
    queue_.Add(operation);
    window.packet = queue_.Submit();
    done += size;
    if (progress) progress(done);
  }
  Finish();
}

void VidMm::PageIn(Allocation& allocation, SystemBuffer& source, uint64_t bytes,
                   const Progress& progress) {
  Transfer(allocation, source, bytes, true, progress);
}

void VidMm::PageOut(Allocation& allocation, SystemBuffer& target, uint64_t bytes,
                    const Progress& progress) {
  Transfer(allocation, target, bytes, false, progress);
}

void VidMm::Fill(Allocation& allocation, uint64_t offset, uint64_t bytes, uint32_t pattern) {
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t size = std::min(bytes - done, kWindowPages * kPage);
    Window& window = NextWindow();
    std::vector<DXGK_PTE> local;
    const uint64_t first = (offset + done) / kPage;
    for (uint64_t page = first; page < first + PagesOf(size); ++page)
      local.push_back(LocalEntry(allocation.local->page(page)));
    SetWindow(window.target, local, allocation, offset + done);
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_VIRTUAL_FILL;
    operation.FillVirtual.hAllocation = allocation.handle;
    operation.FillVirtual.AllocationOffsetInBytes = offset + done;
    operation.FillVirtual.FillSizeInBytes = size;
    operation.FillVirtual.FillPattern = pattern;
    operation.FillVirtual.DestinationVirtualAddress = window.target;
    queue_.Add(operation);
    window.packet = queue_.Submit();
    done += size;
  }
  Finish();
}

void VidMm::CopyFromAperture(uint64_t aperture_offset, Allocation& allocation, uint64_t offset,
                             uint64_t bytes) {
  const Segment& aperture = adapter_.aperture_segment();
  const Segment& local = adapter_.local_segment();
  for (uint64_t done = 0; done < bytes;) {
    // One operation for each run of consecutive VRAM pages.
    const uint64_t first = (offset + done) / kPage;
    uint64_t size = std::min(kPage, bytes - done);
    while (done + size < bytes && allocation.local->page(first + size / kPage) ==
                                      allocation.local->page(first) + size / kPage) {
      size += std::min(kPage, bytes - done - size);
    }
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_TRANSFER;
    auto& args = operation.Transfer;
    args.hAllocation = allocation.handle;
    args.TransferSize = size;
    args.Source.SegmentId = aperture.id;
    args.Source.SegmentAddress.QuadPart =
        static_cast<LONGLONG>(aperture.base + aperture_offset + done);
    args.Destination.SegmentId = local.id;
    args.Destination.SegmentAddress.QuadPart =
        static_cast<LONGLONG>(local.base + allocation.local->page(first) * kPage);
    args.Flags.TransferStart = done == 0;
    args.Flags.TransferEnd = done + size == bytes;
    queue_.Add(operation);
    done += size;
  }
  Finish();
}

void VidMm::SetLocal(Process& process, uint64_t va, Allocation& allocation, uint64_t first_page, uint64_t pages) {
  std::vector<DXGK_PTE> entries;
  for (uint64_t page = first_page; page < first_page + pages; ++page)
    entries.push_back(LocalEntry(allocation.local->page(page)));
  if (kernel_.parameters().inject.wrong_pte && !wrong_pte_done_) {
    wrong_pte_done_ = true;
    entries[pages / 2].PageAddress =
        pages > 1 ? entries[(pages / 2 + 1) % pages].PageAddress : entries[0].PageAddress ^ 1;
  }
  process.space->SetEntries(va, pages, entries, allocation.handle, first_page * kPage, SinkFor(process));
}

// What is left of every mapping outside of the range.
void VidMm::Forget(Process& process, uint64_t va, uint64_t pages) {
  const uint64_t end = va + pages * kPage;
  for (const auto& allocation : allocations_) {
    std::vector<Allocation::Mapping> kept;
    for (const Allocation::Mapping& mapping : allocation->mappings) {
      const uint64_t last = mapping.va + mapping.pages * kPage;
      if (mapping.process != &process || last <= va || mapping.va >= end) {
        kept.push_back(mapping);
        continue;
      }
      if (mapping.va < va)
        kept.push_back({&process, mapping.va, mapping.first_page, (va - mapping.va) / kPage});
      if (last > end)
        kept.push_back({&process, end, mapping.first_page + (end - mapping.va) / kPage, (last - end) / kPage});
    }
    allocation->mappings = std::move(kept);
  }
}

void VidMm::MapLocal(Process& process, uint64_t va, Allocation& allocation, uint64_t first_page, uint64_t pages) {
  SetLocal(process, va, allocation, first_page, pages);
  Forget(process, va, pages);
  allocation.mappings.push_back({&process, va, first_page, pages});
  queue_.FlushTlb(process.handles.process, process.space->root(), va, va + pages * kPage);
  Finish();
}

void VidMm::Map(Process& process, uint64_t va, Allocation& allocation, uint64_t first_page, uint64_t pages) {
  if (allocation.local) return MapLocal(process, va, allocation, first_page, pages);
  Forget(process, va, pages);
  allocation.mappings.push_back({&process, va, first_page, pages});
}

std::vector<VidMm::Allocation*> VidMm::Allocations() const {
  std::vector<Allocation*> all;
  for (const auto& allocation : allocations_) all.push_back(allocation.get());
  return all;
}

void VidMm::MapToAperture(Process& process, uint64_t va, Allocation& allocation,
                          uint64_t aperture_page, uint64_t pages) {
  std::vector<DXGK_PTE> entries(pages);
  for (uint64_t i = 0; i < pages; ++i) {
    entries[i].Valid = 1;
    entries[i].CacheCoherent = adapter_.caps().coherent;
    entries[i].Segment = adapter_.aperture_segment().id;
    entries[i].PageAddress = aperture_page + i;
  }
  process.space->SetEntries(va, pages, entries, allocation.handle, 0, SinkFor(process));
  Forget(process, va, pages);
  queue_.FlushTlb(process.handles.process, process.space->root(), va, va + pages * kPage);
  Finish();
}

void VidMm::MapSystem(Process& process, uint64_t va, const SystemBuffer& buffer) {
  const uint64_t pages = buffer.bytes() / kPage;
  std::vector<DXGK_PTE> entries;
  for (uint64_t page = 0; page < pages; ++page) entries.push_back(SystemEntry(buffer.page(page)));
  process.space->SetEntries(va, pages, entries, nullptr, 0, SinkFor(process));
  Forget(process, va, pages);
  queue_.FlushTlb(process.handles.process, process.space->root(), va, va + pages * kPage);
  Finish();
}

void VidMm::MapOnePage(Process& process, uint64_t va, Allocation& allocation, uint64_t page, uint64_t pages) {
  process.space->SetEntries(va, pages, {LocalEntry(allocation.local->page(page))}, allocation.handle, page * kPage,
                            SinkFor(process));
  Forget(process, va, pages);
  queue_.FlushTlb(process.handles.process, process.space->root(), va, va + pages * kPage);
  Finish();
}

PacketId VidMm::SubmitRender(Process& process, uint64_t va, uint64_t bytes, const std::string& what) {
  GpuPacket packet;
  packet.node = process.handles.node;
  packet.context = process.handles.context;
  packet.address = va;
  packet.bytes = bytes;
  packet.device = process.handles.state;
  packet.what = what + " of " + process.name;
  return adapter_.vidsch().Submit(std::move(packet));
}

void VidMm::Unmap(Process& process, uint64_t va, uint64_t pages) {
  process.space->Invalidate(va, pages, SinkFor(process));
  Forget(process, va, pages);
  queue_.FlushTlb(process.handles.process, process.space->root(), va, va + pages * kPage);
  Finish();
}

uint64_t VidMm::AllocateAperture(uint64_t pages) {
  const auto start =
      adapter_.aperture_segment().space->Allocate(pages * kPage, kPage, "AllocateAperture");
  if (!start) throw OsError("no room in the aperture for " + std::to_string(pages) + " pages");
  return *start / kPage;
}

void VidMm::FreeAperture(uint64_t aperture_page) {
  if (kernel_.LeakNow("aperture_range")) return;
  adapter_.aperture_segment().space->Free(aperture_page * kPage);
}

void VidMm::BindAperture(uint64_t aperture_page, uint64_t pages, Allocation& allocation,
                         const SystemBuffer& buffer, uint64_t adl_offset) {
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT2;
  auto& args = operation.MapApertureSegment2;
  args.hAllocation = allocation.handle;
  args.SegmentId = adapter_.aperture_segment().id;
  args.OffsetInPages = aperture_page;
  args.NumberOfPages = pages;
  args.Adl = buffer.adl();
  args.AdlOffset = static_cast<ULONG>(adl_offset);
  args.Flags.CacheCoherent = adapter_.aperture_segment().cache_coherent;
  queue_.Add(operation);
  Finish();
}

void VidMm::UnbindAperture(uint64_t aperture_page, uint64_t pages, Allocation& allocation) {
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
  auto& args = operation.UnmapApertureSegment;
  args.hAllocation = allocation.handle;
  args.SegmentId = adapter_.aperture_segment().id;
  args.OffsetInPages = aperture_page;
  args.NumberOfPages = pages;
  args.DummyPage.QuadPart = static_cast<LONGLONG>(dummy_.logical());
  queue_.Add(operation);
  Finish();
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
