// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/context_allocations.h"

#include <algorithm>
#include <utility>

#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "os/base/page_math.h"
#include "os/miniport/adapter_answers.h"
#include "os/miniport/mdl.h"
#include "os/tables/address_space.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/allocations.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/page_entries.h"
#include "os/vidmm/physical_transfers.h"
#include "os/vidmm/placement.h"
#include "os/vidmm/processes.h"
#include "os/vidmm/residency.h"
#include "os/vidmm/scratch_windows.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {
NTSTATUS ContextAllocations::CreateContextAllocation(DXGKARGCB_CREATECONTEXTALLOCATION& args) {
  args.hAllocation = nullptr;
  const bool shared = args.ContextAllocationFlags.SharedAcrossContexts;
  const HANDLE owner = shared ? args.hDevice : args.hContext;
  const auto owns = [&](const GpuProcess& each) {
    return owner != nullptr && owner == (shared ? each.handles.dxgk_device : each.handles.dxgk_context);
  };
  for (VidMm* gpu : vidmm_.link()) {
    if (args.PhysicalAdapterIndex != gpu->gpu().index()) continue;
    if (GpuProcess* process = gpu->processes().Find(owns)) return gpu->context_allocations().Create(args, *process);
  }
  return STATUS_INVALID_PARAMETER;
}

NTSTATUS ContextAllocations::Create(DXGKARGCB_CREATECONTEXTALLOCATION& args, GpuProcess& process) {
  const AdapterAnswers& answers = vidmm_.gpu().answers();
  const UINT memory = args.SupportedSegmentSet & answers.SegmentSet(false);
  const UINT system = args.SupportedSegmentSet & (answers.SegmentSet(true) | answers.system_set());
  if (args.Size == 0 || (args.Alignment != 0 && !PowerOfTwo(args.Alignment)) || (memory | system) == 0 ||
      (args.EvictionSegmentSet & ~answers.SegmentSet(true)) != 0) {
    return STATUS_INVALID_PARAMETER;
  }
  // For INIT_CONTEXT_RESOURCE, a single scratch window must map the whole allocation.
  if (args.Size > vidmm_.windows().bytes()) return STATUS_NO_MEMORY;
  Allocation* allocation = vidmm_.allocations().Adopt("context allocation of " + process.name, args.Size,
                                                      args.hDriverAllocation,
                                                      memory != 0 ? vidmm_.gpu().local_segment().id : 0);
  allocation->contiguous = std::max<uint64_t>(args.Alignment, kPage);
  if (memory == 0) {
    vidmm_.residency().Return(*allocation);
  } else if (!vidmm_.placement().TryMakeResident(*allocation)) {
    vidmm_.allocations().Drop(allocation);
    return STATUS_NO_MEMORY;
  }
  Made made{&process, allocation, args.ContextAllocationFlags.MapGpuVirtualAddress != 0, std::nullopt,
            vidmm_.adapter().kernel().ledger().Open("allocation", allocation->name, "driver",
                                                    "DxgkCbCreateContextAllocation")};
  try {
    Init(made);
  } catch (const Exhausted&) {
    vidmm_.allocations().Drop(allocation);
    vidmm_.adapter().kernel().ledger().Close(made.ticket);
    return STATUS_NO_MEMORY;
  }
  args.hAllocation = allocation;
  made_.push_back(made);
  return STATUS_SUCCESS;
}

ContextAllocations* ContextAllocations::HolderOf(HANDLE allocation) {
  for (VidMm* gpu : vidmm_.link())
    if (gpu->context_allocations().Find(allocation) != nullptr) return &gpu->context_allocations();
  return nullptr;
}

ContextAllocations::Made* ContextAllocations::Find(HANDLE allocation) {
  const auto found = std::find_if(made_.begin(), made_.end(),
                                  [&](const Made& made) { return made.allocation == allocation; });
  return found == made_.end() ? nullptr : &*found;
}

void ContextAllocations::Init(Made& made) {
  Allocation& allocation = *made.allocation;
  Mdl mdl;  // used if the allocation is in system memory
  if (!allocation.local) mdl = Mdl(NumbersOf(*allocation.backing, allocation.bytes));
  vidmm_.windows().InWindow(allocation, allocation.bytes, [&](uint64_t va) {
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_INIT_CONTEXT_RESOURCE;
    operation.InitContextResource.hAllocation = allocation.handle;
    auto& destination = operation.InitContextResource.Destination;
    destination.SegmentId = allocation.segment();
    if (allocation.local) destination.SegmentAddress.QuadPart = SegmentAddress(allocation, 0);
    else destination.pMdl = mdl.get();
    destination.GpuVirtualAddress = va;
    return operation;
  });
}

NTSTATUS ContextAllocations::DestroyContextAllocation(HANDLE allocation) {
  ContextAllocations* const holder = HolderOf(allocation);
  if (holder == nullptr) throw BugCheck("DxgkCbDestroyContextAllocation of an allocation that does not exist");
  holder->Destroy(*holder->Find(allocation));
  return STATUS_SUCCESS;
}

void ContextAllocations::Leave(const GpuProcess& process) {
  for (Made& made : made_) {
    if (made.process != &process) continue;
    if (made.va) {
      vidmm_.Unmap(*made.process, *made.va, made.allocation->bytes / kPage);
      made.process->FreeVa(*std::exchange(made.va, std::nullopt));
    }
    made.process = nullptr;
  }
}

