// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/admission.h"

#include <algorithm>

#include "hw/host_ram.h"
#include "os/miniport/interface_version.h"

namespace gmmu::os {
namespace {

using Refusals = std::vector<Refusal>;

std::string Number(uint64_t value) { return std::to_string(value); }

/// Checks that the driver supports the GpuMmu model or the physical one (DXGK_VIDMMCAPS, DXGK_GPUMMUCAPS).
void Model(const AdapterAnswers& a, Refusals& out) {
  const DXGK_VIDMMCAPS& caps = a.driver.MemoryManagementCaps;
  if (a.physical_model() && caps.VirtualAddressingSupported) {
    out.push_back({"DXGK_VIDMMCAPS.GpuMmuSupported",
                   "is 0; VirtualAddressingSupported needs it, or IoMmuSupported",
                   StopCode::kUnknown,
                   {}});
  } else if (!a.physical_model() && !caps.VirtualAddressingSupported) {
    out.push_back(
        {"DXGK_VIDMMCAPS.VirtualAddressingSupported", "is 0; GPU virtual addresses need it", StopCode::kUnknown, {}});
  }
  if (!caps.GpuMmuSupported && caps.IoMmuSupported) {
    out.push_back({"DXGK_VIDMMCAPS.GpuMmuSupported",
                   "is 0 beside IoMmuSupported; known here are GpuMmu, and neither of them",
                   StopCode::kUnknown,
                   {}});
  }
  if (a.physical_model() && a.linked > 1) {
    out.push_back(
        {"DXGK_VIDMMCAPS.GpuMmuSupported", "is 0; only GPUs with GpuMmu are linked here", StopCode::kUnknown, {}});
  }
  if (caps.GpuMmuSupported && caps.IoMmuSupported && a.both_mmu_models_refused)
    out.push_back({"DXGK_VIDMMCAPS.IoMmuSupported", "is 1 beside GpuMmuSupported", StopCode::kUnknown, {}});
  if (a.nodes() == 0) {  // observed: Windows crashes here, but not if the query fails
    out.push_back({"DXGK_PHYSICALADAPTERCAPS.NumExecutionNodes", "is 0", StopCode::kSystemServiceException, {}});
  } else if (a.paging_node() >= a.nodes()) {
    out.push_back({"DXGK_PHYSICALADAPTERCAPS.PagingNodeIndex",
                   "is " + Number(a.paging_node()) + "; there are " + Number(a.nodes()) + " nodes",
                   StopCode::kUnknown,
                   {}});
  }
}

/// Checks DXGK_GPUMMUCAPS against the level descriptors.
void Levels(const AdapterAnswers& a, Refusals& out) {
  const UINT count = a.mmu.PageTableLevelCount;
  if (count < DXGK_MIN_PAGE_TABLE_LEVEL_COUNT || count > DXGK_MAX_PAGE_TABLE_LEVEL_COUNT) {
    out.push_back(
        {"DXGK_GPUMMUCAPS.PageTableLevelCount", "is " + Number(count) + ", legal: 2 to 6", StopCode::kUnknown, {}});
    return;
  }
  unsigned bits = 12;
  for (const DXGK_PAGE_TABLE_LEVEL_DESC& level : a.levels) bits += level.PageTableIndexBitCount;
  // Linked GPUs use the smallest VA width among them; a GPU with more bits uses part of its root.
  const bool in_part = a.linked > 1 && a.mmu.VirtualAddressBitCount < bits &&
                       a.mmu.VirtualAddressBitCount > bits - a.levels.back().PageTableIndexBitCount;
  // The root of a two-level tree can grow. The root's descriptor specifies only the initial size, which may be 0.
  const bool resizable = count == 2 && a.mmu.VirtualAddressBitCount > bits;
  const bool no_root = count == 2 && bits - a.levels.back().PageTableIndexBitCount >= a.mmu.VirtualAddressBitCount;
  if ((bits != a.mmu.VirtualAddressBitCount && !in_part && !resizable) || no_root) {
    out.push_back({"DXGK_GPUMMUCAPS.VirtualAddressBitCount",
                   "is " + Number(a.mmu.VirtualAddressBitCount) + "; the level descriptors cover " + Number(bits) +
                       " bits" + (no_root ? ", none of them for the root" : ""),
                   StopCode::kUnknown,
                   {}});
  }
}

/// Checks table sizes and alignments. A two-level tree's root is resizable: its size may be 0.
void Tables(const AdapterAnswers& a, Refusals& out) {
  for (size_t index = 0; index < a.levels.size(); ++index) {
    const UINT bytes = a.levels[index].PageTableSizeInBytes;
    const UINT alignment = a.levels[index].PageTableAlignmentInBytes;
    const bool resizable = a.levels.size() == 2 && index == 1;
    const std::string of = "of level " + Number(index) + " is ";
    if (bytes % hw::kPageSize != 0 || (bytes == 0 && !resizable)) {
      out.push_back({"DXGK_PAGE_TABLE_LEVEL_DESC.PageTableSizeInBytes",
                     of + Number(bytes) + ", not whole pages",
                     StopCode::kUnknown,
                     {}});
    }
    if ((alignment & (alignment - 1)) != 0) {
      out.push_back({"DXGK_PAGE_TABLE_LEVEL_DESC.PageTableAlignmentInBytes",
                     of + Number(alignment) + ", not a power of two",
                     StopCode::kUnknown,
                     {}});
    }
  }
}

/// Checks the leaf tables if 64 KiB pages are used: leaf tables of 64 KiB entries must have a size,
/// and leaf tables of 4 KiB entries must have enough entries.
void Pages64k(const AdapterAnswers& a, Refusals& out) {
  const bool used = std::any_of(a.segments.begin(), a.segments.end(),
                                [](const auto& s) { return s.Flags.Use64KBPages; });
  const UINT bytes = a.mmu.LeafPageTableSizeFor64KPagesInBytes;
  if (bytes % hw::kPageSize != 0 || (bytes == 0 && used)) {
    out.push_back({"DXGK_GPUMMUCAPS.LeafPageTableSizeFor64KPagesInBytes",
                   "is " + Number(bytes) + ", not whole pages" + (used ? "; a segment has pages of 64 KiB" : ""),
                   StopCode::kUnknown,
                   {}});
  }
  if (a.mmu.DualPteSupported && !used) {
    out.push_back(
        {"DXGK_GPUMMUCAPS.DualPteSupported", "is 1, and no segment has pages of 64 KiB", StopCode::kUnknown, {}});
  }
  if (used && !a.levels.empty() && a.levels[0].PageTableIndexBitCount < 4) {
    out.push_back({"DXGK_PAGE_TABLE_LEVEL_DESC.PageTableIndexBitCount",
                   "of level 0 is " + Number(a.levels[0].PageTableIndexBitCount) + "; pages of 64 KiB need 4 bits",
                   StopCode::kUnknown,
                   {}});
  }
}

/// Checks segment `id`, which a level descriptor selects for page tables. In every update mode,
/// Windows writes the paging process's initial tables with the CPU, so a memory segment with tables
/// must be CPU-visible (observed: bug checks 0x10E and 0x49). Tables in the implicit system memory
/// segment may have any size (as in two of Microsoft's sample drivers).
void TableSegment(const AdapterAnswers& a, size_t index, UINT id, const char* member, Refusals& out) {
  const std::string field = std::string("DXGK_PAGE_TABLE_LEVEL_DESC.") + member;
  const std::string which = "of level " + Number(index) + " is " + Number(id);
  if (id == a.system_segment()) return;
  if (id == 0) {
    if (a.levels[index].PageTableSizeInBytes > hw::kPageSize) {
      out.push_back({"DXGK_PAGE_TABLE_LEVEL_DESC.PageTableSizeInBytes",
                     "of level " + Number(index) + " is " + Number(a.levels[index].PageTableSizeInBytes) +
                         "; tables in segment 0 have 4096 bytes, larger ones lie in the implicit system memory "
                         "segment, " +
                         Number(a.system_segment()),
                     StopCode::kUnknown,
                     {}});
    }
    return;
  }
  if (id > a.segments.size()) {
    out.push_back({field,
                   which + "; there are " + Number(a.segments.size()) +
                       " segments, and the implicit system memory segment is " + Number(a.system_segment()),
                   StopCode::kUnknown,
                   {}});
    return;
  }
  const DXGK_SEGMENTFLAGS& flags = a.segments[id - 1].Flags;
  if (flags.Aperture) {
    out.push_back({field, which + ", an aperture segment", StopCode::kUnknown, {}});
  } else if (!flags.CpuVisible && !flags.SupportsCpuHostAperture) {
    out.push_back({field,
                   which + ", a segment that the CPU cannot reach: neither CpuVisible nor behind a "
                           "CPU host aperture",
                   StopCode::kVideoMemoryManagementInternal,
                   {stop::kPageTableUnreachable, 0, 0, 0}});
  }
}

/// Checks each DXGK_SEGMENTDESCRIPTOR4 and the rules that involve several descriptors.
void Segments(const AdapterAnswers& a, Refusals& out) {
  unsigned apertures = 0;
  bool host_aperture = false;
  for (size_t i = 0; i < a.segments.size(); ++i) {
    const DXGK_SEGMENTFLAGS& flags = a.segments[i].Flags;
    const std::string segment = "of segment " + Number(i + 1) + " ";
    apertures += flags.Aperture;
    if (host_aperture) {  // observed: Windows reports "invalid flags" for this segment
      out.push_back({"DXGK_SEGMENTDESCRIPTOR4.Flags",
                     segment + "stands behind a segment with SupportsCpuHostAperture, which must be the last",
                     StopCode::kUnknown,
                     {}});
    }
    host_aperture = flags.SupportsCpuHostAperture;
    if (flags.SupportsCpuHostAperture && flags.CpuVisible) {
      out.push_back(
          {"DXGK_SEGMENTFLAGS.SupportsCpuHostAperture", segment + "excludes CpuVisible", StopCode::kUnknown, {}});
    }
    if (flags.SupportsCachedCpuHostAperture && !flags.SupportsCpuHostAperture) {
      out.push_back({"DXGK_SEGMENTFLAGS.SupportsCachedCpuHostAperture",
                     segment + "needs SupportsCpuHostAperture",
                     StopCode::kUnknown,
                     {}});
    }
    // The physical model permits a cache-coherent memory segment, because WDDM 1 drivers were
    // observed to report one.
    if (flags.CacheCoherent && !flags.Aperture && !a.physical_model()) {
      out.push_back(
          {"DXGK_SEGMENTFLAGS.CacheCoherent", segment + "is for aperture segments only", StopCode::kUnknown, {}});
    }
    const unsigned preserved = flags.PreservedDuringStandby | flags.PreservedDuringHibernate << 1 |
                               flags.PartiallyPreservedDuringHibernate << 2;
    if (preserved != 0 && preserved != 1 && preserved != 3 && preserved != 5) {
      out.push_back({"DXGK_SEGMENTFLAGS.PreservedDuringHibernate",
                     segment + "stands in a combination of the three Preserved bits that is not legal",
                     StopCode::kUnknown,
                     {}});
    }
    if (a.segments[i].Size == 0 || a.segments[i].Size % hw::kPageSize != 0) {
      out.push_back({"DXGK_SEGMENTDESCRIPTOR4.Size",
                     segment + "is " + Number(a.segments[i].Size) + ", not whole pages",
                     StopCode::kUnknown,
                     {}});
    }
  }
  for (const auto& [id, ranges] : a.bad_ranges) {
    for (const DXGK_MEMORYRANGE& range : ranges) {
      const uint64_t size = a.segments[id - 1].Size;
      if (range.SegmentOffset % hw::kPageSize == 0 && range.SizeInBytes % hw::kPageSize == 0 &&
          range.SegmentOffset <= size && range.SizeInBytes <= size - range.SegmentOffset) {
        continue;
      }
      out.push_back({"DXGK_MEMORYRANGE",
                     "of segment " + Number(id) + " begins at " + Number(range.SegmentOffset) + " and has " +
                         Number(range.SizeInBytes) + " bytes: not whole pages of it",
                     StopCode::kUnknown,
                     {}});
    }
  }
  // WDDM 1 allows any number of aperture segments; this model supports at most one.
  if (apertures > 1 || (apertures == 0 && a.aperture_required && !a.physical_model())) {
    out.push_back(
        {"DXGK_SEGMENTFLAGS.Aperture",
         "stands at " + Number(apertures) +
             (a.physical_model() ? " segments; at most one is modelled"
                                 : " segments; GpuMmu needs exactly one, also where all memory is the system's "
                                   "([os] aperture_required)"),
         StopCode::kUnknown,
         {}});
  }
}

/// Checks the segment and the size of paging buffers. If either is illegal, Windows was observed to
/// fail with INVALID_PARAMETER after it had created the paging context.
void PagingBuffers(const AdapterAnswers& a, Refusals& out) {
  const UINT id = a.paging_buffer_segment;
  if (id > a.segments.size() || (id != 0 && !a.segments[id - 1].Flags.Aperture)) {
    out.push_back({"DXGK_QUERYSEGMENTOUT4.PagingBufferSegmentId",
                   "is " + Number(id) + "; it must be 0 or an aperture segment",
                   StopCode::kUnknown,
                   {}});
  }
  if (a.paging_buffer_bytes == 0) {
    out.push_back({"DXGK_QUERYSEGMENTOUT4.PagingBufferSize", "is 0", StopCode::kUnknown, {}});
  }
}

/// Checks what WDDM 3.0 certification requires of a discrete GPU (IOMMU DMA remapping, "integrated
/// versus discrete"). A GPU is integrated if system memory populates all its memory segments.
void DiscreteGpu(const AdapterAnswers& a, bool remapped, Refusals& out) {
  if (!a.discrete_without_remapping_refused || !HasDmaRemapping(a.version)) return;
  const bool discrete = std::any_of(a.segments.begin(), a.segments.end(), [](const auto& s) {
    return !s.Flags.Aperture && !s.Flags.PopulatedFromSystemMemory;
  });
  if (!discrete) return;
  static constexpr char kWhy[] =
      "; a discrete GPU must support DMA remapping from WDDM 3.0 on ([os] discrete_without_remapping_refused)";
  if (!a.iommu || !a.iommu->DmaRemappingSupported) {
    out.push_back({"DXGK_IOMMU_CAPS.DmaRemappingSupported",
                   (a.iommu ? "is 0" : "is not answered") + std::string(kWhy),
                   StopCode::kUnknown,
                   {}});
  } else if (!remapped && !a.driver.MemoryManagementCaps.MapAperture2Supported) {
    out.push_back({"DXGK_VIDMMCAPS.MapAperture2Supported", std::string("is 0") + kWhy, StopCode::kUnknown, {}});
  }
}

/// Checks that the IOMMU members of DXGK_VIDMMCAPS and of DXGK_IOMMU_CAPS agree (IOMMU-based GPU
/// isolation).
void IommuBits(const AdapterAnswers& a, bool remapped, Refusals& out) {
  const DXGK_VIDMMCAPS& caps = a.driver.MemoryManagementCaps;
  if (a.iommu) {
    if (a.iommu->IommuIsolationSupported != caps.IoMmuSecureModeSupported) {
      out.push_back({"DXGK_IOMMU_CAPS.IommuIsolationSupported",
                     "is " + Number(a.iommu->IommuIsolationSupported) +
                         ", DXGK_VIDMMCAPS.IoMmuSecureModeSupported is " + Number(caps.IoMmuSecureModeSupported),
                     StopCode::kUnknown,
                     {}});
    }
    if (a.iommu->IommuIsolationRequired != caps.IoMmuSecureModeRequired) {
      out.push_back({"DXGK_IOMMU_CAPS.IommuIsolationRequired",
                     "is " + Number(a.iommu->IommuIsolationRequired) + ", DXGK_VIDMMCAPS.IoMmuSecureModeRequired is " +
                         Number(caps.IoMmuSecureModeRequired),
                     StopCode::kUnknown,
                     {}});
    }
  } else if (caps.IoMmuSecureModeRequired && HasMemoryCaps(a.version)) {
    out.push_back(
        {"DXGK_VIDMMCAPS.IoMmuSecureModeRequired",
         "is 1, and DXGKQAITYPE_IOMMU_CAPS is refused, which says so before the start, when the domain must be "
         "attached",
         StopCode::kUnknown,
         {}});
  }
  // Before WDDM 2.9, HighestAcceptableAddress limits the memory that the GPU can address.
  const auto highest = static_cast<uint64_t>(a.driver.HighestAcceptableAddress.QuadPart);
  if (a.version < DXGKDDI_INTERFACE_VERSION_WDDM2_9 &&
      (a.highest_visible_inclusive ? highest < a.last_byte : highest <= a.last_byte)) {
    out.push_back({"DXGK_DRIVERCAPS.HighestAcceptableAddress",
                   "is " + Number(highest) + "; installed memory ends at " + Number(a.last_byte) +
                       " (host.memory_gib)" +
                       (highest == a.last_byte ? ", which it must exceed ([os] highest_visible_inclusive)" : ""),
                   StopCode::kUnknown,
                   {}});
  }
  if (remapped && !caps.MapAperture2Supported) {
    out.push_back({"DXGK_VIDMMCAPS.MapAperture2Supported",
                   "is 0; DMA remapping (DXGK_IOMMU_CAPS.DmaRemappingSupported) needs it",
                   StopCode::kUnknown,
                   {}});
  }
}

}  // namespace

std::vector<Refusal> Admit(const AdapterAnswers& answers, bool remapped) {
  Refusals out;
  Model(answers, out);
  IommuBits(answers, remapped, out);
  DiscreteGpu(answers, remapped, out);
  if (!answers.physical_model()) {
    Levels(answers, out);
    Tables(answers, out);
    Pages64k(answers, out);
  }
  Segments(answers, out);
  PagingBuffers(answers, out);
  for (size_t level = 0; level < answers.levels.size(); ++level) {
    const DXGK_PAGE_TABLE_LEVEL_DESC& d = answers.levels[level];
    TableSegment(answers, level, d.PagingProcessPageTableSegmentId, "PagingProcessPageTableSegmentId", out);
    if (d.PageTableSegmentId != d.PagingProcessPageTableSegmentId)
      TableSegment(answers, level, d.PageTableSegmentId, "PageTableSegmentId", out);
  }
  return out;
}

std::vector<Refusal> AdmitTable(const DRIVER_INITIALIZATION_DATA& table, const AdapterAnswers& answers) {
  Refusals out;
  if (!answers.physical_model()) return out;
  const auto need = [&](bool there, const char* entry) {
    if (!there)
      out.push_back({entry,
                     "is missing; DXGK_VIDMMCAPS.GpuMmuSupported is 0, and without an MMU the system calls it",
                     StopCode::kUnknown,
                     {}});
  };
  need(table.DxgkDdiOpenAllocation != nullptr, "DxgkDdiOpenAllocation");
  need(table.DxgkDdiCloseAllocation != nullptr, "DxgkDdiCloseAllocation");
  need(table.DxgkDdiRender != nullptr, "DxgkDdiRender");
  need(table.DxgkDdiPatch != nullptr, "DxgkDdiPatch");
  need(table.DxgkDdiSubmitCommand != nullptr, "DxgkDdiSubmitCommand");
  return out;
}

std::vector<Refusal> AdmitLink(const std::vector<AdapterAnswers*>& adapters) {
  Refusals out;
  const AdapterAnswers& first = *adapters.front();
  for (const AdapterAnswers* a : adapters) {
    if (adapters.size() == 1) break;
    const std::string which = "of adapter " + Number(a->physical_adapter) + " is ";
    if (a->nodes() != first.nodes()) {
      out.push_back({"DXGK_PHYSICALADAPTERCAPS.NumExecutionNodes",
                     which + Number(a->nodes()) + ", of adapter 0 " + Number(first.nodes()) +
                         "; linked adapters have the same number of nodes",
                     StopCode::kUnknown,
                     {}});
    }
    if (a->mmu.VirtualAddressBitCount != first.mmu.VirtualAddressBitCount) {
      out.push_back({"DXGK_GPUMMUCAPS.VirtualAddressBitCount",
                     which + Number(a->mmu.VirtualAddressBitCount) + ", of adapter 0 " +
                         Number(first.mmu.VirtualAddressBitCount) +
                         "; linked adapters share one address space, so all report the smallest",
                     StopCode::kUnknown,
                     {}});
    }
    for (const DXGK_PAGE_TABLE_LEVEL_DESC& level : a->levels) {
      const UINT id = level.PageTableSegmentId;
      if (id != 0 && id != a->system_segment() && id == a->levels.back().PageTableSegmentId) continue;
      out.push_back({"DXGK_PAGE_TABLE_LEVEL_DESC.PageTableSegmentId",
                     which + Number(id) + "; tables of linked adapters lie in one memory segment of each of them, " +
                         "roots at one address (LinkMirrored, LinkInstanced)",
                     StopCode::kUnknown,
                     {}});
      break;
    }
  }
  return out;
}

void RequireAdmission(const std::vector<Refusal>& refusals) {
  if (refusals.empty()) return;
  std::string text;
  for (const Refusal& refusal : refusals) text += (text.empty() ? "" : "; ") + refusal.field + " " + refusal.text;
  const Refusal& first = refusals.front();
  if (first.stop != StopCode::kUnknown) throw BugCheck(first.stop, first.parameters, text);
  throw OsError("the driver's answers are refused: " + text);
}

}  // namespace gmmu::os
