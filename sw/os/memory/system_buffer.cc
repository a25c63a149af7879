// SPDX-License-Identifier: Apache-2.0
#include "os/memory/system_buffer.h"

#include <algorithm>
#include <utility>

#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "os/base/page_math.h"
#include "os/memory/memory_objects.h"

namespace gmmu::os {

SystemBuffer::SystemBuffer(Kernel& kernel, MemoryObjects& objects, HANDLE adapter, uint64_t bytes, Shape shape,
                           std::string owner, uint64_t lowest)
    : kernel_(&kernel), objects_(&objects), owner_(std::move(owner)) {
  bytes_ = os::PagesOf(bytes) * kPage;
  DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT create{};
  create.hAdapter = adapter;
  create.Size = bytes_;
  create.CacheType = DXGK_MEMORY_CACHING_TYPE_CACHED;
  if (shape == Shape::kContiguous) {
    create.Type = DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY;
    create.ContiguousMemory.LowestAcceptableAddress.QuadPart = static_cast<LONGLONG>(lowest);
    create.ContiguousMemory.HighestAcceptableAddress.QuadPart = -1;
  } else if (shape == Shape::kReadOnlyView) {
    create.Type = DXGK_PHYSICAL_MEMORY_TYPE_SECTION;
    create.Section.PageProtection = PAGE_READONLY;
    create.Section.DesiredAccess = SECTION_MAP_READ;
    create.Section.AllocationAttributes = SEC_COMMIT;
  } else {
    create.Type = DXGK_PHYSICAL_MEMORY_TYPE_MDL;
    create.Mdl.LowAddress.QuadPart = static_cast<LONGLONG>(lowest);
    create.Mdl.HighAddress.QuadPart = -1;
  }
  if (!NT_SUCCESS(objects.Create(create, owner_))) {
    throw Exhausted("out of memory: " + std::to_string(bytes_) + " bytes for " + owner_);
  }
  object_ = create.hPhysicalMemoryObject;
  adapter_object_ = create.hAdapterMemoryObject;
  DXGKARGCB_ALLOCATE_ADL allocate{};
  allocate.hAdapterMemoryObject = adapter_object_;
  allocate.Size = bytes_;
  allocate.Flags.RequireContiguous = shape == Shape::kContiguous;
  allocate.Flags.PreferContiguous = 1;
  if (!NT_SUCCESS(objects.AllocateAdl(allocate, owner_))) {
    throw Exhausted("no logical addresses for " + std::to_string(bytes_) + " bytes of " + owner_);
  }
  adl_ = allocate.pAdl;
}

SystemBuffer& SystemBuffer::operator=(SystemBuffer&& other) noexcept {
  kernel_ = other.kernel_;
  objects_ = other.objects_;
  object_ = std::exchange(other.object_, nullptr);
  adapter_object_ = std::exchange(other.adapter_object_, nullptr);
  adl_ = std::exchange(other.adl_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  owner_ = std::move(other.owner_);
  wrong_index_ = other.wrong_index_;
  wrong_page_ = other.wrong_page_;
  view_ = std::exchange(other.view_, nullptr);
  view_size_ = std::exchange(other.view_size_, 0);
  return *this;
}

const std::vector<uint64_t>& SystemBuffer::host_pages() const { return objects_->PagesOf(object_); }

void SystemBuffer::Release() {
  if (object_ == nullptr) return;
  const HANDLE object = std::exchange(object_, nullptr);
  if (view_ != nullptr) {
    object_ = object;
    Unmap();
    object_ = nullptr;
  }
  // An injected leak keeps an object of the given kind and, like a real leak, everything that this
  // object holds.
  for (const char* kind : {"cpu_view", "adl", "pinned_page", "domain_mapping", "logical_range"}) {
    if (kernel_->LeakNow(kind)) {
      if (std::string(kind) == "cpu_view") {
        object_ = object;
        Map(0, hw::kPageSize);
        object_ = nullptr;
      }
      return;
    }
  }
  objects_->FreeAdl({adapter_object_, adl_});
  if (kernel_->LeakNow("memory_object") || kernel_->LeakNow("page")) return;
  objects_->Destroy({object, adapter_object_});
}

uint8_t* SystemBuffer::Map(uint64_t offset, uint64_t size) {
  if (view_ != nullptr) throw BugCheck("a buffer of " + owner_ + " is mapped twice");
  DXGKARGCB_MAP_PHYSICAL_MEMORY map{};
  map.hPhysicalMemoryObject = object_;
  map.AccessMode = DXGK_ACCESS_MODE_KERNEL_MODE;
  map.Offset = offset;
  map.Size = size;
  if (!NT_SUCCESS(objects_->Map(map, owner_))) throw OsError("a CPU view of " + owner_ + "'s memory is refused");
  view_ = map.pMappedAddress;
  view_size_ = map.Size;
  return static_cast<uint8_t*>(map.pMappedAddress) + map.Offset;
}

void SystemBuffer::Write(uint64_t offset, const void* bytes, size_t size) const {
  const auto* from = static_cast<const uint8_t*>(bytes);
  for (size_t done = 0; done < size;) {
    const uint64_t at = offset + done, inside = at % hw::kPageSize;
    const size_t some = std::min<size_t>(size - done, hw::kPageSize - inside);
    if (!kernel_->hal().ram().Write(host_pages()[at / hw::kPageSize] * hw::kPageSize + inside, from + done, some))
      throw BugCheck("a buffer of " + owner_ + " is not in memory");
    done += some;
  }
}

void SystemBuffer::Unmap() {
  if (view_ == nullptr) return;
  objects_->Unmap({object_, std::exchange(view_, nullptr), view_size_});
}

}  // namespace gmmu::os
