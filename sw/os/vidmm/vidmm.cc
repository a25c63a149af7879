// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/vidmm.h"

#include <utility>

#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/base/page_math.h"
#include "os/memory/system_buffer.h"
#include "os/tables/address_space.h"
#include "os/vidmm/allocations.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/aperture.h"
#include "os/vidmm/context_allocations.h"
#include "os/vidmm/cpu_locks.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/paging_bring_up.h"
#include "os/vidmm/paging_companion.h"
#include "os/vidmm/paging_process.h"
#include "os/vidmm/paging_queue.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/placement.h"
#include "os/vidmm/process_tables.h"
#include "os/vidmm/processes.h"
#include "os/vidmm/render_calls.h"
#include "os/vidmm/residency.h"
#include "os/vidmm/scratch_windows.h"
#include "os/vidmm/sleeping_memory.h"
#include "os/vidmm/transfers.h"

namespace gmmu::os {

struct VidMm::Parts {
  Parts(VidMm& vidmm, PhysicalAdapter& gpu)
      : work(gpu),
        paging(gpu, work),
        windows(gpu, work, paging),
        placement(gpu, work),
        residency(vidmm),
        bring_up(gpu, work, paging, windows, placement),
        tables(gpu, work),
        processes(vidmm),
        allocations(vidmm),
        mappings(vidmm),
        transfers(vidmm),
        sleeping(vidmm),
        context_allocations(vidmm),
        locks(vidmm),
        render_calls(vidmm) {}

