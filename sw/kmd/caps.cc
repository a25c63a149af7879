// SPDX-License-Identifier: Apache-2.0
// Implements DxgkDdiQueryAdapterInfo. Never writes past the end of the caller's buffer. Returns
// STATUS_NOT_SUPPORTED for an unknown type.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "kmd/adapter.h"
#include "kmd/entry_points.h"
#include "kmd/paging_record.h"
#include "kmd/segments.h"

namespace gmmu::kmd {
namespace {

template <typename Input>
const Input* InputOf(const DXGKARG_QUERYADAPTERINFO& args) {
  if (args.pInputData == nullptr || args.InputDataSize < sizeof(Input)) return nullptr;
  return static_cast<const Input*>(args.pInputData);
}

/// Returns the output structure of a query, or null if the caller's buffer is too small.
template <typename Output>
Output* OutputOf(const DXGKARG_QUERYADAPTERINFO& args) {
  if (args.pOutputData == nullptr || args.OutputDataSize < sizeof(Output)) return nullptr;
  return static_cast<Output*>(args.pOutputData);
}

/// Returns the minimum over the linked adapters, because a capability is reported once for the
/// whole chain.
template <typename ValueOf>
uint64_t LeastOf(const Adapter& adapter, ValueOf value_of) {
  uint64_t least = value_of(adapter.parameters);
  for (UINT i = 0; i < adapter.link.adapters(); ++i) {
    if (const Adapter* member = adapter.Member(i)) least = std::min<uint64_t>(least, value_of(member->parameters));
  }
  return least;
}

LONGLONG HighestAddress(const Adapter& adapter) {
  return static_cast<LONGLONG>((uint64_t{1} << LeastOf(adapter, [](const Parameters& p) { return p.limit_bits; })) - 1);
}

/// Returns the adapter that a query's input selects, or null if the input is missing or selects no
/// adapter.
template <typename Input>
const Adapter* Named(const Input* in, const Adapter& adapter) {
  return in == nullptr ? nullptr : adapter.Member(in->PhysicalAdapterIndex);
}

struct WddmVersion {
  ULONG interface;
  DXGK_WDDMVERSION version;
};
constexpr WddmVersion kWddmVersions[] = {
    {DXGKDDI_INTERFACE_VERSION_WDDM2_0, DXGKDDI_WDDMv2},   {DXGKDDI_INTERFACE_VERSION_WDDM2_1, DXGKDDI_WDDMv2_1},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_2, DXGKDDI_WDDMv2_2}, {DXGKDDI_INTERFACE_VERSION_WDDM2_3, DXGKDDI_WDDMv2_3},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_4, DXGKDDI_WDDMv2_4}, {DXGKDDI_INTERFACE_VERSION_WDDM2_5, DXGKDDI_WDDMv2_5},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_6, DXGKDDI_WDDMv2_6}, {DXGKDDI_INTERFACE_VERSION_WDDM2_7, DXGKDDI_WDDMv2_7},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_8, DXGKDDI_WDDMv2_8}, {DXGKDDI_INTERFACE_VERSION_WDDM2_9, DXGKDDI_WDDMv2_9},
    {DXGKDDI_INTERFACE_VERSION_WDDM3_0, DXGKDDI_WDDMv3_0}, {DXGKDDI_INTERFACE_VERSION_WDDM3_1, DXGKDDI_WDDMv3_1}};

/// Returns DXGK_DRIVERCAPS.WDDMVersion for an interface version.
DXGK_WDDMVERSION WddmVersionOf(uint64_t interface) {
  DXGK_WDDMVERSION version = DXGKDDI_WDDMv2;
  for (const WddmVersion& known : kWddmVersions) {
    if (known.interface <= interface) version = known.version;
  }
  return version;
}

