// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/va_calls.h"

#include <algorithm>

#include "os/dxgkrnl/logical_adapter.h"
#include "os/base/page_math.h"
#include "os/miniport/adapter_answers.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/allocations.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/monitored_fence.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/vidmm.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {
namespace {

constexpr uint64_t kBlock = 64 << 10;

/// Returns whether an application may request the protection.
bool Legal(const D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE& type) {
  return !type.SystemUseOnly && !type.Reserved && !(type.Zero && type.NoAccess);
}

Protection Of(const D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE& type, uint64_t driver) {
  Protection protection;
  protection.type = type;
  protection.driver = driver;
  return protection;
}

bool WholePages(uint64_t base, uint64_t bytes) { return bytes != 0 && base % kPage == 0 && bytes % kPage == 0; }

}  // namespace

D3DKMT_HANDLE VaCalls::Open(Allocation& allocation) { return allocation.vidmm->allocations().Open(allocation); }

Allocation* VaCalls::Find(D3DKMT_HANDLE handle) const {
  for (VidMm* vidmm : vidmm_.link())
    if (Allocation* const found = vidmm->allocations().Opened(handle)) return found;
  return nullptr;
}

std::map<uint64_t, VaCalls::Range>& VaCalls::RangesOf(const GpuProcess& process) {
  return ranges_[process.First().serial];
}

const VaCalls::Range* VaCalls::RangeOf(const GpuProcess& process, uint64_t base, uint64_t bytes) const {
  const auto all = ranges_.find(process.First().serial);
  if (all == ranges_.end()) return nullptr;
  auto next = all->second.upper_bound(base);
  if (next == all->second.begin()) return nullptr;
  const Range& range = std::prev(next)->second;
  return base - range.base < range.bytes && bytes <= range.bytes - (base - range.base) ? &range : nullptr;
}

bool VaCalls::Touches(const GpuProcess& process, uint64_t base, uint64_t bytes) const {
  const auto all = ranges_.find(process.First().serial);
  if (all == ranges_.end()) return false;
  return std::any_of(all->second.begin(), all->second.end(), [&](const auto& held) {
    return base < held.second.base + held.second.bytes && held.second.base < base + bytes;
  });
}

// Implements D3DGPU_UNIQUE_DRIVER_PROTECTION: if any mapping of a page has this flag, all mappings
// of the page must have the same driver protection.
bool VaCalls::Clashes(const std::vector<Mapping>& mappings, uint64_t first, uint64_t pages, uint64_t protection) {
  return std::any_of(mappings.begin(), mappings.end(), [&](const auto& mapping) {
    if (mapping.first_page >= first + pages || first >= mapping.first_page + mapping.shown()) return false;
    return ((mapping.protection.driver | protection) & D3DGPU_UNIQUE_DRIVER_PROTECTION) != 0 &&
           mapping.protection.driver != protection;
  });
}

void VaCalls::Put(GpuProcess& process, uint64_t va, Allocation* allocation, uint64_t first, uint64_t pages,
                  const Protection& protection) {
  if (protection.type.Zero) return process.vidmm->mappings().MapZero(process, va, pages);
  if (protection.type.NoAccess) return process.vidmm->Unmap(process, va, pages);
  process.vidmm->Map(process, va, *allocation, first, pages, protection);
}

