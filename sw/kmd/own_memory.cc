// SPDX-License-Identifier: Apache-2.0
#include "kmd/own_memory.h"

#include <cstring>

#include "ddi/wdm.h"
#include "kmd/segments.h"

namespace gmmu::kmd {
namespace {

/// The kernel's routines for memory are looked up by name: a driver with isolation must not import them, and this one
/// has isolation from WDDM 2.4 on.
template <typename Routine, size_t kSize>
Routine* SystemRoutine(const char16_t (&name)[kSize]) {
  WCHAR text[kSize];
  std::memcpy(text, name, sizeof text);
  UNICODE_STRING wanted{(kSize - 1) * sizeof(WCHAR), sizeof text, text};
  return reinterpret_cast<Routine*>(MmGetSystemRoutineAddress(&wanted));
}

}  // namespace

MemoryCallbacks MemoryCallbacks::Of(const DXGKRNL_INTERFACE& dxgkrnl) {
  MemoryCallbacks callbacks;
  callbacks.adapter = dxgkrnl.DeviceHandle;
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9
  callbacks.create = dxgkrnl.DxgkCbCreatePhysicalMemoryObject;
  callbacks.destroy = dxgkrnl.DxgkCbDestroyPhysicalMemoryObject;
  callbacks.allocate_adl = dxgkrnl.DxgkCbAllocateAdl;
  callbacks.free_adl = dxgkrnl.DxgkCbFreeAdl;
  callbacks.map = dxgkrnl.DxgkCbMapPhysicalMemory;
  callbacks.unmap = dxgkrnl.DxgkCbUnmapPhysicalMemory;
#endif
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4
  callbacks.allocate_contiguous = dxgkrnl.DxgkCbAllocateContiguousMemory;
  callbacks.free_contiguous = dxgkrnl.DxgkCbFreeContiguousMemory;
#endif
  return callbacks;
}

// Any page will do: the system starts an adapter only if the device can reach all of memory, by itself or by remapping.
NTSTATUS OwnMemory::Create(const MemoryCallbacks& callbacks, ULONG_PTR cookie) {
  callbacks_ = callbacks;
  NTSTATUS status = STATUS_SUCCESS;
  if (callbacks.create != nullptr) status = CreateObject(cookie);
  else if (callbacks.allocate_contiguous != nullptr) status = CreateContiguous();
  else status = CreateByKernel();
  if (NT_SUCCESS(status)) Clear();
  return status;
}

NTSTATUS OwnMemory::CreateContiguous() {
  DXGKARGCB_ALLOCATECONTIGUOUSMEMORY args{};
  args.NumberOfBytes = kPage;
  args.HighestAcceptableAddress.QuadPart = INT64_MAX;
  args.CacheType = DXGK_MEMORY_CACHING_TYPE_CACHED;
  const NTSTATUS status = callbacks_.allocate_contiguous(callbacks_.adapter, &args);
  if (!NT_SUCCESS(status)) return status;
  contiguous_ = args.hMemoryHandle;
  cpu_ = args.pMemory;
  page_ = static_cast<uint64_t>(MmGetPhysicalAddress(cpu_).QuadPart) / kPage;
  return STATUS_SUCCESS;
}

NTSTATUS OwnMemory::CreateByKernel() {
  using Allocate = decltype(MmAllocateContiguousMemorySpecifyCache);
  const auto allocate = SystemRoutine<Allocate>(u"MmAllocateContiguousMemorySpecifyCache");
  if (allocate == nullptr) return STATUS_NOT_SUPPORTED;
  PHYSICAL_ADDRESS lowest{}, highest{}, any{};
  highest.QuadPart = INT64_MAX;
  kernel_memory_ = cpu_ = allocate(kPage, lowest, highest, any, MmCached);
  if (cpu_ == nullptr) return STATUS_NO_MEMORY;
  page_ = static_cast<uint64_t>(MmGetPhysicalAddress(cpu_).QuadPart) / kPage;
  return STATUS_SUCCESS;
}

NTSTATUS OwnMemory::CreateObject(ULONG_PTR cookie) {
  DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT create{};
  create.hAdapter = callbacks_.adapter;
  create.Size = kPage;
  create.Context = cookie;
  create.Type = DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY;
  create.CacheType = DXGK_MEMORY_CACHING_TYPE_CACHED;
  create.ContiguousMemory.HighestAcceptableAddress.QuadPart = INT64_MAX;
  NTSTATUS status = callbacks_.create(&create);
  if (!NT_SUCCESS(status)) return status;
  object_ = create.hPhysicalMemoryObject;
  adapter_object_ = create.hAdapterMemoryObject;

  DXGKARGCB_ALLOCATE_ADL allocate{};
  allocate.hAdapterMemoryObject = adapter_object_;
  allocate.Size = kPage;
  allocate.Flags.RequireContiguous = 1;
  status = callbacks_.allocate_adl(&allocate);
  if (!NT_SUCCESS(status)) {
    Destroy();
    return status;
  }
  adl_ = allocate.pAdl;
  if (adl_->PageCount < 1) {
    Destroy();
    return STATUS_UNSUCCESSFUL;
  }
  page_ = adl_->Flags.Contiguous ? adl_->BasePageNumber : adl_->Pages[0];

  DXGKARGCB_MAP_PHYSICAL_MEMORY map{};
  map.hPhysicalMemoryObject = object_;
  map.AccessMode = DXGK_ACCESS_MODE_KERNEL_MODE;
  map.Size = kPage;
  status = callbacks_.map(&map);
  if (!NT_SUCCESS(status)) {
    Destroy();
    return status;
  }
  view_ = map.pMappedAddress;
  view_bytes_ = map.Size;
  if (map.Offset > map.Size || map.Size - map.Offset < kPage) {
    Destroy();
    return STATUS_UNSUCCESSFUL;
  }
  cpu_ = static_cast<uint8_t*>(view_) + map.Offset;
  return STATUS_SUCCESS;
}

void OwnMemory::Clear() const { std::memset(cpu_, 0, kPage); }

void OwnMemory::Destroy() {
  if (view_ != nullptr) {
    const DXGKARGCB_UNMAP_PHYSICAL_MEMORY unmap{object_, view_, view_bytes_};
    callbacks_.unmap(&unmap);
    view_ = cpu_ = nullptr;
  }
  if (adl_ != nullptr) {
    const DXGKARGCB_FREE_ADL free{adapter_object_, adl_};
    callbacks_.free_adl(&free);
    adl_ = nullptr;
  }
  if (object_ != nullptr) {
    const DXGKARGCB_DESTROY_PHYSICAL_MEMORY_OBJECT destroy{object_, adapter_object_};
    callbacks_.destroy(&destroy);
    object_ = adapter_object_ = nullptr;
  }
  if (contiguous_ != nullptr) {
    const DXGKARGCB_FREECONTIGUOUSMEMORY free{contiguous_};
    callbacks_.free_contiguous(callbacks_.adapter, &free);
    contiguous_ = nullptr;
  }
  if (kernel_memory_ != nullptr) {
    using Free = decltype(MmFreeContiguousMemorySpecifyCache);
    SystemRoutine<Free>(u"MmFreeContiguousMemorySpecifyCache")(kernel_memory_, kPage, MmCached);
    kernel_memory_ = nullptr;
  }
  cpu_ = nullptr;
}

}  // namespace gmmu::kmd