/// The structure has grown with each version, so the caller receives as much of it as fits in its
/// buffer. If not even the oldest version fits, the query fails.
NTSTATUS DriverCaps(const DXGKARG_QUERYADAPTERINFO& args, const Adapter& adapter) {
  constexpr size_t kOldestSize = offsetof(DXGK_DRIVERCAPS, InternalGpuVirtualAddressRangeStart);
  if (args.pOutputData == nullptr || args.OutputDataSize < kOldestSize) return STATUS_BUFFER_TOO_SMALL;
  DXGK_DRIVERCAPS caps{};
  caps.HighestAcceptableAddress.QuadPart = HighestAddress(adapter);
  caps.ApertureSegmentCommitLimit = adapter.parameters.aperture_bytes;
  caps.SchedulingCaps.MultiEngineAware = 1;
  caps.SchedulingCaps.PreemptionAware = 1;
  caps.SchedulingCaps.NoDmaPatching = 1;
  caps.SchedulingCaps.No64BitAtomics = adapter.parameters.no_64bit_atomics;
  caps.MemoryManagementCaps.VirtualAddressingSupported = 1;
  caps.MemoryManagementCaps.GpuMmuSupported = 1;
  caps.MemoryManagementCaps.MapAperture2Supported = adapter.parameters.map_aperture2;
  caps.MemoryManagementCaps.IoMmuSecureModeSupported = adapter.parameters.isolation;
  caps.MemoryManagementCaps.IoMmuSecureModeRequired = adapter.parameters.isolation_required;
  caps.GpuEngineTopology.NbAsymetricProcessingNodes = adapter.nodes;
  caps.WDDMVersion = WddmVersionOf(adapter.parameters.interface_version);
  caps.SupportPerEngineTDR = TRUE;
  std::memcpy(args.pOutputData, &caps, std::min<size_t>(args.OutputDataSize, sizeof caps));
  return STATUS_SUCCESS;
}

/// The system queries twice: the first query passes no array and only returns the number of
/// segments. Descriptors are `SegmentDescriptorStride` bytes apart, which may be more than their
/// size in this header.
NTSTATUS QuerySegment(const DXGKARG_QUERYADAPTERINFO& args, const Adapter& lead) {
  const auto* in = InputOf<DXGK_QUERYSEGMENTIN4>(args);
  auto* out = OutputOf<DXGK_QUERYSEGMENTOUT4>(args);
  if (out == nullptr) return STATUS_BUFFER_TOO_SMALL;
  const Adapter* member = in == nullptr ? &lead : lead.Member(in->PhysicalAdapterIndex);
  if (member == nullptr) return STATUS_INVALID_PARAMETER;
  const Adapter& adapter = *member;
  if (!adapter.started) return STATUS_DEVICE_NOT_READY;
  const UINT count = adapter.hidden_segment_bytes() == 0 ? kVramSegment : kHiddenSegment;
  if (out->pSegmentDescriptor == nullptr) {
    out->NbSegment = count;
    return STATUS_SUCCESS;
  }
  if (out->NbSegment < count || out->SegmentDescriptorStride < sizeof(DXGK_SEGMENTDESCRIPTOR4)) {
    return STATUS_INVALID_PARAMETER;
  }

  DXGK_SEGMENTDESCRIPTOR4 aperture{};
  aperture.Flags.Aperture = 1;
  aperture.Flags.CacheCoherent = adapter.parameters.coherent_aperture;
  aperture.Size = adapter.parameters.aperture_bytes;
  aperture.CommitLimit = adapter.parameters.aperture_bytes;
  aperture.BaseAddress.QuadPart = static_cast<LONGLONG>(adapter.parameters.BaseOf(kApertureSegment));

  DXGK_SEGMENTDESCRIPTOR4 vram{};
  vram.Flags.CpuVisible = 1;  // the CPU must be able to access page tables in any update mode
  vram.Flags.PopulatedFromSystemMemory = adapter.integrated();
  vram.Flags.Use64KBPages = adapter.parameters.leaf_64k;
  vram.Size = adapter.vram_segment_bytes();
  vram.CommitLimit = vram.Size;
  vram.CpuTranslatedAddress = adapter.segment_address();
  vram.BaseAddress.QuadPart = static_cast<LONGLONG>(adapter.parameters.BaseOf(kVramSegment));
  vram.NumInvalidMemoryRanges = adapter.parameters.bad_bytes != 0;

  DXGK_SEGMENTDESCRIPTOR4 hidden{};
  hidden.Flags.Use64KBPages = adapter.parameters.leaf_64k;
  hidden.Size = hidden.CommitLimit = adapter.hidden_segment_bytes();
  if (const HostAperture& host = adapter.host_aperture; host.pages() != 0) {
    hidden.Flags.SupportsCpuHostAperture = 1;
    hidden.CpuHostAperture.PhysicalAddress.QuadPart = adapter.window_address.QuadPart +
                                                      static_cast<LONGLONG>(host.offset());
    hidden.CpuHostAperture.SizeInPages = static_cast<UINT>(host.bytes() / adapter.segment_page_bytes());
  }
  hidden.BaseAddress.QuadPart = vram.BaseAddress.QuadPart + static_cast<LONGLONG>(vram.Size);

  const DXGK_SEGMENTDESCRIPTOR4* descriptors[kHiddenSegment] = {&aperture, &vram, &hidden};
  for (uint32_t i = 0; i < count; ++i) {
    std::memcpy(out->pSegmentDescriptor + i * out->SegmentDescriptorStride, descriptors[i],
                sizeof(DXGK_SEGMENTDESCRIPTOR4));
  }
  out->NbSegment = count;
  out->PagingBufferSegmentId = adapter.parameters.paging_buffer_segment;
  out->PagingBufferSize = adapter.parameters.paging_buffer_bytes;
  out->PagingBufferPrivateDataSize = adapter.parameters.paging_private_bytes +
                                     BufferStart::kMost * static_cast<UINT>(sizeof(BufferStart));
  return STATUS_SUCCESS;
}