NTSTATUS VaCalls::Map(GpuProcess& process, D3DDDI_MAPGPUVIRTUALADDRESS& args) {
  args.VirtualAddress = args.PagingFenceValue = 0;
  const bool no_memory = args.Protection.Zero || args.Protection.NoAccess;
  Allocation* allocation = Find(args.hAllocation);
  const uint64_t bytes = args.SizeInPages * kPage, base = args.BaseAddress;
  if (!Legal(args.Protection) || args.SizeInPages == 0 || base % kPage != 0 ||
      args.SizeInPages > (UINT64_MAX - base) / kPage) {
    return STATUS_INVALID_PARAMETER;
  }
  if (args.Protection.Zero && !vidmm_.adapter().answers().mmu.ZeroInPteSupported) return STATUS_INVALID_PARAMETER;
  if (allocation == nullptr ? !no_memory || args.hAllocation != 0
                            : args.OffsetInPages >= allocation->bytes / kPage ||
                                  args.SizeInPages > allocation->bytes / kPage - args.OffsetInPages) {
    return STATUS_INVALID_PARAMETER;
  }
  const uint64_t offset = args.OffsetInPages * kPage;
  if (allocation != nullptr && !no_memory && base != 0 && !allocation->MayShow(base, offset))
    return STATUS_INVALID_PARAMETER;
  if (allocation != nullptr && !no_memory &&
      Clashes(allocation->mappings, args.OffsetInPages, args.SizeInPages, args.DriverProtection)) {
    return STATUS_INVALID_PARAMETER;
  }
  uint64_t va = base;
  if (base == 0 || RangeOf(process, base, bytes) == nullptr) {
    Range range;
    const auto* driver = base == 0 ? nullptr : process.DriverRangeOf(base, bytes);
    if (driver != nullptr && !driver->second.user) return STATUS_INVALID_PARAMETER;
    range.anywhere = driver != nullptr;
    if (driver != nullptr) {
      const bool inside = base >= driver->first && bytes <= driver->second.bytes - (base - driver->first);
      if (!inside || Touches(process, base, bytes)) return STATUS_NO_MEMORY;
    } else {
      const uint64_t large = allocation != nullptr && !no_memory ? Mappings::LargePageBytes(*allocation) : 0;
      const uint64_t alignment = large != 0 && bytes >= large && offset % large == 0 ? large : kBlock;
      const uint64_t behind = allocation == nullptr || no_memory ? 0 : offset % allocation->homes.page_bytes;
      const auto place = process.ReserveVaWithin(bytes, base, args.MinimumAddress, args.MaximumAddress, alignment,
                                                 behind);
      if (!place) return STATUS_NO_MEMORY;
      va = *place;
    }
    range.base = va;
    range.bytes = bytes;
    RangesOf(process)[va] = range;
  }
  Put(process, va, allocation, args.OffsetInPages, args.SizeInPages, Of(args.Protection, args.DriverProtection));
  args.VirtualAddress = va;
  return STATUS_SUCCESS;
}

// A NO_COMMIT reservation creates no page tables; they are created when an allocation is mapped in
// the range.
NTSTATUS VaCalls::Reserve(GpuProcess& process, D3DDDI_RESERVEGPUVIRTUALADDRESS& args) {
  args.VirtualAddress = args.PagingFenceValue = 0;
  const bool zero = args.ReservationType == D3DDDIGPUVIRTUALADDRESS_RESERVE_ZERO;
  if (args.Size == 0 || args.Size % kBlock != 0 || args.BaseAddress % kBlock != 0 ||
      args.MinimumAddress % kBlock != 0 || args.ReservationType > D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_COMMIT ||
      (zero && !vidmm_.adapter().answers().mmu.ZeroInPteSupported)) {
    return STATUS_INVALID_PARAMETER;
  }
  const auto va = process.ReserveVaWithin(args.Size, args.BaseAddress, args.MinimumAddress, args.MaximumAddress);
  if (!va) return STATUS_NO_MEMORY;
  Range range;
  range.base = *va;
  range.bytes = args.Size;
  range.reserved = true;
  range.driver_protection = args.DriverProtection;
  RangesOf(process)[*va] = range;
  for (GpuProcess* part : process.Parts()) {
    if (zero) part->vidmm->mappings().MapZero(*part, *va, args.Size / kPage);
    if (args.ReservationType == D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_ACCESS)
      part->vidmm->Unmap(*part, *va, args.Size / kPage);
  }
  args.VirtualAddress = *va;
  return STATUS_SUCCESS;
}

NTSTATUS VaCalls::Free(GpuProcess& process, uint64_t base, uint64_t bytes) {
  const Range* range = RangeOf(process, base, bytes);
  if (range == nullptr || range->base != base || range->bytes != bytes) return STATUS_INVALID_PARAMETER;
  for (GpuProcess* part : process.Parts()) part->vidmm->mappings().UnmapAndFreeTables(*part, base, bytes / kPage);
  GpuProcess& first = *process.Parts().front();
  if (!range->anywhere) first.vidmm->FreeVa(first, base);
  RangesOf(process).erase(base);
  return STATUS_SUCCESS;
}

