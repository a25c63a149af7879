// SPDX-License-Identifier: Apache-2.0
#include "kmd/own_memory.h"

#include <cstring>

#include "ddi/wdm.h"
#include "kmd/segments.h"

namespace gmmu::kmd {
namespace {

/// Looks up a kernel memory routine by name. A driver that supports isolation must not import such
/// a routine, and this driver supports isolation as of WDDM 2.4.
template <typename Routine, size_t kSize>
Routine* SystemRoutine(const char16_t (&name)[kSize]) {
  WCHAR text[kSize];
  std::memcpy(text, name, sizeof text);
  UNICODE_STRING wanted{(kSize - 1) * sizeof(WCHAR), sizeof text, text};
  return reinterpret_cast<Routine*>(MmGetSystemRoutineAddress(&wanted));
}

uint64_t PhysicalPageOf(void* cpu) { return static_cast<uint64_t>(MmGetPhysicalAddress(cpu).QuadPart) / kPage; }

OwnMemory::Origin OriginOf(const MemoryCallbacks& callbacks, OwnMemory::Origin isolated) {
  using Origin = OwnMemory::Origin;
  const bool objects = callbacks.create != nullptr;
  if (!callbacks.isolation) return objects ? Origin::kObject : Origin::kKernel;
  return isolated == Origin::kListed && !objects ? Origin::kPages : isolated;
}

}  // namespace

MemoryCallbacks MemoryCallbacks::Of(const DXGKRNL_INTERFACE& dxgkrnl, bool isolation) {
  MemoryCallbacks callbacks;
  callbacks.adapter = dxgkrnl.DeviceHandle;
  callbacks.isolation = isolation;
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
  callbacks.allocate_pages = dxgkrnl.DxgkCbAllocatePagesForMdl;
  callbacks.free_pages = dxgkrnl.DxgkCbFreePagesFromMdl;
  callbacks.map_list = dxgkrnl.DxgkCbMapMdlToIoMmu;
  callbacks.unmap_list = dxgkrnl.DxgkCbUnmapMdlFromIoMmu;
#endif
  return callbacks;
}

// Any physical page is suitable, because the system starts an adapter only if the device can
// address all memory, directly or through remapping.
NTSTATUS OwnMemory::Create(const MemoryCallbacks& callbacks, ULONG_PTR cookie, Origin isolated, uint64_t bytes) {
  callbacks_ = callbacks;
  bytes_ = bytes;
  origin_ = OriginOf(callbacks, isolated);
  NTSTATUS status = STATUS_SUCCESS;
  switch (origin_) {
    case Origin::kContiguous: status = AllocateContiguous(); break;
    case Origin::kPages: status = AllocatePages(); break;
    case Origin::kKernel: status = AllocateByKernel(); break;
    case Origin::kListed:
      status = CreateObject(cookie);
      if (NT_SUCCESS(status)) status = View();
      if (NT_SUCCESS(status)) status = MapList();
      break;
    case Origin::kObject:
      status = CreateObject(cookie);
      if (NT_SUCCESS(status)) status = NameByAdl();
      if (NT_SUCCESS(status)) status = View();
      break;
  }
  if (!NT_SUCCESS(status)) Destroy();
  else if (bytes == kPage) Clear();
  return status;
}

NTSTATUS OwnMemory::AllocateContiguous() {
  DXGKARGCB_ALLOCATECONTIGUOUSMEMORY allocate{};
  allocate.NumberOfBytes = bytes_;
  allocate.HighestAcceptableAddress.QuadPart = INT64_MAX;
  allocate.CacheType = DXGK_MEMORY_CACHING_TYPE_CACHED;
  const NTSTATUS status = callbacks_.allocate_contiguous(callbacks_.adapter, &allocate);
  if (!NT_SUCCESS(status)) return status;
  handle_ = allocate.hMemoryHandle;
  cpu_ = allocate.pMemory;
  page_ = PhysicalPageOf(cpu_);
  return STATUS_SUCCESS;
}

NTSTATUS OwnMemory::AllocatePages() {
  DXGKARGCB_ALLOCATEPAGESFORMDL allocate{};
  allocate.HighAddress.QuadPart = INT64_MAX;
  allocate.TotalBytes = kPage;
  allocate.CacheType = DXGK_MEMORY_CACHING_TYPE_CACHED;
  const NTSTATUS status = callbacks_.allocate_pages(callbacks_.adapter, &allocate);
  if (!NT_SUCCESS(status)) return status;
  handle_ = allocate.hMemoryHandle;
  list_ = allocate.pMdl;
  page_ = MmGetMdlPfnArray(list_)[0];
  cpu_ = MmGetSystemAddressForMdlSafe(list_, NormalPagePriority | MdlMappingNoExecute);
  return cpu_ == nullptr ? STATUS_INSUFFICIENT_RESOURCES : STATUS_SUCCESS;
}

NTSTATUS OwnMemory::AllocateByKernel() {
  using Allocate = decltype(MmAllocateContiguousMemorySpecifyCache);
  const auto allocate = SystemRoutine<Allocate>(u"MmAllocateContiguousMemorySpecifyCache");
  if (allocate == nullptr) return STATUS_NOT_SUPPORTED;
  PHYSICAL_ADDRESS lowest{}, highest{}, any{};
  highest.QuadPart = INT64_MAX;
  cpu_ = allocate(bytes_, lowest, highest, any, MmCached);
  if (cpu_ == nullptr) return STATUS_NO_MEMORY;
  page_ = PhysicalPageOf(cpu_);
  return STATUS_SUCCESS;
}

NTSTATUS OwnMemory::CreateObject(ULONG_PTR cookie) {
  DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT create{};
  create.hAdapter = callbacks_.adapter;
  create.Size = bytes_;
  create.Context = cookie;
  create.Type = DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY;
  create.CacheType = DXGK_MEMORY_CACHING_TYPE_CACHED;
  create.ContiguousMemory.HighestAcceptableAddress.QuadPart = INT64_MAX;
  const NTSTATUS status = callbacks_.create(&create);
  if (!NT_SUCCESS(status)) return status;
  object_ = create.hPhysicalMemoryObject;
  adapter_object_ = create.hAdapterMemoryObject;
  return STATUS_SUCCESS;
}

NTSTATUS OwnMemory::NameByAdl() {
  DXGKARGCB_ALLOCATE_ADL allocate{};
  allocate.hAdapterMemoryObject = adapter_object_;
  allocate.Size = bytes_;
  allocate.Flags.RequireContiguous = 1;
  const NTSTATUS status = callbacks_.allocate_adl(&allocate);
  if (!NT_SUCCESS(status)) return status;
  adl_ = allocate.pAdl;
  if (adl_->PageCount < bytes_ / kPage || (bytes_ > kPage && !adl_->Flags.Contiguous)) return STATUS_UNSUCCESSFUL;
  page_ = adl_->Flags.Contiguous ? adl_->BasePageNumber : adl_->Pages[0];
  return STATUS_SUCCESS;
}

NTSTATUS OwnMemory::View() {
  DXGKARGCB_MAP_PHYSICAL_MEMORY map{};
  map.hPhysicalMemoryObject = object_;
  map.AccessMode = DXGK_ACCESS_MODE_KERNEL_MODE;
  map.Size = bytes_;
  const NTSTATUS status = callbacks_.map(&map);
  if (!NT_SUCCESS(status)) return status;
  view_ = map.pMappedAddress;
  view_bytes_ = map.Size;
  if (map.Offset > map.Size || map.Size - map.Offset < bytes_) return STATUS_UNSUCCESSFUL;
  cpu_ = static_cast<uint8_t*>(view_) + map.Offset;
  return STATUS_SUCCESS;
}

NTSTATUS OwnMemory::MapList() {
  list_ = IoAllocateMdl(cpu_, static_cast<ULONG>(kPage), FALSE, FALSE, nullptr);
  if (list_ == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  MmBuildMdlForNonPagedPool(list_);
  page_ = MmGetMdlPfnArray(list_)[0];
  DXGKARGCB_MAPMDLTOIOMMU map{list_, nullptr};
  const NTSTATUS status = callbacks_.map_list(callbacks_.adapter, &map);
  if (NT_SUCCESS(status)) handle_ = map.hMemoryHandle;
  return status;
}

uint64_t OwnMemory::cpu_address() const { return PhysicalPageOf(cpu_) * kPage; }

void OwnMemory::Clear() const { std::memset(cpu_, 0, kPage); }

void OwnMemory::Destroy() {
  if (handle_ != nullptr && origin_ == Origin::kContiguous) {
    const DXGKARGCB_FREECONTIGUOUSMEMORY free{handle_};
    callbacks_.free_contiguous(callbacks_.adapter, &free);
  } else if (handle_ != nullptr && origin_ == Origin::kPages) {
    if (cpu_ != nullptr) MmUnmapLockedPages(cpu_, list_);
    const DXGKARGCB_FREEPAGESFROMMDL free{handle_};
    callbacks_.free_pages(callbacks_.adapter, &free);
  } else if (list_ != nullptr && origin_ == Origin::kListed) {
    const DXGKARGCB_UNMAPMDLFROMIOMMU unmap{handle_};
    if (handle_ != nullptr) callbacks_.unmap_list(callbacks_.adapter, &unmap);
    IoFreeMdl(list_);  // unmapping does not free the list
  } else if (cpu_ != nullptr && origin_ == Origin::kKernel) {
    using Free = decltype(MmFreeContiguousMemorySpecifyCache);
    SystemRoutine<Free>(u"MmFreeContiguousMemorySpecifyCache")(cpu_, bytes_, MmCached);
  }
  handle_ = nullptr;
  list_ = nullptr;
  if (view_ != nullptr) {
    const DXGKARGCB_UNMAP_PHYSICAL_MEMORY unmap{object_, view_, view_bytes_};
    callbacks_.unmap(&unmap);
    view_ = nullptr;
  }
  cpu_ = nullptr;
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
}

}  // namespace gmmu::kmd
