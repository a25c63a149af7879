// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/paging_companion.h"

#include "os/dxgkrnl/adapter_objects.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/base/page_math.h"
#include "os/kernel/kernel.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/paging_process.h"
#include "os/vidmm/vidmm.h"

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
    : paging_(process.vidmm->paging()),
      gpu_(gpu),
      context_(Open(process, gpu)),
      queue_(gpu),
      ticket_(gpu.kernel().ledger().Open("context", "paging companion of " + process.name, "dxgkrnl",
                                         "DxgkDdiCreateContext")) {}

void PagingCompanion::Start() {
  queue_.Start(context_);
  if (gpu_.caps().paging_buffer_segment == 0) return;
  buffers_va_ = paging_.process().ReserveVa(paging_.BytesOf(queue_));
  MapBuffers();
  paging_.Flush(buffers_va_, paging_.BytesOf(queue_));
}

void PagingCompanion::MapBuffers() {
  if (buffers_va_ != 0) paging_.MapBuffers(queue_, buffers_va_);
}

void PagingCompanion::Close() {
  queue_.Drain();
  if (buffers_va_ != 0) paging_.Unmap(buffers_va_, PagesOf(paging_.BytesOf(queue_)));
  queue_.Stop();
  gpu_.logical().driver_objects().CloseCompanion(context_);
  gpu_.kernel().ledger().Close(ticket_);
}

}  // namespace gmmu::os
