// SPDX-License-Identifier: Apache-2.0
#include "os/application/gpu.h"

#include <algorithm>
#include <utility>

#include "os/dxgkrnl/adapter_domain.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/dxgkrnl/system_segment.h"
#include "os/kernel/kernel.h"
#include "os/miniport/interface_version.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {
namespace {
SegmentFacts FactsOf(const Segment& segment) {
  const RangeAllocator& space = *segment.space;
  return {segment.id, segment.base, segment.size, segment.cache_coherent, space.ranges(), space.free_bytes()};
}
}  // namespace

GpuFacts Gpu::facts() const {
  const PciFunction& function = gpu_->function();
  const AdapterCaps& caps = gpu_->caps();
  std::vector<SegmentFacts> memory;
  for (const Segment& segment : gpu_->segments())
    if (!segment.aperture) memory.push_back(FactsOf(segment));
  for (SegmentFacts& segment : memory) {
    const DXGK_SEGMENTDESCRIPTOR4& said = gpu_->answers().segments[segment.id - 1];
    const auto at = static_cast<uint64_t>(said.CpuTranslatedAddress.QuadPart);
    if (said.Flags.CpuVisible && at >= function.bars[2].address &&
        at < function.bars[2].address + function.bars[2].size)
      segment.window = at - function.bars[2].address;
    if (const CpuHostAperture* aperture = gpu_->host_aperture(segment.id)) segment.host_aperture = aperture->bytes();
    if (IsSystemMemory(said) && said.Flags.CpuVisible) segment.memory = at;
  }
  return {gpu_->unit(),
          gpu_->machine_unit(),
          gpu_->name(),
          function.bdf,
          function.bars[0].address,
          caps.highest_visible,
          caps.paging_node,
          caps.render_node,
          gpu_->answers().driver.MemoryManagementCaps.MapAperture2Supported != 0,
          gpu_->answers().driver.MemoryManagementCaps.IoMmuSecureModeSupported != 0,
          caps.physical_model,
          gpu_->answers().version,
          NameOfVersion(gpu_->answers().version),
          caps.geometry,
          memory.empty() ? SegmentFacts() : memory.front(),
          FactsOf(gpu_->aperture_segment()),
          std::move(memory)};
}