/// The system sends this query for a segment whose descriptor reports unusable ranges.
NTSTATUS SegmentMemoryState(const DXGKARG_QUERYADAPTERINFO& args, const Adapter& adapter) {
  auto* out = OutputOf<DXGK_QUERYSEGMENTMEMORYSTATE>(args);
  if (out == nullptr) return STATUS_BUFFER_TOO_SMALL;
  if (out->DriverSegmentId != kVramSegment || out->PhysicalAdapterIndex != 0 || out->NumInvalidMemoryRanges < 1 ||
      out->pMemoryRanges == nullptr || adapter.parameters.bad_bytes == 0) {
    return STATUS_INVALID_PARAMETER;
  }
  out->NumInvalidMemoryRanges = 1;
  out->pMemoryRanges[0] = {adapter.parameters.bad_base, adapter.parameters.bad_bytes};
  return STATUS_SUCCESS;
}

/// The system aligns large pages relative to their segment. Each segment in VRAM must therefore
/// start at a large-page boundary. A segment in system memory may start at any 64 KiB boundary, so
/// it has no large pages.
bool HasLargePages(const Adapter& adapter) {
  if (adapter.integrated()) return false;
  const uint64_t large = kPage << adapter.parameters.page_table_bits[0];
  return adapter.hidden_segment_bytes() == 0 || adapter.vram_segment_bytes() % large == 0;
}

NTSTATUS GpuMmuCaps(const DXGKARG_QUERYADAPTERINFO& args, const Adapter& lead) {
  auto* out = OutputOf<DXGK_GPUMMUCAPS>(args);
  if (out == nullptr) return STATUS_BUFFER_TOO_SMALL;
  const Adapter* member = Named(InputOf<DXGK_QUERYGPUMMUCAPSIN>(args), lead);
  if (member == nullptr) return STATUS_INVALID_PARAMETER;
  const Adapter& adapter = *member;
  DXGK_GPUMMUCAPS caps{};
  caps.ReadOnlyMemorySupported = 1;
  caps.NoExecuteMemorySupported = 1;
  caps.ZeroInPteSupported = 1;
  caps.CacheCoherentMemorySupported = 1;
  caps.LargePageSupported = HasLargePages(adapter);
  caps.InvalidTlbEntriesNotCached = adapter.parameters.invalid_not_cached;
  caps.ExplicitPageTableInvalidation = adapter.parameters.explicit_invalidation;
  caps.PageTableUpdateRequireAddressSpaceIdle = adapter.parameters.idle_for_updates;
  caps.PageTableUpdateMode = static_cast<DXGK_PAGETABLEUPDATEMODE>(adapter.parameters.update_mode);
  caps.DualPteSupported = adapter.parameters.dual_pte;
  caps.SysMem64KBPageSupported = adapter.parameters.system_64k;
  caps.LeafPageTableSizeFor64KPagesInBytes = static_cast<UINT>(adapter.parameters.Leaf64kTableBytes());
  caps.VirtualAddressBitCount =  // the minimum, because linked adapters share one address space
      static_cast<UINT>(LeastOf(adapter, [](const Parameters& p) { return p.va_bits(); }));
  caps.PageTableLevelCount = adapter.parameters.page_table_levels;
  *out = caps;
  return STATUS_SUCCESS;
}

