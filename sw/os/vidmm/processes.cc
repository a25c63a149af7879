// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/processes.h"

#include <algorithm>
#include <utility>

#include "os/dxgkrnl/adapter_objects.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/base/bug_check.h"
#include "os/threads/caught_exceptions.h"
#include "os/kernel/kernel.h"
#include "os/tables/address_space.h"
#include "os/vidmm/context_allocations.h"
#include "os/vidmm/dma_buffers.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/paging_companion.h"
#include "os/vidmm/paging_process.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/process_tables.h"
#include "os/vidmm/render_calls.h"
#include "os/vidmm/residency.h"
#include "os/vidmm/vidmm.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {

Processes::Processes(VidMm& vidmm) : vidmm_(vidmm) {}

Processes::~Processes() = default;

GpuProcess& Processes::Add(const std::string& name) {
  processes_.push_back(
      // The process is listed before it is opened in the driver, because the driver may request
      // memory for it during that call.
      std::make_unique<GpuProcess>(vidmm_, name));
  return *processes_.back();
}

void Processes::MakeSpace(GpuProcess& process) const {
  PhysicalAdapter& gpu = vidmm_.gpu();
  if (!gpu.caps().physical_model)
    process.space = std::make_unique<AddressSpace>(gpu, process.name, false,
                                                   uint64_t{1} << gpu.caps().geometry.va_bits);
}

void Processes::OpenInDriver(GpuProcess& process) {
  MakeSpace(process);
  in_creation_.push_back(&process);
  const std::exception_ptr refusal =
      RefusalOf([&] { vidmm_.gpu().logical().driver_objects().OpenProcess(process.handles, process.name, false); });
  in_creation_.erase(std::find(in_creation_.begin(), in_creation_.end(), &process));
  if (refusal) std::rethrow_exception(refusal);
}

GpuProcess* Processes::InCreation(HANDLE dxgk_process) const {
  const auto found = std::find_if(in_creation_.begin(), in_creation_.end(),
                                  [&](const GpuProcess* each) { return each->handles.dxgk_process == dxgk_process; });
  return found == in_creation_.end() ? nullptr : *found;
}

void Processes::Open(GpuProcess& process, const GpuProcess* joins) {
  PhysicalAdapter& gpu = vidmm_.gpu();
  if (joins == nullptr) {
    OpenInDriver(process);
    gpu.logical().driver_objects().OpenDevice(process.handles, process.name, false);
  } else {
    MakeSpace(process);
    process.handles = joins->handles;
    process.handles.joined = true;
    process.handles.context = nullptr;  // each part opens its own context later
  }
  if (!process.space) return;
  vidmm_.work().CheckPageSizes(process, false);
  process.space->tree().root().set_grower(
      [this, &process](uint64_t entries) { vidmm_.tables().ResizeRoot(process, entries); });
  if (gpu.caps().update_mode != DXGK_PAGETABLEUPDATE_GPU_VIRTUAL) return;
  PagingProcess& paging = vidmm_.paging();
  process.space->memory().set_views(
      {[&paging](const auto& table, uint64_t bytes) { return paging.MapTable(table, bytes); },
       [&paging](uint64_t va, uint64_t bytes) { paging.UnmapTable(va, bytes); }});
}

GpuProcess* Processes::Create(const std::string& name, uint64_t root_entries, bool with_context) {
  GpuProcess& process = Add(name);
  OrUndo(process, [&] {
    Open(process, nullptr);
    if (!process.space) return with_context ? CreateContext(process) : void();
    const Geometry& geometry = vidmm_.gpu().caps().geometry;
    if (root_entries == 0) root_entries = geometry.first_root_entries;
    if (root_entries != 0) {
      // The root must cover the driver's ranges.
      for (const auto& [va, range] : process.driver_ranges)
        root_entries = std::max(root_entries, ((va + range.bytes - 1) >> geometry.Shift(geometry.count() - 1)) + 1);
    }
    process.space->CreateRoot(vidmm_.work().SinkFor(process), root_entries);
    MakeDriverTables(process);
    if (with_context) CreateContext(process);
  });
  return &process;
}

void Processes::MakeDriverTables(GpuProcess& process) {
  for (const auto& [va, range] : process.driver_ranges)
    process.space->entries().Invalidate(va, range.bytes / hw::kPageSize, vidmm_.work().SinkFor(process));
}

void Processes::CreateContext(GpuProcess& process) {
  PhysicalAdapter& gpu = vidmm_.gpu();
  gpu.logical().driver_objects().OpenContext(process.handles, process.name, false, gpu);
  if (process.space) vidmm_.tables().TellRoot(process);
}

GpuProcess* Processes::CreatePart(const std::string& name, const GpuProcess* joins, TableMemory::Placer placer,
                                  const std::vector<GpuProcess*>& parts) {
  GpuProcess& process = Add(vidmm_.gpu().Named(name));
  process.parts = &parts;
  OrUndo(process, [&] {
    Open(process, joins);
    process.space->memory().set_placer(std::move(placer));
    process.space->CreateRoot(vidmm_.work().SinkFor(process), 0);
    MakeDriverTables(process);
    for (GpuProcess* other : parts) vidmm_.tables().EnsureLike(process, *other);
    CreateContext(process);
  });
  return &process;
}

void Processes::OrUndo(GpuProcess& process, const std::function<void()>& making) {
  const std::exception_ptr refusal = RefusalOf(making);
  if (!refusal) return;
  Destroy(&process);
  std::rethrow_exception(refusal);
}

void Processes::Destroy(GpuProcess* process) {
  PhysicalAdapter& gpu = vidmm_.gpu();
  PagingWork& work = vidmm_.work();
  if (gpu.caps().explicit_invalidation) process->space->InvalidateAll(work.SinkFor(*process));
  work.Drain();
  if (process->TablesEvicted()) gpu.vidsch().ResumeContext(process->handles.context);
  if (process->companion) process->companion->Close();
  vidmm_.render_calls().Close(*process);
  if (process->dma) process->dma->Release();
  gpu.logical().driver_objects().DestroyProcess(process->handles);
  vidmm_.context_allocations().Leave(*process);
  work.Drain();
  for (const auto& [va, range] : process->driver_ranges) process->FreeVa(va);
  if (process->space) process->space->FreeTables();
  vidmm_.mappings().ForgetAll(*process);
  work.Forget(*process);
  processes_.erase(std::find_if(processes_.begin(), processes_.end(),
                                [process](const auto& held) { return held.get() == process; }));
}

GpuProcess* Processes::Find(const std::function<bool(const GpuProcess&)>& test) const {
  for (const auto& process : processes_)
    if (test(*process)) return process.get();
  return nullptr;
}

PacketId Processes::SubmitRender(GpuProcess& process, uint64_t va, uint64_t bytes, const std::string& what) {
  if (!process.space) throw BugCheck("commands by GPU virtual address, and the GPU has none");
  if (process.tables_gave_way) vidmm_.residency().RestoreTables(process);
  vidmm_.context_allocations().MakeResident(process);
  PhysicalAdapter& gpu = vidmm_.gpu();
  GpuPacket packet;
  packet.node = process.handles.node;
  packet.engine = gpu.index();
  packet.context = process.handles.context;
  packet.address = va;
  packet.bytes = bytes;
  packet.device = process.handles.state;
  packet.what = what + " of " + process.name;
  if (gpu.kernel().parameters().root_before_submission) {
    packet.before = [&gpu, &process] {
      gpu.SetRootPageTable(process.handles.context, process.space->root(), process.space->root_entries());
    };
  }
  return gpu.vidsch().Submit(std::move(packet));
}

}  // namespace gmmu::os
