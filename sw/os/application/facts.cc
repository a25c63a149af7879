// SPDX-License-Identifier: Apache-2.0
#include "os/application/facts.h"

#include <algorithm>
#include <cstring>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/memory/system_buffer.h"
#include "os/miniport/gpu_packet.h"
#include "os/miniport/segments.h"
#include "os/tables/address_space.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/debug_view.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/page_entries.h"
#include "os/vidmm/victims.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {

const std::string& NameOf(const GpuProcess& process) { return process.name; }
VidMm& VidMmOf(const GpuProcess& process) { return *process.vidmm; }
bool DeviceLost(const GpuProcess& process) { return process.handles.state->lost; }
const std::string& WhyLost(const GpuProcess& process) { return process.handles.state->why; }
HANDLE HandleOf(const GpuProcess& process) { return process.handles.process; }
HANDLE ContextOf(const GpuProcess& process) { return process.handles.context; }
unsigned RootSegment(const GpuProcess& process) { return process.space->root().SegmentId; }
uint64_t RootOffset(const GpuProcess& process) { return process.space->root().SegmentOffset; }
uint64_t RootEntries(const GpuProcess& process) { return process.space->root_entries(); }
uint64_t TablesOf(const GpuProcess& process) { return process.space->tables(); }
uint64_t LocalBytesOf(const GpuProcess& process) { return Victims(*process.vidmm, {}).LocalBytes(process); }
uint64_t LargePageBytes(const GpuProcess& process) { return process.vidmm->gpu().LargePageBytes(); }
uint64_t LargePagesOf(const GpuProcess& process) {
  const auto& uppers = process.space->tree().uppers().all();
  return static_cast<uint64_t>(
      std::count_if(uppers.begin(), uppers.end(), [](const auto& upper) { return upper.second.entry.LargePage != 0; }));
}
bool Is64k(const GpuProcess& process, uint64_t va) { return process.space->Is64k(va); }

bool DebuggerShows(const GpuProcess& process, uint64_t va, const Allocation& allocation, uint64_t pages,
                   const Protection& protection) {
  D3DKMT_GET_PTE args{};
  args.NumPtes = static_cast<UINT>(pages);
  const Geometry& geometry = process.vidmm->gpu().caps().geometry;
  for (unsigned level = 0; level < geometry.count(); ++level)
    args.PageTableIndex[level] = static_cast<UINT>(geometry.Index(level, va));
  bool same = DebugView(*process.vidmm).GetPte(process, args) == STATUS_SUCCESS && args.NumPtes == pages;
  for (uint64_t page = 0; same && page < pages; ++page) {
    const DXGK_PTE mapped = Protect(EntryOf(allocation, page), protection);
    same = std::memcmp(&args.Pte[page], &mapped, sizeof mapped) == 0;
  }
  return same;
}

const std::string& NameOf(const Allocation& allocation) { return allocation.name; }
uint64_t BytesOf(const Allocation& allocation) { return allocation.bytes; }
HANDLE HandleOf(const Allocation& allocation) { return allocation.handle; }
HANDLE DeviceOf(const Allocation& allocation) { return allocation.device(); }
std::optional<uint64_t> VramOffset(const Allocation& allocation, uint64_t page) {
  if (allocation.local == nullptr) return std::nullopt;
  return allocation.local->page(page) * hw::kPageSize;
}
uint64_t WholeBlocks(const Allocation& allocation) {
  uint64_t whole = 0;
  if (!allocation.local) return 0;
  for (uint64_t first = 0; first + kPagesOf64k <= allocation.local->count(); first += kPagesOf64k) {
    const uint64_t page = allocation.local->page(first);
    uint64_t run = 0;
    while (run < kPagesOf64k && allocation.local->page(first + run) == page + run) ++run;
    whole += run == kPagesOf64k && page % kPagesOf64k == 0 ? 1 : 0;
  }
  return whole;
}
bool MayLiveInAperture(const Allocation& allocation) { return allocation.homes.aperture != 0; }
bool HasNotice(const Allocation& allocation) { return allocation.explicit_residency; }
Residence ResidenceOf(const Allocation& allocation) { return allocation.residence(); }
unsigned SegmentOf(const Allocation& allocation) { return allocation.segment(); }
std::vector<uint8_t> InSystemMemory(const Allocation& allocation) {
  if (!allocation.backing) return {};
  const uint8_t* view = allocation.backing->Map(0, allocation.bytes);
  std::vector<uint8_t> bytes(view, view + allocation.bytes);
  allocation.backing->Unmap();
  return bytes;
}
std::vector<uint64_t> HostPages(const Allocation& allocation) {
  return allocation.backing ? allocation.backing->host_pages() : std::vector<uint64_t>();
}

}  // namespace gmmu::os
