// SPDX-License-Identifier: Apache-2.0
#include "os/application/debugger.h"

#include <cstring>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/vidmm/debug_view.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/page_entries.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {

bool DebuggerShows(const GpuProcess& process, uint64_t va, const Allocation& allocation, uint64_t pages,
                   const Protection& protection) {
  D3DKMT_GET_PTE args{};
  args.NumPtes = static_cast<UINT>(pages);
  const Geometry& geometry = process.vidmm->gpu().caps().geometry;
  for (unsigned level = 0; level < geometry.count(); ++level)
    args.PageTableIndex[level] = static_cast<UINT>(geometry.Index(level, va));
  bool same = DebugView(*process.vidmm).GetPte(process, args) == STATUS_SUCCESS && args.NumPtes == pages;
  for (uint64_t page = 0; same && page < pages; ++page) {
    const DXGK_PTE mapped = Protect(LocalEntry(allocation, page), protection);
    same = std::memcmp(&args.Pte[page], &mapped, sizeof mapped) == 0;
  }
  return same;
}

}  // namespace gmmu::os
