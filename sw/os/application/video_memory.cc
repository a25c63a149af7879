// SPDX-License-Identifier: Apache-2.0
#include "os/application/video_memory.h"

#include "os/application/host.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/allocations.h"
#include "os/vidmm/context_allocations.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/placement.h"
#include "os/vidmm/process_tables.h"
#include "os/vidmm/processes.h"
#include "os/vidmm/transfers.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {

VideoMemory VideoMemory::Of(const GpuProcess& process) { return *process.vidmm; }

GpuProcess* VideoMemory::CreateProcess(const std::string& name, uint64_t root_entries) const {
  return vidmm_->CreateProcess(name, root_entries);
}
void VideoMemory::DestroyProcess(GpuProcess* process) const { vidmm_->DestroyProcess(process); }
uint64_t VideoMemory::ReserveVa(GpuProcess& process, uint64_t bytes, std::optional<uint64_t> at) const {
  return vidmm_->ReserveVa(process, bytes, at);
}
void VideoMemory::FreeVa(GpuProcess& process, uint64_t va) const { vidmm_->FreeVa(process, va); }

Allocation* VideoMemory::CreateAllocation(const std::string& name, uint64_t bytes) const {
  return vidmm_->CreateAllocation(name, bytes);
}
Allocation* VideoMemory::CreateAllocation(const AllocationRequest& request, const GpuProcess* owner) const {
  return vidmm_->CreateAllocation(request, owner);
}
Allocation* VideoMemory::CreateContiguous(const std::string& name, uint64_t bytes, uint64_t alignment) const {
  Allocation* allocation = vidmm_->CreateAllocation(name, bytes);
  allocation->contiguous = alignment;
  return allocation;
}
Allocation* VideoMemory::CreateFragmented(const std::string& name, uint64_t bytes, unsigned percent) const {
  Allocation* allocation = vidmm_->CreateAllocation(name, bytes);
  allocation->broken_percent = percent;
  return allocation;
}
Allocation* VideoMemory::CreateInAperture(const std::string& name, uint64_t bytes, const GpuProcess* owner) const {
  return vidmm_->allocations().CreateInAperture(name, bytes, owner);
}
void VideoMemory::DestroyAllocation(Allocation* allocation) const { vidmm_->DestroyAllocation(allocation); }
void VideoMemory::MakeResident(Allocation& allocation) const { vidmm_->MakeResident(allocation); }
void VideoMemory::GiveUpVram(Allocation& allocation) const { vidmm_->placement().Evict(allocation); }

void VideoMemory::PageIn(Allocation& allocation, HostMemory& source, uint64_t bytes,
                         const std::function<void(uint64_t)>& progress) const {
  vidmm_->PageIn(allocation, source.buffer(), bytes, progress);
}
void VideoMemory::PageOut(Allocation& allocation, HostMemory& target, uint64_t bytes,
                          const std::function<void(uint64_t)>& progress) const {
  vidmm_->PageOut(allocation, target.buffer(), bytes, progress);
}
void VideoMemory::Fill(Allocation& allocation, uint64_t offset, uint64_t bytes, uint32_t pattern) const {
  vidmm_->Fill(allocation, offset, bytes, pattern);
}
void VideoMemory::CopyLocal(Allocation& source, Allocation& target, uint64_t bytes) const {
  vidmm_->transfers().CopyLocal(source, target, bytes);
}

void VideoMemory::Map(GpuProcess& process, uint64_t va, Allocation& allocation, uint64_t first_page,
                      uint64_t pages) const {
  vidmm_->Map(process, va, allocation, first_page, pages);
}
void VideoMemory::Map(GpuProcess& process, uint64_t va, Allocation& allocation, uint64_t first_page, uint64_t pages,
                      const Protection& protection) const {
  vidmm_->Map(process, va, allocation, first_page, pages, protection);
}
void VideoMemory::MapLarge(GpuProcess& process, uint64_t va, unsigned level, Allocation& allocation) const {
  vidmm_->mappings().MapLarge(process, va, level, allocation);
}
void VideoMemory::MapOnePage(GpuProcess& process, uint64_t va, Allocation& allocation, uint64_t page,
                             uint64_t pages) const {
  vidmm_->mappings().MapOnePage(process, va, allocation, page, pages);
}
void VideoMemory::MapZero(GpuProcess& process, uint64_t va, uint64_t pages) const {
  vidmm_->mappings().MapZero(process, va, pages);
}
void VideoMemory::MapHost(GpuProcess& process, uint64_t va, const HostMemory& memory) const {
  vidmm_->mappings().MapSystem(process, va, memory.buffer());
}
void VideoMemory::MapToAperture(GpuProcess& process, uint64_t va, Allocation& allocation, uint64_t aperture_page,
                                uint64_t pages) const {
  vidmm_->mappings().MapToAperture(process, va, allocation, aperture_page, pages);
}
void VideoMemory::Unmap(GpuProcess& process, uint64_t va, uint64_t pages) const { vidmm_->Unmap(process, va, pages); }
void VideoMemory::UnmapAndFreeTables(GpuProcess& process, uint64_t va, uint64_t pages) const {
  vidmm_->mappings().UnmapAndFreeTables(process, va, pages);
}

void VideoMemory::ReplaceRoot(GpuProcess& process, uint64_t entries) const {
  vidmm_->tables().ReplaceRoot(process, entries);
}
void VideoMemory::MoveTables(GpuProcess& process) const { vidmm_->tables().Move(process); }
void VideoMemory::EvictTables(GpuProcess& process) const { vidmm_->tables().Evict(process); }
void VideoMemory::RestoreTables(GpuProcess& process) const { vidmm_->tables().Restore(process); }

PacketId VideoMemory::Submit(GpuProcess& process, uint64_t va, uint64_t bytes, const std::string& what) const {
  return vidmm_->processes().SubmitRender(process, va, bytes, what);
}

Allocation* VideoMemory::ContextAllocationOf(const GpuProcess& process) const {
  return vidmm_->context_allocations().Of(process);
}
void VideoMemory::EvictContextAllocation(GpuProcess& process) const { vidmm_->context_allocations().Evict(process); }

void VideoMemory::Operate(DXGKARG_BUILDPAGINGBUFFER& operation) const { vidmm_->work().Operate(operation); }

void VideoMemory::Sleep() const { vidmm_->Sleep(); }
void VideoMemory::Wake() const { vidmm_->Wake(); }

}  // namespace gmmu::os