namespace {

using Answered = uint64_t (*)(PhysicalAdapter& gpu);

/// Returns the size in bytes of the largest page table in system memory (`in_system`) or in memory
/// segments, or 0 if there is none.
uint64_t LargestTable(PhysicalAdapter& gpu, bool in_system) {
  uint64_t largest = 0;
  for (const LevelDescriptor& level : gpu.caps().geometry.levels)
    if ((level.segment == 0) == in_system) largest = std::max(largest, level.bytes);
  return largest;
}

/// The capabilities that a scenario can require.
const std::vector<std::pair<std::string, Answered>>& Caps() {
#define CAP(name, value)                        \
  {name, [](PhysicalAdapter& gpu) -> uint64_t { \
     const auto& a = gpu.answers();             \
     static_cast<void>(a);                      \
     return value;                              \
   }}
  static const std::vector<std::pair<std::string, Answered>> kCaps = {
      CAP("DRIVER_INITIALIZATION_DATA.Version", a.version),
      CAP("DxgkDdiSubmitCommand", gpu.miniport().table().DxgkDdiSubmitCommand != nullptr),
      CAP("DxgkDdiBeginExclusiveAccess",
          HasIsolation(a.version) && gpu.miniport().table().DxgkDdiBeginExclusiveAccess != nullptr),
      CAP("DXGK_PHYSICAL_MEMORY_CAPS.HighestVisibleAddress", a.highest_visible()),
      CAP("INF.DmaRemappingCompatible", gpu.kernel().QueryParameter("DmaRemappingCompatible").value_or(3) == 3),
      CAP("DXGK_IOMMU_CAPS.DmaRemappingSupported", a.iommu.has_value() && a.iommu->DmaRemappingSupported),
      CAP("DXGK_VIDMMCAPS.GpuMmuSupported", a.driver.MemoryManagementCaps.GpuMmuSupported),
      CAP("DXGK_VIDMMCAPS.MapAperture2Supported", a.driver.MemoryManagementCaps.MapAperture2Supported),
      CAP("DXGK_VIDMMCAPS.IoMmuSecureModeSupported", a.driver.MemoryManagementCaps.IoMmuSecureModeSupported),
      CAP("DXGK_VIDMMCAPS.IoMmuSecureModeRequired", a.driver.MemoryManagementCaps.IoMmuSecureModeRequired),
      CAP("DXGK_PHYSICALADAPTERCAPS.NumExecutionNodes", a.nodes()),
      CAP("DXGK_FRAMEBUFFERSAVEAREA.MaximumSize", a.save_area.value_or(0)),
      CAP("DXGK_HARDWARERESERVEDRANGES.NumRanges", gpu.logical().dma().reserved_ranges().size()),
      CAP("DXGK_GPUMMUCAPS.ReadOnlyMemorySupported", a.mmu.ReadOnlyMemorySupported),
      CAP("DXGK_GPUMMUCAPS.NoExecuteMemorySupported", a.mmu.NoExecuteMemorySupported),
      CAP("DXGK_GPUMMUCAPS.ZeroInPteSupported", a.mmu.ZeroInPteSupported),
      CAP("DXGK_GPUMMUCAPS.LargePageSupported", a.mmu.LargePageSupported),
      CAP("DXGK_GPUMMUCAPS.DualPteSupported", a.mmu.DualPteSupported),
      CAP("DXGK_GPUMMUCAPS.SysMem64KBPageSupported", a.mmu.SysMem64KBPageSupported),
      CAP("DXGK_GPUMMUCAPS.ExplicitPageTableInvalidation", a.mmu.ExplicitPageTableInvalidation),
      CAP("DXGK_GPUMMUCAPS.PageTableUpdateRequireAddressSpaceIdle", a.mmu.PageTableUpdateRequireAddressSpaceIdle),
      CAP("DXGK_GPUMMUCAPS.PageTableUpdateMode", a.mmu.PageTableUpdateMode),
      CAP("DXGK_GPUMMUCAPS.PageTableLevelCount", a.mmu.PageTableLevelCount),
      CAP("DXGK_GPUMMUCAPS.VirtualAddressBitCount", a.mmu.VirtualAddressBitCount),
      CAP("DXGK_PAGE_TABLE_LEVEL_DESC.PageTableSegmentId", gpu.caps().geometry.levels[0].segment),
      CAP("DXGK_PAGE_TABLE_LEVEL_DESC.PageTableSizeInBytes(memory)", LargestTable(gpu, false)),
      CAP("DXGK_PAGE_TABLE_LEVEL_DESC.PageTableSizeInBytes(system)", LargestTable(gpu, true)),
      CAP("DXGK_SEGMENTFLAGS.Use64KBPages",
          std::any_of(a.segments.begin(), a.segments.end(), [](const auto& s) { return s.Flags.Use64KBPages != 0; })),
      CAP("DXGK_SEGMENTFLAGS.PopulatedFromSystemMemory",
          std::any_of(a.segments.begin(), a.segments.end(), IsSystemMemory)),
      CAP("DXGK_SEGMENTFLAGS.SupportsCpuHostAperture",
          std::any_of(a.segments.begin(), a.segments.end(),
                      [](const auto& s) { return s.Flags.SupportsCpuHostAperture != 0; })),
      CAP("DXGK_SEGMENTFLAGS.CacheCoherent", gpu.aperture_segment().cache_coherent),
      CAP("DXGK_QUERYSEGMENTOUT4.NbSegment", a.segments.size()),
      CAP("DXGK_QUERYSEGMENTOUT4.NbSegment(memory)",
          std::count_if(a.segments.begin(), a.segments.end(), [](const auto& s) { return s.Flags.Aperture == 0; })),
      CAP("DXGK_QUERYSEGMENTOUT4.PagingBufferSegmentId", a.paging_buffer_segment),
      CAP("DXGK_QUERYSEGMENTOUT4.PagingBufferSize", a.paging_buffer_bytes),
  };
#undef CAP
  return kCaps;
}

}  // namespace

uint64_t Gpu::CapOf(const std::string& name) const {
  const auto& caps = Caps();
  const auto found = std::find_if(caps.begin(), caps.end(), [&](const auto& cap) { return cap.first == name; });
  return found->second(*gpu_);
}

const std::vector<std::string>& Gpu::CapNames() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const auto& cap : Caps()) names.push_back(cap.first);
    return names;
  }();
  return kNames;
}

uint16_t Gpu::index() const { return static_cast<uint16_t>(gpu_->index()); }
NTSTATUS Gpu::Ask(void* data, unsigned bytes) const { return gpu_->miniport().Escape(data, bytes); }
void Gpu::Require(NTSTATUS status, const char* what, uint32_t code) {
  Miniport::Require(status,
                    std::string(what) + " (DxgkDdiEscape, code " + std::to_string(code) + " of sw/kmd/escape.h)");
}
bool Gpu::PagingCompleted() const {
  const uint32_t node = gpu_->caps().paging_node, last = gpu_->vidsch().last_submitted(node, gpu_->index());
  return last != 0 && gpu_->vidsch().last_completed(node, gpu_->index()) == last;
}

DXGKRNL_INTERFACE Gpu::Callbacks() const { return MakeInterface(*gpu_); }

void Gpu::ReadVram(uint64_t offset, void* to, uint64_t bytes) const {
  gpu_->kernel().hal().ReadBlock(gpu_->function().bars[2].address + offset, to, bytes);
}
void Gpu::WriteVram(uint64_t offset, const void* from, uint64_t bytes) const {
  gpu_->kernel().hal().WriteBlock(gpu_->function().bars[2].address + offset, from, bytes);
}

}  // namespace gmmu::os
