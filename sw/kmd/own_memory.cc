// SPDX-License-Identifier: Apache-2.0
#include "kmd/own_memory.h"

#include <cstring>

#include "kmd/segments.h"

namespace gmmu::kmd {

NTSTATUS OwnMemory::Create(const MemoryCallbacks& callbacks, ULONG_PTR cookie) {
  callbacks_ = callbacks;

  // Any page will do: the system starts an adapter only if the device can reach all of memory, by
  // itself or by remapping.
  DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT create{};
  create.hAdapter = callbacks.adapter;
  create.Size = kPage;
  create.Context = cookie;
  create.Type = DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY;
  create.CacheType = DXGK_MEMORY_CACHING_TYPE_CACHED;
  create.ContiguousMemory.HighestAcceptableAddress.QuadPart = INT64_MAX;
  NTSTATUS status = callbacks.create(&create);
  if (!NT_SUCCESS(status)) return status;
  object_ = create.hPhysicalMemoryObject;
  adapter_object_ = create.hAdapterMemoryObject;

  DXGKARGCB_ALLOCATE_ADL allocate{};
  allocate.hAdapterMemoryObject = adapter_object_;
  allocate.Size = kPage;
  allocate.Flags.RequireContiguous = 1;
  status = callbacks.allocate_adl(&allocate);
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
  status = callbacks.map(&map);
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
  Clear();
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
}

}  // namespace gmmu::kmd