void ContextAllocations::Destroy(const Made made) {
  if (made.va) {
    vidmm_.Unmap(*made.process, *made.va, made.allocation->bytes / kPage);
    made.process->FreeVa(*made.va);
  }
  vidmm_.allocations().Drop(made.allocation);
  made_.erase(
      std::find_if(made_.begin(), made_.end(), [&](const Made& each) { return each.allocation == made.allocation; }));
  if (!vidmm_.adapter().kernel().LeakNow("allocation")) vidmm_.adapter().kernel().ledger().Close(made.ticket);
}

D3DGPU_VIRTUAL_ADDRESS ContextAllocations::MapContextAllocation(const DXGKARGCB_MAPCONTEXTALLOCATION& args) {
  ContextAllocations* const holder = HolderOf(args.hAllocation);
  return holder == nullptr ? 0 : holder->Map(*holder->Find(args.hAllocation), args);
}

D3DGPU_VIRTUAL_ADDRESS ContextAllocations::Map(Made& made, const DXGKARGCB_MAPCONTEXTALLOCATION& args) {
  const uint64_t pages = made.allocation->bytes / kPage;
  if (!made.may_map || made.va || args.BaseAddress % kPage != 0 || args.SizeInPages == 0 ||
      args.OffsetInPages >= pages || args.SizeInPages > pages - args.OffsetInPages) {
    return 0;
  }
  const uint64_t offset = args.OffsetInPages * kPage;
  if (args.BaseAddress != 0 && !made.allocation->MayShow(args.BaseAddress, offset)) return 0;
  Protection protection;
  protection.type = args.Protection;
  protection.driver = args.DriverProtection;
  const auto va = made.process->ReserveVaWithin(args.SizeInPages * kPage, args.BaseAddress, args.MinimumAddress,
                                                args.MaximumAddress, kBytesOf64k,
                                                offset % made.allocation->homes.page_bytes);
  if (!va) return 0;
  try {
    vidmm_.Map(*made.process, *va, *made.allocation, args.OffsetInPages, args.SizeInPages, protection);
  } catch (const Exhausted&) {  // no room for the page tables
    made.process->FreeVa(*va);
    return 0;
  }
  made.va = va;
  return *va;
}

NTSTATUS ContextAllocations::UpdateContextAllocation(const DXGKARGCB_UPDATECONTEXTALLOCATION& args) {
  ContextAllocations* const holder = HolderOf(args.hAllocation);
  if (holder == nullptr || args.pPrivateDriverData == nullptr || args.PrivateDriverDataSize == 0)
    return STATUS_INVALID_PARAMETER;
  return holder->Update(*holder->Find(args.hAllocation), args);
}

NTSTATUS ContextAllocations::Update(const Made& made, const DXGKARGCB_UPDATECONTEXTALLOCATION& args) {
  Allocation& allocation = *made.allocation;
  try {
    MakeResident(*made.process);
    vidmm_.windows().InWindow(allocation, allocation.bytes, [&](uint64_t va) {
      DXGKARG_BUILDPAGINGBUFFER operation{};
      operation.Operation = DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION;
      operation.UpdateContextAllocation = {va, allocation.bytes, args.pPrivateDriverData, args.PrivateDriverDataSize};
      return operation;
    });
  } catch (const Exhausted&) {
    return STATUS_NO_MEMORY;
  }
  return STATUS_SUCCESS;
}

// Size, alignment and base must be multiples of the range that one leaf table covers. The addresses
// that the first root entry covers cannot be reserved.
NTSTATUS ContextAllocations::ReserveVaRange(DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE& args) {
  GpuProcess* process = vidmm_.processes().InCreation(args.hDxgkProcess);
  if (process == nullptr) throw BugCheck("DxgkCbReserveGpuVirtualAddressRange outside of DxgkDdiCreateProcess");
  const Geometry& geometry = vidmm_.adapter().caps().geometry;
  const uint64_t unit = geometry.Coverage(0);
  args.StartVirtualAddress = 0;
  // The first address after those that the first root entry covers.
  const uint64_t first = uint64_t{1} << geometry.Shift(geometry.count() - 1);
  if (args.SizeInBytes == 0 || args.SizeInBytes % unit != 0 || args.BaseAddress % unit != 0 ||
      (args.BaseAddress != 0 && args.BaseAddress < first) || (args.Alignment != 0 && !PowerOfTwo(args.Alignment))) {
    return STATUS_INVALID_PARAMETER;
  }
  RangeAllocator& space = process->space->va();
  const uint64_t alignment = std::max<uint64_t>(args.Alignment, unit);
  const char* const call = "DxgkCbReserveGpuVirtualAddressRange";
  if (args.BaseAddress != 0) {
    if (args.BaseAddress % alignment != 0) return STATUS_INVALID_PARAMETER;
    if (!space.AllocateAt(args.BaseAddress, args.SizeInBytes, call)) return STATUS_NO_MEMORY;
    args.StartVirtualAddress = args.BaseAddress;
  } else {
    const auto start = space.AllocateWithin(first, ~uint64_t{0}, args.SizeInBytes, alignment, call);
    if (!start) return STATUS_NO_MEMORY;
    args.StartVirtualAddress = *start;
  }
  process->driver_ranges[args.StartVirtualAddress] = {args.SizeInBytes, args.AllowUserModeMapping != 0};
  return STATUS_SUCCESS;
}

void ContextAllocations::MakeResident(GpuProcess& process) {
  for (const Made& made : made_)
    if (made.process == &process) vidmm_.residency().MakeResident({made.allocation});
}

void ContextAllocations::Evict(GpuProcess& process) {
  for (const Made& made : made_)
    if (made.process == &process) vidmm_.residency().Evict(*made.allocation);
}

Allocation* ContextAllocations::Of(const GpuProcess& process) {
  for (const Made& made : made_)
    if (made.process == &process) return made.allocation;
  return nullptr;
}

}  // namespace gmmu::os
