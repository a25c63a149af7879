// SPDX-License-Identifier: Apache-2.0
#include "os/application/gpu.h"

#include "os/application/video_memory.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/kernel.h"
#include "os/miniport/interface_version.h"
#include "os/vidmm/vidmm.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {
namespace {
SegmentFacts FactsOf(const Segment& segment) {
  return {segment.id, segment.base, segment.size, segment.cache_coherent, segment.space->ranges()};
}
}  // namespace

Gpu::Gpu(const VideoMemory& memory) : gpu_(&memory.vidmm().gpu()) {}

GpuFacts Gpu::facts() const {
  const PciFunction& function = gpu_->function();
  const AdapterCaps& caps = gpu_->caps();
  std::vector<SegmentFacts> memory;
  for (const Segment& segment : gpu_->segments())
    if (!segment.aperture) memory.push_back(FactsOf(segment));
  return {gpu_->unit(),
          gpu_->name(),
          function.bdf,
          function.bars[0].address,
          caps.highest_visible,
          caps.paging_node,
          caps.render_node,
          gpu_->answers().driver.MemoryManagementCaps.MapAperture2Supported != 0,
          gpu_->answers().driver.MemoryManagementCaps.IoMmuSecureModeSupported != 0,
          gpu_->answers().version,
          NameOfVersion(gpu_->answers().version),
          caps.geometry,
          FactsOf(gpu_->local_segment()),
          FactsOf(gpu_->aperture_segment()),
          std::move(memory)};
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