NTSTATUS VaCalls::Check(const GpuProcess& process, const D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION& operation,
                        const Plan& plan, const Range** target, const Range** source) const {
  const auto in_one = [&](uint64_t base, uint64_t bytes, const Range** one) {
    if (!WholePages(base, bytes)) return false;
    const Range* range = RangeOf(process, base, bytes);
    if (range == nullptr || !range->reserved || (*one != nullptr && *one != range)) return false;
    *one = range;
    return true;
  };
  const auto memory = [&](const auto& map) {
    const Allocation* allocation = Find(map.hAllocation);
    return allocation != nullptr && WholePages(map.AllocationOffsetInBytes, map.AllocationSizeInBytes) &&
           map.AllocationSizeInBytes <= map.SizeInBytes && map.SizeInBytes % map.AllocationSizeInBytes == 0 &&
           map.AllocationOffsetInBytes <= allocation->bytes &&
           map.AllocationSizeInBytes <= allocation->bytes - map.AllocationOffsetInBytes &&
           allocation->MayShow(map.BaseAddress, map.AllocationOffsetInBytes) &&
           (map.SizeInBytes == map.AllocationSizeInBytes || allocation->MayShow(map.AllocationSizeInBytes, 0));
  };
  const auto clashes = [&](const auto& map, uint64_t protection) {
    return Clashes(plan.at(Find(map.hAllocation)), map.AllocationOffsetInBytes / kPage,
                   map.AllocationSizeInBytes / kPage, protection);
  };
  bool legal = false;
  switch (operation.OperationType) {
    case D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP: {
      const auto& map = operation.Map;
      legal = in_one(map.BaseAddress, map.SizeInBytes, target) && memory(map) &&
              !clashes(map, (*target)->driver_protection);
      break;
    }
    case D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP_PROTECT: {
      const auto& map = operation.MapProtect;
      legal = in_one(map.BaseAddress, map.SizeInBytes, target) && memory(map) && Legal(map.Protection) &&
              !map.Protection.Zero && !map.Protection.NoAccess && !clashes(map, map.DriverProtection);
      break;
    }
    case D3DDDI_UPDATEGPUVIRTUALADDRESS_UNMAP: {
      const auto& unmap = operation.Unmap;
      legal = in_one(unmap.BaseAddress, unmap.SizeInBytes, target) && Legal(unmap.Protection) &&
              (unmap.Protection.Zero || unmap.Protection.NoAccess) && !unmap.Protection.Write &&
              !unmap.Protection.Execute;
      break;
    }
    case D3DDDI_UPDATEGPUVIRTUALADDRESS_COPY: {
      const auto& copy = operation.Copy;
      legal = in_one(copy.DestAddress, copy.SizeInBytes, target) &&
              in_one(copy.SourceAddress, copy.SizeInBytes, source);
      if (!legal) break;
      for (const auto& [allocation, mappings] : plan)
        for (const auto& mapping : Within(mappings, process, copy.SourceAddress, copy.SizeInBytes))
          legal = legal && !Clashes(mappings, mapping.first_page, mapping.shown(), (*target)->driver_protection) &&
                  allocation->MayShow(copy.DestAddress, copy.SourceAddress);
      break;
    }
  }
  return legal ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

// Applies the operation to `plan`, as Do will later apply it to the mappings.
void VaCalls::Note(GpuProcess& process, const D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION& operation, uint64_t inherited,
                   Plan& plan) const {
  const auto forget = [&](uint64_t base, uint64_t bytes) {
    for (auto& [allocation, mappings] : plan) mappings = Without(mappings, process, base, bytes / kPage);
  };
  const auto map = [&](const auto& args, uint64_t protection) {
    forget(args.BaseAddress, args.SizeInBytes);
    for (uint64_t done = 0; done < args.SizeInBytes; done += args.AllocationSizeInBytes) {
      plan.at(Find(args.hAllocation))
          .push_back({&process, args.BaseAddress + done, args.AllocationOffsetInBytes / kPage,
                      args.AllocationSizeInBytes / kPage, Of({}, protection)});
    }
  };
  switch (operation.OperationType) {
    case D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP: return map(operation.Map, inherited);
    case D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP_PROTECT:
      return map(operation.MapProtect, operation.MapProtect.DriverProtection);
    case D3DDDI_UPDATEGPUVIRTUALADDRESS_UNMAP: return forget(operation.Unmap.BaseAddress, operation.Unmap.SizeInBytes);
    case D3DDDI_UPDATEGPUVIRTUALADDRESS_COPY: break;
  }
  const auto& copy = operation.Copy;
  Plan copies;
  for (const auto& [allocation, mappings] : plan)
    copies[allocation] = Within(mappings, process, copy.SourceAddress, copy.SizeInBytes);
  forget(copy.DestAddress, copy.SizeInBytes);
  for (const auto& [allocation, mappings] : copies) {
    for (Mapping mapping : mappings) {
      mapping.va = copy.DestAddress + (mapping.va - copy.SourceAddress);
      mapping.protection.driver = inherited;
      plan.at(allocation).push_back(mapping);
    }
  }
}

void VaCalls::Do(GpuProcess& process, const D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION& operation, uint64_t inherited) {
  const auto map = [&](const auto& args, const Protection& protection) {
    for (uint64_t done = 0; done < args.SizeInBytes; done += args.AllocationSizeInBytes) {
      Put(process, args.BaseAddress + done, Find(args.hAllocation), args.AllocationOffsetInBytes / kPage,
          args.AllocationSizeInBytes / kPage, protection);
    }
  };
  switch (operation.OperationType) {
    case D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP: return map(operation.Map, Of(Protection::All().type, inherited));
    case D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP_PROTECT:
      return map(operation.MapProtect, Of(operation.MapProtect.Protection, operation.MapProtect.DriverProtection));
    case D3DDDI_UPDATEGPUVIRTUALADDRESS_UNMAP:
      return Put(process, operation.Unmap.BaseAddress, nullptr, 0, operation.Unmap.SizeInBytes / kPage,
                 Of(operation.Unmap.Protection, 0));
    case D3DDDI_UPDATEGPUVIRTUALADDRESS_COPY:
      return process.vidmm->mappings().Copy(process, operation.Copy.SourceAddress, operation.Copy.DestAddress,
                                            operation.Copy.SizeInBytes, inherited);
  }
}

NTSTATUS VaCalls::Update(GpuProcess& process, const std::vector<D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION>& operations,
                         MonitoredFence& fence, uint64_t value) {
  const Range* target = nullptr;
  const Range* source = nullptr;
  Plan plan;
  for (VidMm* vidmm : vidmm_.link())
    for (Allocation* allocation : vidmm->allocations().all()) plan[allocation] = allocation->mappings;
  for (const auto& operation : operations) {
    const NTSTATUS status = Check(process, operation, plan, &target, &source);
    if (!NT_SUCCESS(status)) return status;
    Note(process, operation, target->driver_protection, plan);
  }
  const uint64_t inherited = target == nullptr ? 0 : target->driver_protection;
  fence.Wait(value, VidSch::kBoundNs);  // the CPU waits, not the GPU
  PagingWork& work = process.vidmm->work();
  work.OnCompanion(process, [&] {
    for (const auto& operation : operations) Do(process, operation, inherited);
    work.Signal(fence.va(), value + 1, fence.memory());
  });
  return STATUS_SUCCESS;
}

void VaCalls::Forget(GpuProcess& process) {
  const auto all = ranges_.find(process.First().serial);
  if (all == ranges_.end()) return;
  const std::map<uint64_t, Range> left = all->second;
  for (const auto& [base, range] : left) Free(process, base, range.bytes);
  ranges_.erase(process.First().serial);
}

}  // namespace gmmu::os
