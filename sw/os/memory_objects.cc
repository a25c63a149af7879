// SPDX-License-Identifier: Apache-2.0
#include "os/memory_objects.h"

#include <algorithm>
#include <limits>

#include "os/bug_check.h"
#include "os/logical_place.h"
#include "os/text.h"

namespace gmmu::os {
namespace {

uint64_t Bytes(const PHYSICAL_ADDRESS& address) { return static_cast<uint64_t>(address.QuadPart); }

/// One past an inclusive bound; 0 and all ones mean no bound.
uint64_t PastHighest(const PHYSICAL_ADDRESS& highest) {
  const uint64_t value = Bytes(highest);
  return value == 0 || value == ~uint64_t{0} ? ~uint64_t{0} : value + 1;
}

std::string Name(HANDLE handle, uint64_t size) {
  return Hex(reinterpret_cast<uintptr_t>(handle)) + ", " + std::to_string(size) + " bytes";
}

}  // namespace

MemoryObjects::~MemoryObjects() {
  for (const auto& [base, view] : views_) {  // what a failed run left: give the address space back
    if (!view.mmio) kernel_.hal().ram().UnmapPages(base, view.size / hw::kPageSize);
  }
}

void MemoryObjects::CheckLevel(const char* call) const {
  if (kernel_.scheduler().irql() > kApc) throw BugCheck(std::string(call) + " above APC level");
}

HANDLE MemoryObjects::NewHandle(unsigned kind) {
  return reinterpret_cast<HANDLE>(uint64_t{0xFFFF8000} << 32 | uint64_t{kind} << 24 |
                                  next_handle_++ << 4);
}

MemoryObjects::Object& MemoryObjects::FindObject(HANDLE handle, const char* call) {
  const auto found = objects_.find(handle);
  if (found == objects_.end())
    throw BugCheck(std::string(call) + " of an unknown physical memory object");
  return found->second;
}

MemoryObjects::AdapterObject& MemoryObjects::FindAdapterObject(HANDLE handle, const char* call) {
  const auto found = adapter_objects_.find(handle);
  if (found == adapter_objects_.end())
    throw BugCheck(std::string(call) + " of an unknown adapter memory object");
  return found->second;
}

void MemoryObjects::AddAdapter(HANDLE adapter, DmaView view) {
  adapters_.emplace(adapter, Adapter{adapter, std::move(view)});
}

void MemoryObjects::RemoveAdapter(HANDLE adapter) { adapters_.erase(adapter); }

const std::vector<uint64_t>& MemoryObjects::PagesOf(HANDLE object) {
  return FindObject(object, "PagesOf").pfns;
}

NTSTATUS MemoryObjects::Create(DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT& args,
                               const std::string& owner) {
  static constexpr char kCall[] = "DxgkCbCreatePhysicalMemoryObject";
  CheckLevel(kCall);
  args.hPhysicalMemoryObject = nullptr;
  args.hAdapterMemoryObject = nullptr;
  if (args.Size == 0) return STATUS_INVALID_PARAMETER;
  if (args.hAdapter != nullptr && adapters_.count(args.hAdapter) == 0)
    return STATUS_INVALID_PARAMETER;
  if (args.CacheType > DXGK_MEMORY_CACHING_TYPE_WRITE_COMBINED) return STATUS_INVALID_PARAMETER;
  const uint64_t count = (args.Size + hw::kPageSize - 1) / hw::kPageSize;

  Object object;
  object.size = args.Size;
  object.type = args.Type;
  object.cache = args.CacheType;
  object.context = args.Context;
  object.owner = owner;
  PageAllocator& pages = kernel_.pages();
  switch (args.Type) {
    case DXGK_PHYSICAL_MEMORY_TYPE_MDL: {
      const auto found = pages.AllocateScattered(count, Bytes(args.Mdl.LowAddress),
                                                 PastHighest(args.Mdl.HighAddress), owner, kCall);
      if (!found) return STATUS_NO_MEMORY;
      object.pfns = *found;
      break;
    }
    case DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY: {
      const uint64_t boundary = Bytes(args.ContiguousMemory.BoundaryAddressMultiple);
      if ((boundary & (boundary - 1)) != 0) return STATUS_INVALID_PARAMETER;
      const auto first = pages.AllocateContiguous(
          count, Bytes(args.ContiguousMemory.LowestAcceptableAddress),
          PastHighest(args.ContiguousMemory.HighestAcceptableAddress), boundary, owner, kCall);
      if (!first) return STATUS_NO_MEMORY;
      for (uint64_t i = 0; i < count; ++i) object.pfns.push_back(*first + i);
      break;
    }
    case DXGK_PHYSICAL_MEMORY_TYPE_SECTION: {
      if (args.CacheType == DXGK_MEMORY_CACHING_TYPE_NON_CACHED) return STATUS_INVALID_PARAMETER;
      const auto found = pages.AllocateScattered(count, 0, ~uint64_t{0}, owner, kCall);
      if (!found) return STATUS_NO_MEMORY;
      object.pfns = *found;
      break;
    }
    case DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE: {
      const uint64_t base = Bytes(args.IOSpace.BaseAddress);
      if (base % hw::kPageSize != 0 || kernel_.hal().ram().Installed(base, args.Size)) {
        return STATUS_INVALID_PARAMETER;
      }
      for (uint64_t i = 0; i < count; ++i) object.pfns.push_back(base / hw::kPageSize + i);
      break;
    }
    default:
      return STATUS_INVALID_PARAMETER;
  }
  const HANDLE handle = NewHandle(1);
  object.ticket = kernel_.ledger().Open("memory_object", Name(handle, args.Size), owner, kCall);
  objects_.emplace(handle, std::move(object));
  args.hPhysicalMemoryObject = handle;
  if (args.hAdapter != nullptr) {
    DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT open{};
    open.hPhysicalMemoryObject = handle;
    open.hAdapter = args.hAdapter;
    const NTSTATUS status = Open(open, owner);
    if (!NT_SUCCESS(status)) return status;
    args.hAdapterMemoryObject = open.hAdapterMemoryObject;
  }
  return STATUS_SUCCESS;
}

void MemoryObjects::Destroy(const DXGKARGCB_DESTROY_PHYSICAL_MEMORY_OBJECT& args) {
  static constexpr char kCall[] = "DxgkCbDestroyPhysicalMemoryObject";
  CheckLevel(kCall);
  Object& object = FindObject(args.hPhysicalMemoryObject, kCall);
  if (args.hAdapterMemoryObject != nullptr) {
    if (object.opened != args.hAdapterMemoryObject)
      throw BugCheck(std::string(kCall) + ": handles do not belong together");
    Close({args.hAdapterMemoryObject});
  }
  if (object.opened != nullptr)
    throw BugCheck(std::string(kCall) + " of an object that is open on an adapter");
  if (object.views != 0) throw BugCheck(std::string(kCall) + " of an object with a CPU view");
  if (object.type != DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE) kernel_.pages().Free(object.pfns);
  kernel_.ledger().Close(object.ticket);
  objects_.erase(args.hPhysicalMemoryObject);
}

NTSTATUS MemoryObjects::Open(DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT& args,
                             const std::string& owner) {
  static constexpr char kCall[] = "DxgkCbOpenPhysicalMemoryObject";
  CheckLevel(kCall);
  args.hAdapterMemoryObject = nullptr;
  Object& object = FindObject(args.hPhysicalMemoryObject, kCall);
  if (adapters_.count(args.hAdapter) == 0) return STATUS_INVALID_PARAMETER;
  if (object.opened != nullptr) return STATUS_INVALID_PARAMETER;  // one logical adapter at a time
  AdapterObject opened{args.hPhysicalMemoryObject, args.hAdapter, 0, 0};
  const HANDLE handle = NewHandle(2);
  opened.ticket = kernel_.ledger().Open("adapter_object", Name(handle, object.size), owner, kCall);
  object.opened = handle;
  adapter_objects_.emplace(handle, opened);
  args.hAdapterMemoryObject = handle;
  return STATUS_SUCCESS;
}

void MemoryObjects::Close(const DXGKARGCB_CLOSE_PHYSICAL_MEMORY_OBJECT& args) {
  static constexpr char kCall[] = "DxgkCbClosePhysicalMemoryObject";
  CheckLevel(kCall);
  AdapterObject& opened = FindAdapterObject(args.hAdapterMemoryObject, kCall);
  if (opened.adls != 0) throw BugCheck(std::string(kCall) + " while an ADL of the object exists");
  FindObject(opened.object, kCall).opened = nullptr;
  kernel_.ledger().Close(opened.ticket);
  adapter_objects_.erase(args.hAdapterMemoryObject);
}

bool MemoryObjects::MapLogical(IommuDomain& domain, const std::vector<uint64_t>& pfns, bool one_range,
                               Adl& adl, const std::string& owner, const char* call) {
  for (size_t done = 0; done < pfns.size();) {
    // The longest piece that the logical space has room for, halving what does not fit.
    std::optional<LogicalRange> place;
    size_t pages = pfns.size() - done;
    while (pages != 0) {
      place = PlaceLogical(domain.logical(), pfns.data() + done, pages, call);
      if (place || one_range) break;
      pages /= 2;
    }
    if (!place) {
      UnmapLogical(domain, adl);
      adl.ranges.clear();
      return false;
    }
    const auto first = pfns.begin() + static_cast<ptrdiff_t>(done);
    kernel_.iommu()->Map(domain, place->logical, {first, first + static_cast<ptrdiff_t>(pages)}, owner,
                         call);
    adl.ranges.push_back({place->taken, place->logical, pages});
    done += pages;
  }
  return true;
}

void MemoryObjects::UnmapLogical(IommuDomain& domain, const Adl& adl) {
  for (const Adl::Range& range : adl.ranges) {
    kernel_.iommu()->Unmap(domain, range.logical, range.pages);
    domain.logical().Free(range.taken);
  }
}

NTSTATUS MemoryObjects::AllocateAdl(DXGKARGCB_ALLOCATE_ADL& args, const std::string& owner) {
  static constexpr char kCall[] = "DxgkCbAllocateAdl";
  CheckLevel(kCall);
  args.pAdl = nullptr;
  AdapterObject& opened = FindAdapterObject(args.hAdapterMemoryObject, kCall);
  Object& object = FindObject(opened.object, kCall);
  const uint64_t first = args.Offset / hw::kPageSize;
  const uint64_t count = args.Size / hw::kPageSize;
  if (args.Offset % hw::kPageSize != 0 || args.Size % hw::kPageSize != 0 || count == 0 ||
      first >= object.pfns.size() || count > object.pfns.size() - first ||
      count > std::numeric_limits<UINT32>::max()) {
    return STATUS_INVALID_PARAMETER;
  }
  const bool physically_contiguous = object.type == DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY ||
                                     object.type == DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE;
  if (args.Flags.RequireContiguous && !physically_contiguous) return STATUS_INVALID_PARAMETER;
  const bool wants_contiguous = args.Flags.RequireContiguous || args.Flags.PreferContiguous;

  auto adl = std::make_unique<Adl>();
  adl->adapter_object = args.hAdapterMemoryObject;
  adl->first_page = first;
  adl->page_count = count;
  const std::vector<uint64_t> pfns(object.pfns.begin() + static_cast<ptrdiff_t>(first),
                                   object.pfns.begin() + static_cast<ptrdiff_t>(first + count));
  IommuDomain* domain = adapters_.at(opened.adapter).view.domain;
  uint64_t base = pfns.front();
  bool consecutive = physically_contiguous;
  const bool remapped = domain != nullptr && !domain->identity();
  if (remapped) {
    if (!MapLogical(*domain, pfns, args.Flags.RequireContiguous, *adl, owner, kCall))
      return STATUS_INSUFFICIENT_RESOURCES;
    base = adl->ranges.front().logical / hw::kPageSize;
    consecutive = adl->ranges.size() == 1;
  } else if (domain != nullptr) {
    kernel_.iommu()->MapIdentity(*domain, pfns);
  }
  if (object.type != DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE) {
    for (uint64_t pfn : pfns) kernel_.pages().Pin(pfn, owner, kCall);
  }
  adl->list.PageCount = static_cast<UINT32>(count);
  // Whoever does not ask for a base page must cope with either form, so the seed draws.
  if (consecutive && (wants_contiguous || random_.Below(2) == 0)) {
    adl->list.Flags.Contiguous = 1;
    adl->list.BasePageNumber = base;
  } else {
    if (!remapped) adl->pages = pfns;
    for (const Adl::Range& range : adl->ranges) {
      for (uint64_t i = 0; i < range.pages; ++i)
        adl->pages.push_back(range.logical / hw::kPageSize + i);
    }
    adl->list.Pages = adl->pages.data();
  }
  adl->ticket = kernel_.ledger().Open(
      "adl", std::to_string(count) + " pages at " + Hex(base * hw::kPageSize), owner, kCall);
  ++opened.adls;
  args.pAdl = &adl->list;
  adls_.emplace(args.pAdl, std::move(adl));
  return STATUS_SUCCESS;
}

void MemoryObjects::FreeAdl(const DXGKARGCB_FREE_ADL& args) {
  static constexpr char kCall[] = "DxgkCbFreeAdl";
  CheckLevel(kCall);
  const auto found = adls_.find(args.pAdl);
  if (found == adls_.end()) throw BugCheck(std::string(kCall) + " of an unknown ADL");
  Adl& adl = *found->second;
  if (adl.adapter_object != args.hAdapterMemoryObject)
    throw BugCheck(std::string(kCall) + " with another object's handle");
  AdapterObject& opened = FindAdapterObject(args.hAdapterMemoryObject, kCall);
  Object& object = FindObject(opened.object, kCall);
  IommuDomain* domain = adapters_.at(opened.adapter).view.domain;
  if (domain != nullptr && domain->identity()) {
    const auto at = object.pfns.begin() + static_cast<ptrdiff_t>(adl.first_page);
    kernel_.iommu()->UnmapIdentity(*domain, {at, at + static_cast<ptrdiff_t>(adl.page_count)});
  } else if (domain != nullptr) {
    UnmapLogical(*domain, adl);
  }
  if (object.type != DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE) {
    for (uint64_t i = 0; i < adl.page_count; ++i)
      kernel_.pages().Unpin(object.pfns[adl.first_page + i]);
  }
  kernel_.ledger().Close(adl.ticket);
  --opened.adls;
  adls_.erase(found);
}

NTSTATUS MemoryObjects::Map(DXGKARGCB_MAP_PHYSICAL_MEMORY& args, const std::string& owner) {
  static constexpr char kCall[] = "DxgkCbMapPhysicalMemory";
  CheckLevel(kCall);
  args.pMappedAddress = nullptr;
  Object& object = FindObject(args.hPhysicalMemoryObject, kCall);
  if (args.Size == 0 || args.Offset >= object.size || args.Size > object.size - args.Offset)
    return STATUS_INVALID_PARAMETER;
  if (args.AccessMode != DXGK_ACCESS_MODE_KERNEL_MODE &&
      args.AccessMode != DXGK_ACCESS_MODE_USER_MODE) {
    return STATUS_INVALID_PARAMETER;
  }
  const bool mmio = object.type == DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE;
  if (mmio && args.AccessMode == DXGK_ACCESS_MODE_USER_MODE) return STATUS_INVALID_PARAMETER;
  // The view begins at a page boundary; the data lies at the returned offset inside it.
  const uint64_t first = args.Offset / hw::kPageSize;
  const uint64_t lead = args.Offset % hw::kPageSize;
  const uint64_t pages = (lead + args.Size + hw::kPageSize - 1) / hw::kPageSize;
  View view{args.hPhysicalMemoryObject, pages * hw::kPageSize, mmio, 0};
  void* base = mmio
                   ? kernel_.mmio().Map(object.pfns[first] * hw::kPageSize, view.size, owner, kCall)
                   : kernel_.hal().ram().MapPages(object.pfns.data() + first, pages);
  if (base == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  view.ticket =
      kernel_.ledger().Open("cpu_view",
                            std::to_string(view.size) + " bytes of " +
                                Hex(reinterpret_cast<uintptr_t>(args.hPhysicalMemoryObject)),
                            owner, kCall);
  views_.emplace(base, view);
  ++object.views;
  args.pMappedAddress = base;
  args.Offset = lead;
  args.Size = view.size;
  return STATUS_SUCCESS;
}

void MemoryObjects::Unmap(const DXGKARGCB_UNMAP_PHYSICAL_MEMORY& args) {
  static constexpr char kCall[] = "DxgkCbUnmapPhysicalMemory";
  CheckLevel(kCall);
  const auto found = views_.find(args.pBaseAddress);
  if (found == views_.end()) throw BugCheck(std::string(kCall) + " of an unknown view");
  const View& view = found->second;
  if (view.object != args.hPhysicalMemoryObject)
    throw BugCheck(std::string(kCall) + " with another object's handle");
  if (view.size != args.Size)
    throw BugCheck(std::string(kCall) + " with a size other than the view's");
  if (view.mmio) {
    kernel_.mmio().Unmap(args.pBaseAddress);
  } else {
    kernel_.hal().ram().UnmapPages(args.pBaseAddress, view.size / hw::kPageSize);
  }
  --FindObject(view.object, kCall).views;
  kernel_.ledger().Close(view.ticket);
  views_.erase(found);
}

}  // namespace gmmu::os
