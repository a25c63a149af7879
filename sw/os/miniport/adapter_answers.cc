// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/adapter_answers.h"

#include "os/base/bring_up.h"
#include "os/miniport/interface_version.h"
#include "os/miniport/driver_calls.h"
#include "os/miniport/miniport.h"
#include "os/miniport/unmodelled.h"

#include <algorithm>
#include <cstring>

namespace gmmu::os {
namespace {

/// The array stride that is passed to the driver. It is larger than the driver's structure, as it
/// would be with a newer kernel, so the driver must step by this stride rather than by its own
/// sizeof.
constexpr size_t kStride = sizeof(DXGK_SEGMENTDESCRIPTOR4) + 16;

/// Makes the segment query of WDDM 1.2, whose descriptors are a plain array without a stride.
void QuerySegments3(Miniport& miniport, AdapterAnswers& answers) {
  DXGK_QUERYSEGMENTIN which{};
  DXGK_QUERYSEGMENTOUT3 out{};
  Miniport::Require(miniport.Query(DXGKQAITYPE_QUERYSEGMENT3, which, out), "the first query for QUERYSEGMENT3");
  std::vector<DXGK_SEGMENTDESCRIPTOR3> descriptors(out.NbSegment);
  {
    GuardedArguments guarded(miniport.driver().copies());
    const auto name = [&] { return "pSegmentDescriptor of " + std::to_string(descriptors.size()) + " segments"; };
    out.pSegmentDescriptor = static_cast<DXGK_SEGMENTDESCRIPTOR3*>(
        guarded.Array(descriptors.data(), descriptors.size() * sizeof(DXGK_SEGMENTDESCRIPTOR3), name, true));
    Miniport::Require(miniport.Query(DXGKQAITYPE_QUERYSEGMENT3, which, out), "the second query for QUERYSEGMENT3");
  }
  answers.paging_buffer_segment = out.PagingBufferSegmentId;
  answers.paging_buffer_bytes = out.PagingBufferSize;
  answers.paging_private_bytes = out.PagingBufferPrivateDataSize;
  for (const DXGK_SEGMENTDESCRIPTOR3& old : descriptors) {
    DXGK_SEGMENTDESCRIPTOR4 descriptor{};
    descriptor.Flags = old.Flags;
    descriptor.BaseAddress = old.BaseAddress;
    descriptor.Size = old.Size;
    descriptor.CommitLimit = old.CommitLimit;
    descriptor.SystemMemoryEndAddress = old.SystemMemoryEndAddress;
    descriptor.CpuTranslatedAddress = old.CpuTranslatedAddress;
    answers.segments.push_back(descriptor);
    const std::string where = " of segment " + std::to_string(answers.segments.size());
    for (const std::string& member : UnmodelledOf(old, where)) answers.newer.push_back(member);
  }
}

void QuerySegments(Miniport& miniport, AdapterAnswers& answers) {
  DXGK_QUERYSEGMENTIN4 which{answers.physical_adapter};
  DXGK_QUERYSEGMENTOUT4 out{};
  const NTSTATUS first = miniport.Query(DXGKQAITYPE_QUERYSEGMENT4, which, out);
  if (!NT_SUCCESS(first) && answers.physical_model()) return QuerySegments3(miniport, answers);
  Miniport::Require(first, "the first query for QUERYSEGMENT4");
  const UINT count = out.NbSegment;
  // The driver recognises the second query by its non-null pointer, hence at least one descriptor.
  std::vector<BYTE> descriptors(std::max<UINT>(count, 1) * kStride);
  out.SegmentDescriptorStride = kStride;
  {
    GuardedArguments guarded(miniport.driver().copies());
    const auto name = [&] { return "pSegmentDescriptor of " + std::to_string(count) + " segments"; };
    out.pSegmentDescriptor = static_cast<BYTE*>(guarded.Array(descriptors.data(), descriptors.size(), name, true));
    Miniport::Require(miniport.Query(DXGKQAITYPE_QUERYSEGMENT4, which, out), "the second query for QUERYSEGMENT4");
  }
  answers.paging_buffer_segment = out.PagingBufferSegmentId;
  answers.paging_buffer_bytes = out.PagingBufferSize;
  answers.paging_private_bytes = out.PagingBufferPrivateDataSize;
  for (UINT index = 0; index < count; ++index) {
    DXGK_SEGMENTDESCRIPTOR4 descriptor;
    std::memcpy(&descriptor, descriptors.data() + index * kStride, sizeof descriptor);
    ClearNewer(miniport.table().Version, descriptor.Flags, answers.newer, " of segment " + std::to_string(index + 1));
    answers.segments.push_back(descriptor);
  }
  for (UINT index = 0; index < count; ++index) {  // only segments whose descriptor reports bad ranges are queried
    const UINT ranges = answers.segments[index].NumInvalidMemoryRanges;
    if (ranges == 0) continue;
    std::vector<DXGK_MEMORYRANGE> bad(ranges);
    UINT found = 0;
    {
      GuardedArguments guarded(miniport.driver().copies());
      const auto name = [&] { return "the memory ranges of segment " + std::to_string(index + 1); };
      void* const place = guarded.Array(bad.data(), ranges * sizeof(DXGK_MEMORYRANGE), name, true);
      DXGK_QUERYSEGMENTMEMORYSTATE state{static_cast<WORD>(index + 1), static_cast<WORD>(answers.physical_adapter),
                                         ranges, static_cast<DXGK_MEMORYRANGE*>(place)};
      Miniport::Require(miniport.Query(DXGKQAITYPE_SEGMENTMEMORYSTATE, state),
                        "the query for SEGMENTMEMORYSTATE of segment " + std::to_string(index + 1));
      found = state.NumInvalidMemoryRanges;
    }
    bad.resize(std::min(ranges, found));
    answers.bad_ranges[index + 1] = bad;
  }
}

void QueryPhysicalAdapter(Miniport& miniport, AdapterAnswers& answers) {
  DXGK_PHYSICALADAPTERCAPS physical{};
  if (NT_SUCCESS(QueryPhysicalAdapterCaps(miniport, answers.physical_adapter, physical))) {
    ClearNewer(miniport.table().Version, physical.Flags, answers.newer);
    answers.physical = physical;
  }
  if (!answers.driver.MemoryManagementCaps.IoMmuSecureModeSupported) return;
  DXGK_FRAMEBUFFERSAVEAREA area{};
  UINT index = answers.physical_adapter;
  if (NT_SUCCESS(miniport.Query(DXGKQAITYPE_FRAMEBUFFERSAVESIZE, index, area))) answers.save_area = area.MaximumSize;
}

void QueryMmu(Miniport& miniport, AdapterAnswers& answers) {
  DXGK_QUERYGPUMMUCAPSIN mmu{answers.physical_adapter};
  Miniport::Require(miniport.Query(DXGKQAITYPE_GPUMMUCAPS, mmu, answers.mmu), "the query for GPUMMUCAPS");
  ClearNewer(miniport.table().Version, answers.mmu, answers.newer);
  const UINT levels = answers.mmu.PageTableLevelCount;
  for (UINT level = 0; level < levels && level < DXGK_MAX_PAGE_TABLE_LEVEL_COUNT; ++level) {
    DXGK_QUERYPAGETABLELEVELDESCIN which{static_cast<WORD>(level), static_cast<WORD>(answers.physical_adapter)};
    DXGK_PAGE_TABLE_LEVEL_DESC descriptor{};
    Miniport::Require(miniport.Query(DXGKQAITYPE_PAGETABLELEVELDESC, which, descriptor),
                      "the query for PAGETABLELEVELDESC of level " + std::to_string(level));
    answers.levels.push_back(descriptor);
  }
}

/// Windows build 22621 makes these queries and ignores their failure. Their results do not affect
/// memory management.
void QueryUnneeded(Miniport& miniport, DXGK_QUERYADAPTERINFOTYPE type) {
  UINT32 out = 0;  // the size that build 22621 passes for HISTORYBUFFERPRECISION
  miniport.Query(type, out);
}

}  // namespace

UINT AdapterAnswers::SegmentSet(bool aperture) const {
  UINT set = 0;
  for (size_t i = 0; i < segments.size(); ++i)
    if ((segments[i].Flags.Aperture != 0) == aperture) set |= 1u << i;
  return set;
}

unsigned AdapterAnswers::nodes() const {
  return physical ? physical->NumExecutionNodes : driver.GpuEngineTopology.NbAsymetricProcessingNodes;
}

unsigned AdapterAnswers::paging_node() const {
  return physical ? physical->PagingNodeIndex : driver.MemoryManagementCaps.PagingNode;
}

uint64_t AdapterAnswers::highest_visible() const {
  return static_cast<uint64_t>(memory ? memory->HighestVisibleAddress.QuadPart
                                      : driver.HighestAcceptableAddress.QuadPart);
}

NTSTATUS QueryPhysicalAdapterCaps(Miniport& miniport, UINT index, DXGK_PHYSICALADAPTERCAPS& caps) {
  DXGK_QUERYPHYSICALADAPTERCAPSIN adapter{index};
  return miniport.QueryAdapterInfo(DXGKQAITYPE_PHYSICALADAPTERCAPS, &adapter, sizeof adapter, &caps,
                                   PhysicalAdapterCapsBytes(miniport.table().Version));
}

void QueryMemory(Miniport& miniport, AdapterAnswers& answers) {
  answers.version = miniport.table().Version;
  if (!HasMemoryCaps(answers.version)) return;
  Miniport::Require(miniport.Query(DXGKQAITYPE_PHYSICAL_MEMORY_CAPS, answers.memory.emplace()),
                    "the query for PHYSICAL_MEMORY_CAPS");
  DXGK_IOMMU_CAPS iommu{};
  if (NT_SUCCESS(miniport.Query(DXGKQAITYPE_IOMMU_CAPS, iommu))) {
    ClearNewer(miniport.table().Version, iommu, answers.newer);
    answers.iommu = iommu;
  }
}

void QueryStarted(Miniport& miniport, const std::vector<AdapterAnswers*>& adapters, BringUp order) {
  const bool as_22621 = order == BringUp::kWindows22621;
  DXGK_DRIVERCAPS& driver = adapters.front()->driver;
  Miniport::Require(miniport.QueryAdapterInfo(DXGKQAITYPE_DRIVERCAPS, nullptr, 0, &driver,
                                              DriverCapsBytes(miniport.table().Version)),
                    "the query for DRIVERCAPS");
  ClearNewer(miniport.table().Version, driver.MemoryManagementCaps, adapters.front()->newer);
  for (AdapterAnswers* answers : adapters) {
    answers->driver = driver;
    QueryPhysicalAdapter(miniport, *answers);
  }
  if (as_22621) QueryUnneeded(miniport, DXGKQAITYPE_64BITONLYCAPS);
  for (AdapterAnswers* answers : adapters) {
    if (!answers->physical_model()) QueryMmu(miniport, *answers);
    for (UINT node = 0; node < answers->nodes() && miniport.has_node_metadata(); ++node) {
      DXGKARG_GETNODEMETADATA metadata{};
      Miniport::Require(miniport.GetNodeMetadata(node, answers->physical_adapter, metadata),
                        "DxgkDdiGetNodeMetadata of node " + std::to_string(node));
      for (const std::string& member : UnmodelledOf(metadata, " of node " + std::to_string(node)))
        answers->newer.push_back(member);
    }
    QuerySegments(miniport, *answers);
  }
  if (!as_22621) return;
  QueryUnneeded(miniport, DXGKQAITYPE_DISPLAY_DRIVERCAPS_EXTENSION);
  QueryUnneeded(miniport, DXGKQAITYPE_HISTORYBUFFERPRECISION);
}

}  // namespace gmmu::os
