// SPDX-License-Identifier: Apache-2.0
#include "workload/render_buffer.h"

#include "kmd/escape.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/errors.h"
#include "os/kernel/worker.h"
#include "os/memory/system_buffer.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/processes.h"
#include "os/vidmm/vidmm.h"
#include "workload/life.h"

namespace gmmu::workload {
namespace {
void NeedRoom(bool fits) {
  if (!fits) throw os::OsError("a command does not fit into its buffer");
}
}  // namespace

RenderBuffer::RenderBuffer(Life& life, os::GpuProcess* process, uint64_t bytes)
    : life_(life), process_(process), commands_(nullptr, 0) {
  os::PhysicalAdapter& gpu = process->vidmm->gpu();
  if (gpu.caps().render_node == gpu.caps().paging_node)
    throw os::OsError("the GPU has no node for processes: it must be built with gpu.rings of 2 or more");
  kmd::EscapeQuerySpace query;
  query.process = reinterpret_cast<uint64_t>(process->handles.process);
  gpu.Escape(query, "the query of a space");
  space_ = query.space;
  life.worker.Call([&] {
    memory_ = std::make_unique<os::SystemBuffer>(
        life_.kernel, gpu.objects(), gpu.handle(), bytes, os::SystemBuffer::Shape::kScattered, "application");
    va_ = process_->vidmm->ReserveVa(*process_, memory_->bytes());
    process_->vidmm->mappings().MapSystem(*process_, va_, *memory_);
  });
  commands_ = kmd::CommandBuffer(memory_->Map(0, memory_->bytes()), memory_->bytes());
}

RenderBuffer::~RenderBuffer() = default;

void RenderBuffer::Copy(uint64_t source, uint64_t destination, uint64_t bytes) {
  commands_.Wait();
  NeedRoom(commands_.Copy(kmd::Place::Virtual(space_, source), kmd::Place::Virtual(space_, destination), bytes));
}

void RenderBuffer::Fill(uint64_t destination, uint64_t bytes, uint32_t pattern) {
  commands_.Wait();
  NeedRoom(commands_.Fill(kmd::Place::Virtual(space_, destination), bytes, pattern));
}

os::PacketId RenderBuffer::Submit(const std::string& what) {
  return process_->vidmm->processes().SubmitRender(*process_, va_, commands_.bytes_used(), what);
}

void RenderBuffer::Release() {
  memory_->Unmap();
  life_.worker.Call([&] {
    process_->vidmm->Unmap(*process_, va_, memory_->bytes() / hw::kPageSize);
    process_->vidmm->FreeVa(*process_, va_);
    memory_->Release();
  });
}

}  // namespace gmmu::workload
