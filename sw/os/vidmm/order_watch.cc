// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/order_watch.h"

#include <utility>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/tables/address_space.h"
#include "os/tables/table_order.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/paging_work.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {
namespace {}  // namespace

void WatchOrder(GpuProcess& process, PhysicalAdapter& gpu, PagingWork& work, bool paging) {
  if (gpu.caps().geometry.leaf_64k_bytes == 0) return;
  process.order = std::make_unique<TableOrder>(gpu.caps().geometry, process.name);
  AddressSpace::ChangeHooks hooks;
  hooks.begin = [&process, &gpu, &work, paging](LeafChange change) {
    process.order->Begin(change);
    if (change != LeafChange::kConversion) return;
    if (paging) work.DrainPaging();
    else gpu.vidsch().SuspendContext(process.handles.context, VidSch::kBoundNs, true);
    process.order->set_suspended(true);
  };
  hooks.flush = [&process, &gpu, &work, paging](uint64_t va, uint64_t bytes) {
    work.Flush(process, va, bytes);
    // What follows is done at once.
    if (paging || gpu.caps().update_mode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL) work.Finish();
  };
  hooks.end = [&process, &gpu, &work, paging](LeafChange change) {
    process.order->End();
    if (change != LeafChange::kConversion) return;
    work.Finish();
    process.order->set_suspended(false);
    if (!paging) gpu.vidsch().ResumeContext(process.handles.context);
  };
  process.space->set_change_hooks(std::move(hooks));
}

}  // namespace gmmu::os