NTSTATUS PageTableLevelDesc(const DXGKARG_QUERYADAPTERINFO& args, const Adapter& adapter) {
  const auto* in = InputOf<DXGK_QUERYPAGETABLELEVELDESCIN>(args);
  auto* out = OutputOf<DXGK_PAGE_TABLE_LEVEL_DESC>(args);
  if (out == nullptr) return STATUS_BUFFER_TOO_SMALL;
  const Adapter* member = Named(in, adapter);
  if (member == nullptr || in->LevelIndex >= member->parameters.page_table_levels) return STATUS_INVALID_PARAMETER;
  const Parameters& parameters = member->parameters;
  DXGK_PAGE_TABLE_LEVEL_DESC desc{};
  desc.PageTableIndexBitCount = parameters.page_table_bits[in->LevelIndex];
  desc.PageTableSegmentId = parameters.page_table_segment;
  desc.PagingProcessPageTableSegmentId = parameters.page_table_segment;
  desc.PageTableSizeInBytes = static_cast<UINT>(parameters.TableBytes(in->LevelIndex));
  desc.PageTableAlignmentInBytes = parameters.page_table_alignment;
  *out = desc;
  return STATUS_SUCCESS;
}

NTSTATUS PhysicalAdapterCaps(const DXGKARG_QUERYADAPTERINFO& args, const Adapter& adapter) {
  // Later versions added members after Flags. This driver does not use them, so the caller's buffer
  // may lack them.
  constexpr size_t kOldestSize = offsetof(DXGK_PHYSICALADAPTERCAPS, Flags) + sizeof(DXGK_PHYSICALADAPTERFLAGS);
  if (args.pOutputData == nullptr || args.OutputDataSize < kOldestSize) return STATUS_BUFFER_TOO_SMALL;
  const Adapter* member = Named(InputOf<DXGK_QUERYPHYSICALADAPTERCAPSIN>(args), adapter);
  if (member == nullptr) return STATUS_INVALID_PARAMETER;
  DXGK_PHYSICALADAPTERCAPS caps{};
  caps.NumExecutionNodes = static_cast<WORD>(member->nodes);
  caps.PagingNodeIndex = Adapter::kPagingNode;
  caps.DxgkPhysicalAdapterHandle = member->dxgkrnl_handle();
  caps.Flags.GpuMmuSupported = 1;
  std::memcpy(args.pOutputData, &caps, std::min<size_t>(args.OutputDataSize, sizeof caps));
  return STATUS_SUCCESS;
}

NTSTATUS PhysicalMemoryCaps(const DXGKARG_QUERYADAPTERINFO& args, const Adapter& adapter) {
  auto* out = OutputOf<DXGK_PHYSICAL_MEMORY_CAPS>(args);
  if (out == nullptr) return STATUS_BUFFER_TOO_SMALL;
  out->HighestVisibleAddress.QuadPart = HighestAddress(adapter);
  return STATUS_SUCCESS;
}

NTSTATUS IommuCaps(const DXGKARG_QUERYADAPTERINFO& args, const Adapter& adapter) {
  auto* out = OutputOf<DXGK_IOMMU_CAPS>(args);
  if (out == nullptr) return STATUS_BUFFER_TOO_SMALL;
  DXGK_IOMMU_CAPS caps{};
  caps.DmaRemappingSupported = adapter.parameters.dma_remapping &&
                               adapter.parameters.interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM3_0;
  caps.IommuIsolationSupported = adapter.parameters.isolation;
  caps.IommuIsolationRequired = adapter.parameters.isolation_required;
  *out = caps;
  return STATUS_SUCCESS;
}

