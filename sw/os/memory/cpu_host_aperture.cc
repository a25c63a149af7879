// SPDX-License-Identifier: Apache-2.0
#include "os/memory/cpu_host_aperture.h"

#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "os/base/text.h"
#include "os/miniport/miniport.h"

namespace gmmu::os {

CpuHostAperture::CpuHostAperture(Kernel& kernel, Miniport& miniport, const DXGK_SEGMENTDESCRIPTOR4& segment,
                                 UINT segment_id, UINT physical_adapter)
    : kernel_(kernel),
      miniport_(miniport),
      segment_(segment_id),
      adapter_(physical_adapter),
      page_bytes_(segment.Flags.Use64KBPages ? uint64_t{64} << 10 : hw::kPageSize),
      start_(static_cast<uint64_t>(segment.CpuHostAperture.PhysicalAddress.QuadPart)),
      segment_pages_(segment.Size / page_bytes_),
      bytes_(segment.CpuHostAperture.SizeInPages * page_bytes_),
      space_(0, segment.CpuHostAperture.SizeInPages, kernel.parameters().seed, "host_aperture_range",
             "segment" + std::to_string(segment_id), kernel.ledger()) {
  if (!segment.Flags.SupportsCpuHostAperture)
    throw BugCheck("segment " + std::to_string(segment_id) + " has no CPU host aperture");
}

std::vector<UINT> CpuHostAperture::Pages(const View& view) const {
  std::vector<UINT> pages;
  for (uint64_t i = 0; i < view.pages; ++i) pages.push_back(static_cast<UINT>(view.first + i));
  return pages;
}

uint8_t* CpuHostAperture::Map(HANDLE allocation, const std::vector<uint64_t>& pages) {
  for (const uint64_t page : pages) {
    if (page >= segment_pages_)
      throw BugCheck("page " + Hex(page) + " is not one of segment " + std::to_string(segment_));
  }
  const auto first = space_.Allocate(pages.size(), 1, "CpuHostAperture::Map");
  if (!first) {
    throw OsError("the CPU host aperture of segment " + std::to_string(segment_) + " has no room for " +
                  std::to_string(pages.size()) + " pages");
  }
  const View view{*first, pages.size()};
  std::vector<UINT> window = Pages(view);
  std::vector<UINT64> shown(pages.begin(), pages.end());
  DXGKARG_MAPCPUHOSTAPERTURE args{};
  args.hAllocation = allocation;
  args.SegmentId = static_cast<WORD>(segment_);
  args.PhysicalAdapterIndex = static_cast<WORD>(adapter_);
  args.NumberOfPages = pages.size();
  args.pCpuHostAperturePages = window.data();
  args.pMemorySegmentPages = shown.data();
  const NTSTATUS status = miniport_.MapCpuHostAperture(args);
  if (!NT_SUCCESS(status)) {
    space_.Free(view.first);
    Miniport::Require(status, "DxgkDdiMapCpuHostAperture");
  }
  auto* pointer = static_cast<uint8_t*>(
      kernel_.mmio().Map(start_ + view.first * page_bytes_, view.pages * page_bytes_, "vidmm", "CPU host aperture"));
  views_.emplace(pointer, view);
  return pointer;
}

void CpuHostAperture::Unmap(uint8_t* pointer) {
  const auto found = FindOrStop(views_, pointer, "an unmap of a view that the CPU host aperture does not have");
  const View view = found->second;
  views_.erase(found);
  kernel_.mmio().Unmap(pointer);
  std::vector<UINT> window = Pages(view);
  DXGKARG_UNMAPCPUHOSTAPERTURE args{};
  args.NumberOfPages = view.pages;
  args.pCpuHostAperturePages = window.data();
  args.SegmentId = static_cast<WORD>(segment_);
  args.PhysicalAdapterIndex = static_cast<WORD>(adapter_);
  Miniport::Require(miniport_.UnmapCpuHostAperture(args), "DxgkDdiUnmapCpuHostAperture");
  space_.Free(view.first);
}

}  // namespace gmmu::os
