// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/aperture.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "os/base/text.h"
#include "os/memory/memory_objects.h"
#include "os/memory/system_buffer.h"
#include "os/miniport/mdl.h"
#include "os/miniport/segments.h"
#include "os/vidmm/allocation.h"

namespace gmmu::os {
namespace {

/// Returns the page numbers by which the GPU addresses the pages of an ADL. Without remapping,
/// these are host physical page numbers.
std::vector<uint64_t> PagesOf(const DXGK_ADL& adl) {
  std::vector<uint64_t> pages;
  for (UINT32 i = 0; i < adl.PageCount; ++i)
    pages.push_back(adl.Flags.Contiguous ? adl.BasePageNumber + i : adl.Pages[i]);
  return pages;
}

/// Fills in the operand members that all aperture operations share.
template <typename Operand>
void Name(Operand& operand, const Aperture::Owner& owner, unsigned segment, uint64_t first, uint64_t pages) {
  operand.hDevice = owner.device;
  operand.hAllocation = owner.allocation;
  operand.SegmentId = segment;
  operand.OffsetInPages = first;
  operand.NumberOfPages = pages;
}

std::string Pages(uint64_t first, uint64_t pages) {
  return "aperture pages " + Hex(first) + " to " + Hex(first + pages - 1);
}

}  // namespace

/// The mapping that a single map operation created.
struct Aperture::Mapping {
  HANDLE allocation = nullptr;
  // Used if the driver receives MDLs. The driver may read the MDL until the range is unmapped.
  Mdl mdl;
  DXGKARGCB_MAP_PHYSICAL_MEMORY view{};  // the CPU's view; pMappedAddress is null if there is none
  uint64_t pages = 0;                    // pages still mapped
};

/// The memory object and the offset from which an ADL was made (MemoryObjects::AdlOrigin).
struct Aperture::Origin : MemoryObjects::AdlOrigin {};

Aperture::Aperture(Kernel& kernel, MemoryObjects& objects, Segment& segment, const Facts& facts, Work work)
    : kernel_(kernel), objects_(objects), segment_(segment), facts_(facts), work_(std::move(work)) {
  if (facts.remapped && !facts.map_aperture2)
    throw BugCheck("a remapped adapter whose driver takes no MAP_APERTURE_SEGMENT2");
}

Aperture::~Aperture() = default;

bool Aperture::WithinCommitLimit(uint64_t pages) const {
  return facts_.commit_limit == 0 ||
         pages * hw::kPageSize <= facts_.commit_limit - std::min(reserved_, facts_.commit_limit);
}

std::optional<uint64_t> Aperture::TryReserve(uint64_t pages) {
  const uint64_t bytes = pages * hw::kPageSize;
  if (!WithinCommitLimit(pages)) return std::nullopt;
  const auto start = segment_.space->Allocate(bytes, hw::kPageSize, "AllocateAperture");
  if (!start) return std::nullopt;
  ranges_[*start / hw::kPageSize] = pages;
  reserved_ += bytes;
  return *start / hw::kPageSize;
}

uint64_t Aperture::Reserve(uint64_t pages) {
  if (!WithinCommitLimit(pages)) {
    throw OsError("the aperture's commit limit of " + std::to_string(facts_.commit_limit) + " bytes has no room for " +
                  std::to_string(pages) + " pages");
  }
  const auto first = TryReserve(pages);
  if (!first) throw Exhausted("no room in the aperture for " + std::to_string(pages) + " pages");
  return *first;
}

std::optional<std::pair<uint64_t, uint64_t>> Aperture::ReserveSome(uint64_t pages) {
  for (; pages > 0; pages /= 2)
    if (const auto first = TryReserve(pages)) return std::pair(*first, pages);
  return std::nullopt;
}

void Aperture::Free(uint64_t first) {
  if (kernel_.LeakNow("aperture_range")) return;
  const auto range = FindOrStop(ranges_, first, "free of an aperture range that nobody has");
  const auto mapped = mapped_.lower_bound(first);
  if (mapped != mapped_.end() && mapped->first < first + range->second)
    throw BugCheck("free of an aperture range with page " + Hex(mapped->first) + " mapped");
  segment_.space->Free(first * hw::kPageSize);
  reserved_ -= range->second * hw::kPageSize;
  ranges_.erase(range);
}

void Aperture::CheckReserved(const char* what, uint64_t first, uint64_t pages) const {
  auto range = ranges_.upper_bound(first);
  if (pages == 0 || range == ranges_.begin() || first + pages > std::prev(range)->first + std::prev(range)->second)
    throw BugCheck(std::string(what) + " of " + Pages(first, pages) + ", which are in no range");
}

void Aperture::WriteBackCaches(const std::vector<uint64_t>& pfns, uint64_t first, uint64_t pages) {
  if (segment_.cache_coherent || !kernel_.parameters().aperture_writes_back) return;
  for (uint64_t page = first; page < first + pages; ++page)
    kernel_.hal().ram().cache().WriteBack(pfns[page] * hw::kPageSize, hw::kPageSize);
}

void Aperture::WriteBack(const SystemBuffer& buffer, uint64_t first, uint64_t pages) {
  WriteBackCaches(buffer.host_pages(), first, pages);
}

void* Aperture::CpuAddress(Mapping& mapping, const Origin& origin, uint64_t adl_offset, uint64_t pages) {
  mapping.view.hPhysicalMemoryObject = origin.object;
  mapping.view.AccessMode = DXGK_ACCESS_MODE_KERNEL_MODE;
  mapping.view.Offset = (origin.first_page + adl_offset) * hw::kPageSize;
  mapping.view.Size = pages * hw::kPageSize;
  if (!NT_SUCCESS(objects_.Map(mapping.view, "vidmm"))) throw OsError("no CPU address for an aperture mapping");
  return static_cast<uint8_t*>(mapping.view.pMappedAddress) + mapping.view.Offset;
}

void Aperture::Map(const Owner& owner, uint64_t first, uint64_t pages, const DXGK_ADL& adl, uint64_t adl_offset) {
  CheckReserved("a map", first, pages);
  if (adl_offset > adl.PageCount || pages > adl.PageCount - adl_offset)
    throw BugCheck("a map of " + Pages(first, pages) + " from behind the end of the list");
  const auto next = mapped_.lower_bound(first);
  if (next != mapped_.end() && next->first < first + pages)
    throw BugCheck("a map of aperture page " + Hex(next->first) + ", which is mapped");
  const Origin origin{objects_.OriginOf(adl)};
  if (!facts_.remapped || adl.Flags.Contiguous) {
    MapPiece(owner, first, pages, adl, adl_offset, origin, adl_offset);
    return work_.finish();
  }
  // Under DMA remapping, the driver accepts only contiguous ADLs, so each contiguous run is mapped
  // separately.
  for (uint64_t done = 0, run = 0; done < pages; done += run) {
    const UINT_PTR* page = adl.Pages + adl_offset + done;
    for (run = 1; run < pages - done && page[run] == page[0] + run;) ++run;
    DXGK_ADL piece{};
    piece.PageCount = static_cast<UINT32>(run);
    piece.Flags.Contiguous = 1;
    piece.BasePageNumber = page[0];
    MapPiece(owner, first + done, run, piece, 0, origin, adl_offset + done);
  }
  work_.finish();
}

void Aperture::MapPiece(const Owner& owner, uint64_t first, uint64_t pages, const DXGK_ADL& adl, uint64_t adl_offset,
                        const Origin& origin, uint64_t origin_offset) {
  const bool cached = origin.caching == hw::Caching::kCached;
  // The driver must honour CacheCoherent, so the flag is set only for cached memory in a coherent
  // segment.
  const bool coherent = cached && segment_.cache_coherent;
  if (cached) WriteBackCaches(objects_.PagesOf(origin.object), origin.first_page + origin_offset, pages);

  auto mapping = std::make_shared<Mapping>();
  mapping->allocation = owner.allocation;
  mapping->pages = pages;
  DXGKARG_BUILDPAGINGBUFFER operation{};
  if (facts_.map_aperture2) {
    operation.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT2;
    auto& args = operation.MapApertureSegment2;
    Name(args, owner, segment_.id, first, pages);
    args.Adl = adl;
    args.Flags.CacheCoherent = coherent;
    args.AdlOffset = static_cast<ULONG>(adl_offset);
    if (owner.cpu_visible) args.CpuVisibleAddress = CpuAddress(*mapping, origin, origin_offset, pages);
  } else {
    mapping->mdl = Mdl(PagesOf(adl));
    operation.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT;
    auto& args = operation.MapApertureSegment;
    Name(args, owner, segment_.id, first, pages);
    args.pMdl = mapping->mdl.get();
    args.Flags.CacheCoherent = coherent;
    args.MdlOffset = static_cast<ULONG>(adl_offset);
  }
  ++maps_;
  for (uint64_t page = first; page < first + pages; ++page) mapped_[page] = mapping;
  work_.add(operation);
}

void Aperture::Unmap(const Owner& owner, uint64_t first, uint64_t pages) {
  CheckReserved("an unmap", first, pages);
  for (uint64_t page = first; page < first + pages; ++page) {
    const auto found = FindOrStop(mapped_, page, "an unmap of aperture page ", Hex(page), ", which is not mapped");
    if (found->second->allocation != owner.allocation)
      throw BugCheck("an unmap of aperture page " + Hex(page) + ", which another allocation has");
  }
  DXGKARG_BUILDPAGINGBUFFER operation = UnmapOf(owner, first, pages);
  work_.add(operation);
  Forget(first, pages);
  work_.finish();
}

void Aperture::Bind(uint64_t first, uint64_t pages, const Allocation& allocation, const SystemBuffer& buffer,
                    uint64_t adl_offset) {
  if (allocation.homes.aperture == 0 && allocation.homes.eviction == 0)
    throw BugCheck("allocation " + allocation.name + " has no place in the aperture");
  Map({allocation.device(), allocation.handle, allocation.map_cpu_visible}, first, pages, buffer.adl(), adl_offset);
}

void Aperture::Unbind(uint64_t first, uint64_t pages, const Allocation& allocation) {
  Unmap({allocation.device(), allocation.handle, allocation.map_cpu_visible}, first, pages);
}

DXGKARG_BUILDPAGINGBUFFER Aperture::UnmapOf(const Owner& owner, uint64_t first, uint64_t pages) const {
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
  auto& args = operation.UnmapApertureSegment;
  Name(args, owner, segment_.id, first, pages);
  args.DummyPage.QuadPart = static_cast<LONGLONG>(facts_.dummy_logical);
  return operation;
}

std::vector<DXGKARG_BUILDPAGINGBUFFER> Aperture::Lost(const std::function<HANDLE(HANDLE allocation)>& device_of) const {
  std::vector<DXGKARG_BUILDPAGINGBUFFER> operations;
  for (auto it = mapped_.begin(); it != mapped_.end();) {
    const uint64_t first = it->first;
    Owner owner;
    owner.allocation = it->second->allocation;
    owner.device = device_of(owner.allocation);
    uint64_t pages = 0;
    while (it != mapped_.end() && it->first == first + pages && it->second->allocation == owner.allocation) {
      ++it;
      ++pages;
    }
    operations.push_back(UnmapOf(owner, first, pages));
  }
  return operations;
}

void Aperture::ForgetAll() {
  while (!mapped_.empty()) Forget(mapped_.begin()->first, 1);
}

void Aperture::Forget(uint64_t first, uint64_t pages) {
  for (uint64_t page = first; page < first + pages; ++page) {
    const auto found = mapped_.find(page);
    const std::shared_ptr<Mapping> mapping = found->second;
    mapped_.erase(found);
    if (--mapping->pages != 0 || mapping->view.pMappedAddress == nullptr) continue;
    objects_.Unmap({mapping->view.hPhysicalMemoryObject, mapping->view.pMappedAddress, mapping->view.Size});
  }
}

}  // namespace gmmu::os
