// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/allocation.h"

#include <algorithm>

#include "os/base/text.h"
#include "os/miniport/adapter_answers.h"
#include "os/miniport/admission.h"
#include "os/miniport/geometry.h"

namespace gmmu::os {
namespace {

constexpr ULONG kCpuVisibleNeedsAperture = 0xF002;  // interface version
constexpr uint64_t kLargestSize = uint64_t{1} << 57;

/// Returns the segments in which the GPU can access the allocation. Only the physical model uses the read set
/// (DXGK_ALLOCATIONINFO); there, an empty write set means that the GPU never writes the allocation.
UINT ReachableSet(const DXGK_ALLOCATIONINFO& info, const AdapterAnswers& answers) {
  if (!answers.physical_model()) return info.SupportedWriteSegmentSet;
  if (info.SupportedWriteSegmentSet == 0) return info.SupportedReadSegmentSet;
  return info.SupportedReadSegmentSet & info.SupportedWriteSegmentSet;
}

}  // namespace

std::vector<Refusal> AdmitAllocation(const AllocationRequest& request, const DXGK_ALLOCATIONINFO& info,
                                     const AdapterAnswers& answers) {
  std::vector<Refusal> out;
  const auto refuse = [&](const char* member, const std::string& text) {
    out.push_back({std::string("DXGK_ALLOCATIONINFO.") + member, text, StopCode::kUnknown, {}});
  };
  const UINT apertures = answers.SegmentSet(true), memories = answers.SegmentSet(false);
  const DXGK_ALLOCATIONINFOFLAGS_WDDM2_0& flags = info.FlagsWddm2;
  const UINT set = ReachableSet(info, answers);

  if (info.hAllocation == nullptr) refuse("hAllocation", "is NULL");
  if (info.Size < request.bytes)
    refuse("Size", "is " + std::to_string(info.Size) + ", " + std::to_string(request.bytes) + " were asked for");
  if (info.Size > kLargestSize)
    refuse("Size", "is " + Hex(info.Size) + "; GPU virtual addresses have at most " + Hex(kLargestSize) + " bytes");
  if (info.Alignment != 0 && (info.Alignment & (info.Alignment - 1)) != 0)
    refuse("Alignment", "is " + std::to_string(info.Alignment) + ", no power of two");
  // Without an MMU, the GPU can access system memory only through an aperture.
  const UINT system = answers.physical_model() ? 0 : answers.system_set();
  if (answers.physical_model() && set == 0)
    refuse("SupportedWriteSegmentSet", "is " + Hex(info.SupportedWriteSegmentSet) + ", SupportedReadSegmentSet " +
                                           Hex(info.SupportedReadSegmentSet) + ": no segment has both");
  if ((set & ~(apertures | memories | system)) != 0)
    refuse("SupportedWriteSegmentSet",
           "is " + Hex(set) + "; there are " + std::to_string(answers.segments.size()) + " segments");
  if ((info.EvictionSegmentSet & ~apertures) != 0)
    refuse("EvictionSegmentSet", "is " + Hex(info.EvictionSegmentSet) + "; only aperture segments are legal");
  if (info.AllocationPriority == 0) refuse("AllocationPriority", "is 0");
  if (!answers.physical_model() && info.PhysicalAdapterIndex >= answers.linked)
    refuse("PhysicalAdapterIndex", "is " + std::to_string(info.PhysicalAdapterIndex) + "; there are " +
                                       std::to_string(answers.linked) + " physical adapters");
  else if (!answers.physical_model() && info.PhysicalAdapterIndex != request.physical_adapter)
    refuse("PhysicalAdapterIndex", "is " + std::to_string(info.PhysicalAdapterIndex) + "; memory of adapter " +
                                       std::to_string(request.physical_adapter) + " was asked for");
  if (info.Flags.LinkMirrored)  // LinkInstanced's bit is now MapApertureCpuVisible
    refuse("FlagsWddm2",
           "has bit 12, LinkMirrored of WDDM 1.x; it is reserved since WDDM 2.0, and an allocation "
           "lives on the adapter that PhysicalAdapterIndex names");
  if (flags.ExplicitResidencyNotification && !flags.AccessedPhysically)
    refuse("FlagsWddm2.ExplicitResidencyNotification", "needs AccessedPhysically");
  // The flag requires operation 17, MAP_APERTURE_SEGMENT2 (IOMMU DMA remapping documentation).
  if (flags.MapApertureCpuVisible && !answers.driver.MemoryManagementCaps.MapAperture2Supported)
    refuse("FlagsWddm2.MapApertureCpuVisible", "needs DXGK_VIDMMCAPS.MapAperture2Supported");
  // The following two rules were observed on Windows build 22621.
  if (flags.CpuVisible && request.shareable && (set & memories) != 0)
    refuse("SupportedWriteSegmentSet",
           "is " + Hex(set) + "; a shareable CpuVisible allocation must be in aperture segments only");
  if (flags.CpuVisible && !request.primary && answers.version >= kCpuVisibleNeedsAperture &&
      (set & (apertures | answers.system_set())) == 0)
    refuse("SupportedWriteSegmentSet", "is " + Hex(set) + "; a CpuVisible allocation needs an aperture segment");
  return out;
}

Homes HomesOf(const DXGK_ALLOCATIONINFO& info, const AdapterAnswers& answers) {
  Homes homes;
  const UINT set = ReachableSet(info, answers);
  const bool physically = info.FlagsWddm2.AccessedPhysically != 0 || answers.physical_model();
  homes.memory = set & answers.SegmentSet(false);
  homes.aperture = physically ? set & answers.SegmentSet(true) : 0;
  const bool upgraded = !physically && (set & answers.SegmentSet(true)) != 0;
  homes.implicit_system = !answers.physical_model() && ((set & answers.system_set()) != 0 || upgraded);
  homes.contiguous = physically;
  homes.alignment = info.Alignment;
  for (size_t i = 0; i < answers.segments.size(); ++i)
    if ((homes.memory >> i & 1) != 0 && answers.segments[i].Flags.Use64KBPages) homes.page_bytes = kBytesOf64k;
  homes.eviction = physically ? info.EvictionSegmentSet : 0;
  homes.priority = info.AllocationPriority;
  const DXGK_SEGMENTPREFERENCE& preferred = info.PreferredSegment;
  const bool at_end = info.FlagsWddm2.FromEndOfSegment != 0;
  const auto add = [&](UINT id, bool from_end) {
    const bool system = id == answers.system_segment();
    const UINT bit = system ? answers.system_set() : id == 0 || id > answers.segments.size() ? 0 : 1u << (id - 1);
    if ((set & bit) == 0) return;
    const bool upgraded = (homes.memory & bit) == 0 && (homes.aperture & bit) == 0;
    const Homes::Place place{upgraded ? 0 : id, from_end || at_end};
    const auto same = [&](const Homes::Place& held) { return held.segment == place.segment; };
    if (std::none_of(homes.places.begin(), homes.places.end(), same)) homes.places.push_back(place);
  };
  add(preferred.SegmentId0, preferred.Direction0 != 0);
  add(preferred.SegmentId1, preferred.Direction1 != 0);
  add(preferred.SegmentId2, preferred.Direction2 != 0);
  add(preferred.SegmentId3, preferred.Direction3 != 0);
  add(preferred.SegmentId4, preferred.Direction4 != 0);
  for (const bool aperture : {false, true}) {
    for (UINT id = 1; id <= answers.segments.size(); ++id)
      if ((answers.segments[id - 1].Flags.Aperture != 0) == aperture) add(id, false);
  }
  const auto system = [](const Homes::Place& held) { return held.segment == 0; };
  if (homes.implicit_system && std::none_of(homes.places.begin(), homes.places.end(), system))
    homes.places.push_back({});
  return homes;
}

}  // namespace gmmu::os
