// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/paging_companion.h"

#include "os/dxgkrnl/adapter_objects.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/kernel.h"
#include "os/vidmm/gpu_process.h"

namespace gmmu::os {
namespace {

HANDLE Open(GpuProcess& process, PhysicalAdapter& gpu) {
  if (process.handles.companion_node != gpu.caps().paging_node)
    throw OsError("the driver names node " + std::to_string(process.handles.companion_node) +
                  " for paging companions; only the paging node is supported");
  return gpu.logical().driver_objects().OpenCompanion(process.handles, process.name, gpu);
}

}  // namespace

PagingCompanion::PagingCompanion(GpuProcess& process, PhysicalAdapter& gpu)
    : gpu_(gpu),
      context_(Open(process, gpu)),
      queue_(gpu),
      ticket_(gpu.kernel().ledger().Open("context", "paging companion of " + process.name, "dxgkrnl",
                                         "DxgkDdiCreateContext")) {}

void PagingCompanion::Close() {
  queue_.Stop();
  gpu_.logical().driver_objects().CloseCompanion(context_);
  gpu_.kernel().ledger().Close(ticket_);
}

}  // namespace gmmu::os