  PagingWork work;
  PagingProcess paging;
  ScratchWindows windows;
  Placement placement;
  Residency residency;
  PagingBringUp bring_up;
  ProcessTables tables;
  Processes processes;
  Allocations allocations;
  Mappings mappings;
  Transfers transfers;
  SleepingMemory sleeping;
  ContextAllocations context_allocations;
  CpuLocks locks;
  RenderCalls render_calls;
  SystemBuffer dummy;
  std::optional<Aperture> aperture;    // exists after Start
  std::vector<uint64_t> buffer_pages;  // physical model: first pages of the paging buffers in the aperture segment
  bool at_once = false;                // aperture operations use PagingQueue::Immediate
};

VidMm::VidMm(LogicalAdapter& adapter) : VidMm(adapter.lead()) {}

VidMm::VidMm(PhysicalAdapter& gpu) : gpu_(gpu), parts_(std::make_unique<Parts>(*this, gpu)) {}

VidMm::~VidMm() = default;

LogicalAdapter& VidMm::adapter() { return gpu_.logical(); }
Allocations& VidMm::allocations() { return parts_->allocations; }
Processes& VidMm::processes() { return parts_->processes; }
Mappings& VidMm::mappings() { return parts_->mappings; }
ProcessTables& VidMm::tables() { return parts_->tables; }
Placement& VidMm::placement() { return parts_->placement; }
Residency& VidMm::residency() { return parts_->residency; }
Transfers& VidMm::transfers() { return parts_->transfers; }
ScratchWindows& VidMm::windows() { return parts_->windows; }
PagingProcess& VidMm::paging() { return parts_->paging; }
PagingWork& VidMm::work() { return parts_->work; }
Aperture& VidMm::aperture() { return *parts_->aperture; }
CpuLocks& VidMm::locks() { return parts_->locks; }
SleepingMemory& VidMm::sleeping() { return parts_->sleeping; }
ContextAllocations& VidMm::context_allocations() { return parts_->context_allocations; }
RenderCalls& VidMm::render_calls() { return parts_->render_calls; }
SystemBuffer& VidMm::dummy() { return parts_->dummy; }

bool VidMm::running() const { return parts_->work.queue().buffers() != 0; }

void VidMm::Start() {
  if (this == link_.front())
    // The lead GPU's VidMm manages the addresses of all parts.
    adapter().set_driver_requests(&context_allocations());
  paging().Open(*this);
  work().Start(paging().process().handles.context);
  const bool tables = !gpu_.caps().physical_model;
  if (tables) {
    parts_->bring_up.ReserveVa();
    work().fence().Make();
    MakeTables(true);
  }
  dummy() = gpu_.MakeBuffer(hw::kPageSize);
  Aperture::Facts facts;
  facts.map_aperture2 = gpu_.answers().driver.MemoryManagementCaps.MapAperture2Supported;
  facts.remapped = gpu_.remapped();
  const unsigned aperture = gpu_.aperture_segment().id;  // 0 means no aperture segment
  if (aperture != 0) facts.commit_limit = gpu_.answers().segments[aperture - 1].CommitLimit;
  // The driver may also limit the total for all aperture segments.
  const uint64_t all = gpu_.answers().driver.ApertureSegmentCommitLimit;
  if (all != 0 && (facts.commit_limit == 0 || all < facts.commit_limit)) facts.commit_limit = all;
  facts.dummy_logical = dummy().logical();
  parts_->aperture.emplace(gpu_.kernel(), gpu_.objects(), gpu_.aperture_segment(), facts,
                           Aperture::Work{[this](DXGKARG_BUILDPAGINGBUFFER& operation) {
                                            if (parts_->at_once) work().queue().Immediate(operation);
                                            else work().Add(operation);
                                          },
                                          [this] {
                                            if (!parts_->at_once) work().Finish();
                                          }});
  if (!tables) MapPagingBuffers();
  work().Finish();
}

void VidMm::MakeTables(bool gpu_runs) {
  work().queue().set_varied(false);
  paging().process().space->SetBringUp(true);
  parts_->bring_up.MakeTables(gpu_runs, [this] {
    for (const auto& process : processes().all()) {
      process->space->ForEachTable([this](const PageTable& table) {
        if (table.view != 0) paging().ShowTable(table.view, table.gpu, table.bytes);
      });
      if (process->companion) process->companion->MapBuffers();
    }
  });
  paging().process().space->SetBringUp(false);
  work().queue().set_varied(true);
}

void VidMm::MapPagingBuffers() {
  if (gpu_.caps().paging_buffer_segment == 0) return;
  const uint64_t pages = PagesOf(gpu_.caps().paging_buffer_bytes);
  parts_->at_once = true;
  for (size_t i = 0; i < work().queue().buffers(); ++i) {
    if (parts_->buffer_pages.size() == i) parts_->buffer_pages.push_back(aperture().Reserve(pages));
    aperture().Map({}, parts_->buffer_pages[i], pages, work().queue().memory(i).adl(), 0);
    work().queue().SetSegmentAddress(i, gpu_.aperture_segment().base + parts_->buffer_pages[i] * kPage);
  }
  parts_->at_once = false;
}

void VidMm::UnmapPagingBuffers() {
  parts_->at_once = true;
  for (const uint64_t first : std::exchange(parts_->buffer_pages, {})) {
    aperture().Unmap({}, first, PagesOf(gpu_.caps().paging_buffer_bytes));
    aperture().Free(first);
  }
  parts_->at_once = false;
}

void VidMm::Stop() {
  work().DoDeferred();
  work().Drain();
  UnmapPagingBuffers();
  parts_->bring_up.FreeVa();
  paging().InvalidateTables();
  work().Stop();
  paging().Close();
  if (this == link_.front()) adapter().set_driver_requests(nullptr);
  work().fence().Release();
  dummy().Release();
}

void VidMm::ForgetQueued() {
  work().Reset();
  for (const auto& process : processes().all())
    if (process->companion) process->companion->queue().Reset();
  std::vector<DXGKARG_BUILDPAGINGBUFFER> lost = allocations().Lose();
  const auto device_of = [this](HANDLE allocation) { return allocations().DeviceOf(allocation); };
  for (const DXGKARG_BUILDPAGINGBUFFER& operation : aperture().Lost(device_of)) lost.push_back(operation);
  work().ReleaseHeld();
  adapter().AnnounceLoss(paging().process().handles.context, std::move(lost));
  aperture().ForgetAll();
}

void VidMm::RebuildTables() {
  if (gpu_.caps().physical_model) return MapPagingBuffers();
  paging().space().FreeTables();
  paging().RestartChecker();
  MakeTables(false);
}

void VidMm::Sleep() {
  if (gpu_.caps().physical_model) throw OsError("sleep with processes is modelled for GPUs with page tables only");
  sleeping().Sleep();
  for (VidMm* one : link_) one->parts_->bring_up.FreeUnexplained();
}

void VidMm::Wake() {
  for (VidMm* one : link_) {
    one->paging().RestartChecker();  // the TLBs have lost their contents in D3
    one->MakeTables(true);
  }
  sleeping().Wake();
}

GpuProcess* VidMm::CreateProcess(const std::string& name, uint64_t root_entries, bool with_context) {
  return processes().Create(name, root_entries, with_context);
}

void VidMm::DestroyProcess(GpuProcess* process) { processes().Destroy(process); }

uint64_t VidMm::ReserveVa(GpuProcess& process, uint64_t bytes, std::optional<uint64_t> at) {
  return process.ReserveVa(bytes, at);
}

void VidMm::FreeVa(GpuProcess& process, uint64_t va) {
  process.FreeVa(va);
  tables().ShrinkRoot(process);
}

Allocation* VidMm::CreateAllocation(const std::string& name, uint64_t bytes) {
  return allocations().Create(name, bytes);
}

Allocation* VidMm::CreateAllocation(const AllocationRequest& request, const GpuProcess* owner) {
  return allocations().Create(request, owner);
}

void VidMm::DestroyAllocation(Allocation* allocation) { allocations().Destroy(allocation); }

void VidMm::MakeResident(Allocation& allocation) {
  if (allocation.homes.memory != 0 || gpu_.has_local_segment()) return placement().MakeResident(allocation);
  if (!allocation.resident()) residency().Return(allocation);
}

void VidMm::Map(GpuProcess& process, uint64_t va, Allocation& allocation, uint64_t first_page, uint64_t pages,
                const Protection& protection) {
  mappings().Map(process, va, allocation, first_page, pages, protection);
}

void VidMm::Unmap(GpuProcess& process, uint64_t va, uint64_t pages) { mappings().Unmap(process, va, pages); }

}  // namespace gmmu::os