NTSTATUS SaveAreaSize(const DXGKARG_QUERYADAPTERINFO& args, const Adapter& adapter) {
  const auto* index = InputOf<UINT>(args);
  auto* out = OutputOf<DXGK_FRAMEBUFFERSAVEAREA>(args);
  if (out == nullptr) return STATUS_BUFFER_TOO_SMALL;
  const Adapter* member = index == nullptr ? nullptr : adapter.Member(*index);
  if (member == nullptr) return STATUS_INVALID_PARAMETER;
  out->MaximumSize = SectionBytes(*member);
  return STATUS_SUCCESS;
}

/// The system queries twice: the first query passes no array, in one of two forms, and only returns
/// the number of ranges.
NTSTATUS ReservedRanges(const DXGKARG_QUERYADAPTERINFO& args, const Adapter& adapter) {
  auto* out = OutputOf<DXGK_HARDWARERESERVEDRANGES>(args);
  if (out == nullptr) return STATUS_BUFFER_TOO_SMALL;
  const UINT count = adapter.parameters.reserved_bytes != 0;
  const bool room = out->pPhysicalRanges != nullptr && out->NumRanges >= count;
  out->NumRanges = count;
  if (room && count != 0)
    out->pPhysicalRanges[0] = {adapter.parameters.reserved_base, adapter.parameters.reserved_bytes};
  return STATUS_SUCCESS;
}

}  // namespace

NTSTATUS QueryAdapterInfo(HANDLE hAdapter, const DXGKARG_QUERYADAPTERINFO* pArgs) {
  const auto& adapter = Adapter::From(hAdapter);
  const bool memory_caps = adapter.parameters.interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_9;
  switch (pArgs->Type) {
    case DXGKQAITYPE_DRIVERCAPS: return DriverCaps(*pArgs, adapter);
    case DXGKQAITYPE_QUERYSEGMENT4: return QuerySegment(*pArgs, adapter);
    case DXGKQAITYPE_SEGMENTMEMORYSTATE: return SegmentMemoryState(*pArgs, adapter);
    case DXGKQAITYPE_GPUMMUCAPS: return GpuMmuCaps(*pArgs, adapter);
    case DXGKQAITYPE_PAGETABLELEVELDESC: return PageTableLevelDesc(*pArgs, adapter);
    case DXGKQAITYPE_PHYSICALADAPTERCAPS: return PhysicalAdapterCaps(*pArgs, adapter);
    case DXGKQAITYPE_PHYSICAL_MEMORY_CAPS:
      return memory_caps ? PhysicalMemoryCaps(*pArgs, adapter) : STATUS_NOT_SUPPORTED;
    case DXGKQAITYPE_FRAMEBUFFERSAVESIZE: return SaveAreaSize(*pArgs, adapter);
    case DXGKQAITYPE_HARDWARERESERVEDRANGES: return ReservedRanges(*pArgs, adapter);
    case DXGKQAITYPE_IOMMU_CAPS: return memory_caps ? IommuCaps(*pArgs, adapter) : STATUS_NOT_SUPPORTED;
    default: return STATUS_NOT_SUPPORTED;
  }
}

NTSTATUS GetNodeMetadata(HANDLE hAdapter, UINT NodeOrdinalAndAdapterIndex, DXGKARG_GETNODEMETADATA* pArgs) {
  const UINT node = NodeOrdinalAndAdapterIndex & 0xffff;
  const UINT physical_adapter = NodeOrdinalAndAdapterIndex >> 16;
  Adapter* adapter = Adapter::From(hAdapter).Member(physical_adapter);
  if (adapter == nullptr || adapter->EngineOf(node) == nullptr) return STATUS_INVALID_PARAMETER;
  *pArgs = {};
  pArgs->EngineType = DXGK_ENGINE_TYPE_COPY;
  pArgs->GpuMmuSupported = TRUE;
  constexpr std::string_view kNames[Adapter::kMostNodes] = {"Paging", "Copy"};
  std::copy(kNames[node].begin(), kNames[node].end(), pArgs->FriendlyName);
  return STATUS_SUCCESS;
}

}  // namespace gmmu::kmd
