// SPDX-License-Identifier: Apache-2.0
#include "kmd/host_aperture.h"

#include "kmd/adapter.h"
#include "kmd/entry_points.h"

namespace gmmu::kmd {

bool HostAperture::Initialize(regs::Cap2 built, uint64_t window_bytes) {
  const auto lg2 = static_cast<uint32_t>(built.host_aperture_lg2());
  pages_ = offset_ = 0;
  if (lg2 == 0 || lg2 > kMostLg2 || window_bytes <= kPage << lg2) return false;
  pages_ = uint64_t{1} << lg2;
  offset_ = window_bytes - bytes();
  for (uint32_t i = 0; i < pages_; ++i) entries_[i] = regs::HostApertureEntry{}.set_index(i);
  return true;
}

void HostAperture::Restore(const Registers& registers) const {
  for (uint32_t i = 0; i < pages_; ++i) registers.Write(entries_[i]);
  registers.Write(regs::HostAperture{}.set_enable(1).set_first(offset_ / kPage));
}

void HostAperture::Set(const Registers* registers, uint32_t index, regs::HostApertureEntry entry) {
  entries_[index] = entry.set_index(index);
  if (registers != nullptr) registers->Write(entries_[index]);
}

namespace {

/// Sets the entries of one page of the aperture. A page of the segment has one entry, or sixteen if
/// the segment has 64 KiB pages. `vram_page`: the 4 KiB page of VRAM, or nullptr to unmap.
void SetPage(Adapter& adapter, uint64_t page, const uint64_t* vram_page) {
  const auto entries = static_cast<uint32_t>(adapter.segment_page_bytes() / kPage);
  for (uint32_t i = 0; i < entries; ++i) {
    regs::HostApertureEntry entry;
    if (vram_page != nullptr) entry = entry.set_valid(1).set_page(*vram_page + i);
    adapter.host_aperture.Set(adapter.powered ? &adapter.registers : nullptr, static_cast<uint32_t>(page * entries) + i,
                              entry);
  }
}

/// Returns the member whose hidden segment the arguments name, or null if they name another segment
/// or pages that the aperture does not have.
template <typename Arguments>
Adapter* MemberOf(HANDLE hAdapter, const Arguments& args) {
  Adapter* adapter = Adapter::From(hAdapter).Member(args.PhysicalAdapterIndex);
  if (adapter == nullptr || args.SegmentId != kHiddenSegment) return nullptr;
  for (uint64_t i = 0; i < args.NumberOfPages; ++i)
    if (args.pCpuHostAperturePages[i] >= adapter->host_aperture.bytes() / adapter->segment_page_bytes()) return nullptr;
  return adapter;
}

}  // namespace

NTSTATUS MapCpuHostAperture(HANDLE hAdapter, const DXGKARG_MAPCPUHOSTAPERTURE* pArgs) {
  Adapter* adapter = MemberOf(hAdapter, *pArgs);
  if (adapter == nullptr) return STATUS_INVALID_PARAMETER;
  const uint64_t page_bytes = adapter->segment_page_bytes();
  for (uint64_t i = 0; i < pArgs->NumberOfPages; ++i)
    if (pArgs->pMemorySegmentPages[i] >= adapter->hidden_segment_bytes() / page_bytes) return STATUS_INVALID_PARAMETER;
  for (uint64_t i = 0; i < pArgs->NumberOfPages; ++i) {
    const uint64_t page = (adapter->vram_segment_bytes() + pArgs->pMemorySegmentPages[i] * page_bytes) / kPage;
    SetPage(*adapter, pArgs->pCpuHostAperturePages[i], &page);
  }
  return STATUS_SUCCESS;
}

NTSTATUS UnmapCpuHostAperture(HANDLE hAdapter, const DXGKARG_UNMAPCPUHOSTAPERTURE* pArgs) {
  Adapter* adapter = MemberOf(hAdapter, *pArgs);
  if (adapter == nullptr) return STATUS_INVALID_PARAMETER;
  for (uint64_t i = 0; i < pArgs->NumberOfPages; ++i) SetPage(*adapter, pArgs->pCpuHostAperturePages[i], nullptr);
  return STATUS_SUCCESS;
}

}  // namespace gmmu::kmd
