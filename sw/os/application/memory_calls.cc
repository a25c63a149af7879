// SPDX-License-Identifier: Apache-2.0
#include "os/application/memory_calls.h"

#include "os/application/video_memory.h"
#include "os/memory/system_buffer.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/monitored_fence.h"
#include "os/vidmm/process_tables.h"
#include "os/vidmm/vidmm.h"
#include "os/vidmm/vidmm_link.h"

namespace gmmu::os {

ResidencyCalls::ResidencyCalls(const VideoMemory& memory) : residency_(memory.vidmm().residency()) {}
std::vector<uint8_t> ResidencyCalls::InSystemMemory(const Allocation& allocation) {
  if (!allocation.backing) return {};
  const uint8_t* view = allocation.backing->Map(0, allocation.bytes);
  std::vector<uint8_t> bytes(view, view + allocation.bytes);
  allocation.backing->Unmap();
  return bytes;
}
std::vector<uint64_t> ResidencyCalls::HostPages(const Allocation& allocation) {
  return allocation.backing ? allocation.backing->host_pages() : std::vector<uint64_t>();
}

ListedCalls::ListedCalls(const VideoMemory& memory) : calls_(memory.vidmm().render_calls()) {}

AddressCalls::AddressCalls(const VideoMemory& memory)
    : VaCalls(memory.vidmm()), fence_(std::make_unique<MonitoredFence>(memory.vidmm(), 0)) {}
AddressCalls::~AddressCalls() = default;
void AddressCalls::End(GpuProcess& process) {
  Forget(process);
  fence_->Release();
}
NTSTATUS AddressCalls::Update(GpuProcess& process,
                              const std::vector<D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION>& operations, uint64_t value) {
  return VaCalls::Update(process, operations, *fence_, value);
}
uint64_t AddressCalls::fence() { return fence_->Value(); }

struct LinkedProcess::Parts {
  VidMmLink& link;
  VidMmLink::Process& process;
};

LinkedProcess::LinkedProcess(VidMmLink& link, const std::string& name)
    : parts_(new Parts{link, *link.CreateProcess(name)}) {}
LinkedProcess::~LinkedProcess() = default;
void LinkedProcess::End() { parts_->link.DestroyProcess(&parts_->process); }
GpuProcess* LinkedProcess::on(unsigned gpu) const { return parts_->process.parts[gpu]; }

void LinkedProcess::Map(uint64_t va, Allocation& allocation, uint64_t pages) const {
  parts_->link.MapEverywhere(parts_->process, va, allocation, 0, pages);
}
void LinkedProcess::Copy(uint64_t source, uint64_t target, uint64_t bytes) const {
  parts_->link.CopyEverywhere(parts_->process, source, target, bytes);
}
void LinkedProcess::MoveTables() const { on(0)->vidmm->tables().Move(*on(0)); }
void LinkedProcess::EvictTables() const { on(0)->vidmm->tables().Evict(*on(0)); }
void LinkedProcess::RestoreTables() const { on(0)->vidmm->tables().Restore(*on(0)); }
void LinkedProcess::Unmap(uint64_t va, uint64_t pages) const {
  parts_->link.UnmapEverywhere(parts_->process, va, pages);
}

}  // namespace gmmu::os
