// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ddi/dispmprt.h"

namespace gmmu::os {

enum class BringUp;

class Miniport;

/// The unmodified results of DxgkDdiQueryAdapterInfo for one physical adapter.
struct AdapterAnswers {
  ULONG version = 0;  ///< version of the driver's table, DXGKDDI_INTERFACE_VERSION_*
  UINT physical_adapter = 0;
  uint64_t last_byte = 0;  ///< last byte of installed memory
  UINT linked = 1;         ///< number of physical adapters in the link
  // Settings from os.def.
  bool system_segment_behind_last = true, both_mmu_models_refused = true, discrete_without_remapping_refused = true;
  bool aperture_required = true, highest_visible_inclusive = false;

  // Queried before DxgkDdiStartDevice, if the driver's version is WDDM 2.9 or later:
  std::optional<DXGK_PHYSICAL_MEMORY_CAPS> memory;  ///< absent: not queried
  std::optional<DXGK_IOMMU_CAPS> iommu;             ///< absent: not queried, or refused

  // Queried after DxgkDdiStartDevice.
  DXGK_DRIVERCAPS driver{};
  std::optional<DXGK_PHYSICALADAPTERCAPS> physical;  ///< absent: the driver refused; Windows tolerates that
  std::optional<uint64_t> save_area;                 ///< FRAMEBUFFERSAVESIZE; absent: not queried, or refused
  std::vector<uint64_t> save_areas;  ///< by physical adapter; set for the lead only; empty: none was reported
  DXGK_GPUMMUCAPS mmu{};
  std::vector<DXGK_PAGE_TABLE_LEVEL_DESC> levels;            ///< leaf first
  std::vector<DXGK_SEGMENTDESCRIPTOR4> segments;             ///< segment n + 1 is at index n
  std::map<UINT, std::vector<DXGK_MEMORYRANGE>> bad_ranges;  ///< by segment id: ranges that must not be used
  UINT paging_buffer_segment = 0;
  UINT paging_buffer_bytes = 0;
  UINT paging_private_bytes = 0;
  /// Members that the driver set but that the model treats as 0, because the driver's interface
  /// version does not define them or because the model clears them.
  std::vector<std::string> newer;

  /// The number of execution nodes: from `physical` if present, otherwise from the driver's engine topology.
  unsigned nodes() const;
  /// The last byte that the GPU can address: from `memory`, or from `driver` before WDDM 2.9.
  uint64_t highest_visible() const;
  unsigned paging_node() const;
  /// The id by which a driver refers to the implicit system memory segment: the id after the last
  /// segment if `os.system_segment_behind_last` is set, otherwise 31.
  UINT system_segment() const {
    return system_segment_behind_last ? static_cast<UINT>(segments.size()) + 1 : DXGK_SEGMENT_ID_SYSTEMMEMORY;
  }
  /// system_set returns the segment set that contains only system memory. SegmentSet returns the
  /// set of all aperture segments or of all memory segments.
  UINT system_set() const { return system_segment_behind_last ? 1u << segments.size() : DXGK_SEGMENT_SET_SYSTEMMEMORY; }
  UINT SegmentSet(bool aperture) const;
  /// True if the GPU has no MMU that the system manages, neither GpuMmu nor IoMmu. Allocations then have only physical
  /// addresses, which DxgkDdiPatch writes into DMA buffers.
  bool physical_model() const {
    return !driver.MemoryManagementCaps.GpuMmuSupported && !driver.MemoryManagementCaps.IoMmuSupported;
  }
  /// True if the driver declares support for DMA remapping, whether remapping is in use or not.
  bool supports_remapping() const { return iommu && iommu->DmaRemappingSupported; }
};

/// Queries PHYSICAL_MEMORY_CAPS and IOMMU_CAPS if the driver's version defines them. Throws OsError if the
/// PHYSICAL_MEMORY_CAPS query fails.
void QueryMemory(Miniport& miniport, AdapterAnswers& answers);
/// Queries PHYSICALADAPTERCAPS with the size that the driver's version defines. The caller handles a failure.
NTSTATUS QueryPhysicalAdapterCaps(Miniport& miniport, UINT index, DXGK_PHYSICALADAPTERCAPS& caps);
/// Makes the remaining queries in the order observed on Windows build 22621: DRIVERCAPS,
/// PHYSICALADAPTERCAPS, FRAMEBUFFERSAVESIZE for a driver with GPU isolation (documented; not
/// observed on Windows), GPUMMUCAPS and a descriptor for each level (except in the physical model),
/// node metadata, and QUERYSEGMENT4 twice. A driver of the physical model may support QUERYSEGMENT3
/// instead. BringUp::kWindows22621 adds queries that memory management does not need: 64BITONLYCAPS
/// after PHYSICALADAPTERCAPS, and DISPLAY_DRIVERCAPS_EXTENSION and HISTORYBUFFERPRECISION at the
/// end. Throws OsError, which names the query, if a query that Windows needs fails. For linked
/// adapters, DRIVERCAPS is queried once, and the other capabilities once for each adapter index
/// (documented; not observed on Windows).
void QueryStarted(Miniport& miniport, const std::vector<AdapterAnswers*>& adapters, BringUp order);

}  // namespace gmmu::os
