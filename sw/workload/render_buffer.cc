// SPDX-License-Identifier: Apache-2.0
#include "workload/render_buffer.h"

#include "kmd/escape.h"
#include "os/application/facts.h"
#include "os/application/gpu.h"
#include "os/vidmm/processes.h"
#include "workload/life.h"
#include "workload/lines.h"
#include "workload/plug_in.h"

namespace gmmu::workload {
namespace {
void NeedRoom(bool fits) {
  if (!fits) throw os::OsError("a command does not fit into its buffer");
}
}  // namespace

RenderBuffer::RenderBuffer(Life& life, os::GpuProcess* process, uint64_t bytes)
    : life_(life), process_(process), plug_in_(PlugIn::Current()), commands_(nullptr, 0) {
  const os::Gpu gpu(os::VidMmOf(*process).gpu());
  if (gpu.facts().render_node == gpu.facts().paging_node)
    throw os::OsError("the GPU has no node for processes: it must be built with gpu.rings of 2 or more");
  if (plug_in_ == nullptr) {
    kmd::EscapeQuerySpace query;
    query.process = reinterpret_cast<uint64_t>(os::HandleOf(*process));
    gpu.Escape(query, "the query of a space");
    space_ = query.space;
  }
  life.Work([&] {
    memory_ = os::MakeHostMemory(os::VidMmOf(*process_), bytes);
    va_ = os::VidMmOf(*process_).ReserveVa(*process_, memory_.bytes());
    os::VidMmOf(*process_).mappings().MapSystem(*process_, va_, memory_);
  });
  cpu_ = memory_.Map(0, memory_.bytes());
  commands_ = kmd::CommandBuffer(cpu_, memory_.bytes());
}

void RenderBuffer::Wrote(uint32_t bytes) {
  NeedRoom(bytes != 0 && bytes <= memory_.bytes() - used_);
  used_ += bytes;
}

uint64_t RenderBuffer::used() const { return plug_in_ != nullptr ? used_ : commands_.bytes_used(); }

void RenderBuffer::Copy(uint64_t source, uint64_t destination, uint64_t bytes) {
  const auto room = static_cast<uint32_t>(memory_.bytes() - used_);
  if (plug_in_ != nullptr) return Wrote(plug_in_->driver().copy(cpu_ + used_, room, source, destination, bytes));
  commands_.Wait();
  NeedRoom(commands_.Copy(kmd::Place::Virtual(space_, source), kmd::Place::Virtual(space_, destination), bytes));
}

void RenderBuffer::Fill(uint64_t destination, uint64_t bytes, uint32_t pattern) {
  const auto room = static_cast<uint32_t>(memory_.bytes() - used_);
  if (plug_in_ != nullptr) return Wrote(plug_in_->driver().fill(cpu_ + used_, room, destination, bytes, pattern));
  commands_.Wait();
  NeedRoom(commands_.Fill(kmd::Place::Virtual(space_, destination), bytes, pattern));
}

os::PacketId RenderBuffer::Submit(const std::string& what) {
  return os::VidMmOf(*process_).processes().SubmitRender(*process_, va_, used(), what);
}

void RenderBuffer::Release() {
  memory_.Unmap();
  life_.Work([&] {
    os::VidMmOf(*process_).Unmap(*process_, va_, memory_.bytes() / kPage);
    os::VidMmOf(*process_).FreeVa(*process_, va_);
    memory_.Release();
  });
}

}  // namespace gmmu::workload
