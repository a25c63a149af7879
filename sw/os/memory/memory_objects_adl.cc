// SPDX-License-Identifier: Apache-2.0
// The part of MemoryObjects for address descriptor lists (ADLs), which describe how a GPU addresses
// a physical memory object.
#include <limits>
#include <optional>
#include <utility>

#include "os/base/bug_check.h"
#include "os/hal/remapping.h"
#include "os/kernel/kernel.h"
#include "os/hal/logical_place.h"
#include "os/base/text.h"
#include "os/memory/memory_objects.h"

namespace gmmu::os {

bool MemoryObjects::MapLogical(RemappingDomain& domain, const std::vector<uint64_t>& pfns, bool one_range, Adl& adl,
                               const std::string& owner, const char* call) {
  const uint64_t largest = kernel_.parameters().logical_piece_pages();
  for (size_t done = 0; done < pfns.size();) {
    // Try the longest piece first, and halve it until the logical space has room.
    std::optional<LogicalRange> place;
    size_t pages = pfns.size() - done;
    if (largest != 0 && pages > largest) pages = one_range ? 0 : largest;
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
    kernel_.iommu()->Map(domain, place->logical, {first, first + static_cast<ptrdiff_t>(pages)}, owner, call);
    adl.ranges.push_back({place->taken, place->logical, pages});
    done += pages;
  }
  return true;
}

void MemoryObjects::UnmapLogical(RemappingDomain& domain, const Adl& adl) {
  for (const Adl::Range& range : adl.ranges) {
    kernel_.iommu()->Unmap(domain, range.logical, range.pages);
    domain.logical().Free(range.taken);
  }
}

NTSTATUS MemoryObjects::AllocateAdl(DXGKARGCB_ALLOCATE_ADL& args, const std::string& owner) {
  static constexpr char kCall[] = "DxgkCbAllocateAdl";
  kernel_.scheduler().RequireApc(kCall);
  args.pAdl = nullptr;
  AdapterObject& opened = FindAdapterObject(args.hAdapterMemoryObject, kCall);
  Object& object = FindObject(opened.object, kCall);
  const uint64_t first = args.Offset / hw::kPageSize;
  const uint64_t count = args.Size / hw::kPageSize;
  if (args.Offset % hw::kPageSize != 0 || args.Size % hw::kPageSize != 0 || count == 0 ||
      first >= object.backing.pages() || count > object.backing.pages() - first ||
      count > std::numeric_limits<UINT32>::max()) {
    return STATUS_INVALID_PARAMETER;
  }
  const bool physically_contiguous = object.backing.contiguous();
  if (args.Flags.RequireContiguous && !physically_contiguous) return STATUS_INVALID_PARAMETER;
  const bool wants_contiguous = args.Flags.RequireContiguous || args.Flags.PreferContiguous;
  RemappingDomain* domain = DomainOf(opened, kCall);

  auto adl = std::make_unique<Adl>();
  adl->adapter_object = args.hAdapterMemoryObject;
  adl->first_page = first;
  adl->page_count = count;
  if (!object.backing.Hold(first, count)) return STATUS_NO_MEMORY;
  const auto begin = object.backing.pfns().begin() + static_cast<ptrdiff_t>(first);
  const std::vector<uint64_t> pfns(begin, begin + static_cast<ptrdiff_t>(count));
  uint64_t base = pfns.front();
  bool consecutive = physically_contiguous;
  const bool remapped = domain != nullptr && !domain->identity();
  if (remapped) {
    if (!MapLogical(*domain, pfns, args.Flags.RequireContiguous, *adl, owner, kCall)) {
      object.backing.Release(first, count);
      return STATUS_INSUFFICIENT_RESOURCES;
    }
    base = adl->ranges.front().logical / hw::kPageSize;
    consecutive = adl->ranges.size() == 1;
  } else if (domain != nullptr) {
    kernel_.iommu()->MapIdentity(*domain, pfns);
  }
  if (!object.backing.io_space()) {
    for (uint64_t pfn : pfns) kernel_.pages().Pin(pfn, owner, kCall);
  }
  adl->list.PageCount = static_cast<UINT32>(count);
  // A caller that does not request a contiguous list must accept either form, so the seed selects
  // one.
  if (consecutive && (wants_contiguous || random_.Below(2) == 0)) {
    adl->list.Flags.Contiguous = 1;
    adl->list.BasePageNumber = base;
  } else {
    if (!remapped) adl->pages = pfns;
    for (const Adl::Range& range : adl->ranges) {
      for (uint64_t i = 0; i < range.pages; ++i) adl->pages.push_back(range.logical / hw::kPageSize + i);
    }
    adl->list.Pages = adl->pages.data();
  }
  adl->ticket = kernel_.ledger().Open("adl", std::to_string(count) + " pages at " + Hex(base * hw::kPageSize), owner,
                                      kCall);
  ++opened.adls;
  args.pAdl = &adl->list;
  adls_.emplace(args.pAdl, std::move(adl));
  return STATUS_SUCCESS;
}

MemoryObjects::AdlOrigin MemoryObjects::OriginOf(const DXGK_ADL& adl) {
  const auto found = FindOrStop(adls_, const_cast<DXGK_ADL*>(&adl), "an ADL that is not allocated is used");
  const HANDLE object = FindAdapterObject(found->second->adapter_object, "OriginOf").object;
  return {object, found->second->first_page, FindObject(object, "OriginOf").backing.caching()};
}

void MemoryObjects::FreeAdl(const DXGKARGCB_FREE_ADL& args) {
  static constexpr char kCall[] = "DxgkCbFreeAdl";
  kernel_.scheduler().RequireApc(kCall);
  const auto found = FindOrStop(adls_, args.pAdl, kCall, " of an unknown ADL");
  Adl& adl = *found->second;
  if (adl.adapter_object != args.hAdapterMemoryObject)
    throw BugCheck(std::string(kCall) + " with another object's handle");
  AdapterObject& opened = FindAdapterObject(args.hAdapterMemoryObject, kCall);
  Object& object = FindObject(opened.object, kCall);
  RemappingDomain* domain = DomainOf(opened, kCall);
  if (domain != nullptr && domain->identity()) {
    const auto at = object.backing.pfns().begin() + static_cast<ptrdiff_t>(adl.first_page);
    kernel_.iommu()->UnmapIdentity(*domain, {at, at + static_cast<ptrdiff_t>(adl.page_count)});
  } else if (domain != nullptr) {
    UnmapLogical(*domain, adl);
  }
  if (!object.backing.io_space()) {
    for (uint64_t i = 0; i < adl.page_count; ++i) kernel_.pages().Unpin(object.backing.pfns()[adl.first_page + i]);
  }
  object.backing.Release(adl.first_page, adl.page_count);
  kernel_.ledger().Close(adl.ticket);
  --opened.adls;
  adls_.erase(found);
}

}  // namespace gmmu::os
