// SPDX-License-Identifier: Apache-2.0
#include "os/vidsch/faults.h"

#include <algorithm>

#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "os/base/text.h"

namespace gmmu::os {
namespace {

Fault PageFault(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  const auto& page = data.DmaPageFaulted;
  Fault fault;
  fault.source = "gpu";
  fault.name = "dma_page_faulted";
  fault.address = page.FaultedVirtualAddress;
  fault.level = page.PageTableLevel;
  fault.access = (page.PageFaultFlags & DXGK_PAGE_FAULT_WRITE) != 0 ? "write" : "read";
  if ((page.PageFaultFlags & DXGK_PAGE_FAULT_FENCE_INVALID) == 0) fault.fence = page.FaultedFenceId;
  fault.text = "page fault at " + Hex(fault.address) + ", level " + std::to_string(fault.level) + ", " + fault.access +
               ", fence " + std::to_string(fault.fence);
  return fault;
}

}  // namespace

// The engine executes packets in order, so the packets before the faulted packet have completed.
bool FaultReports::EndFaulted(NodeId id, uint32_t fence, const std::string& why) {
  Node& node = packets_.At(id);
  const auto culprit = std::find_if(node.running.begin(), node.running.end(),
                                    [fence](const Node::Entry& entry) { return entry.fence == fence; });
  if (culprit == node.running.end() || culprit->packet.paging) return false;
  node.fault_fence = fence;
  GpuDevices::Lose(culprit->packet.device, why);
  packets_.Retire(id, fence);
  return true;
}

void FaultReports::OnDmaFault(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  const auto& report = data.DmaFaulted;
  const NodeId id{report.EngineOrdinal, report.NodeOrdinal};
  Fault fault;
  fault.source = "gpu";
  fault.name = "dma_faulted";
  fault.fence = report.FaultedFenceId;
  fault.text = id.name() + " stopped at fence " + std::to_string(fault.fence) + ", status " +
               Hex(static_cast<uint32_t>(report.Status));
  if (!EndFaulted(id, report.FaultedFenceId, fault.text)) return kernel_.Report(fault);
  packets_.At(id).reset_because = fault.text;
  packets_.DrawAttention();
}

void FaultReports::OnPageFault(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  constexpr UINT kAdapter = DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED | DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR;
  const auto& page = data.DmaPageFaulted;
  const auto flags = static_cast<UINT>(page.PageFaultFlags);
  const NodeId id{page.EngineOrdinal, page.NodeOrdinal};
  Node& node = packets_.At(id);
  const Fault fault = PageFault(data);
  if ((flags & DXGK_PAGE_FAULT_FENCE_INVALID) != 0) {
    if (page.FaultedFenceId != 0 || (flags & (kAdapter | DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED)) == 0) {
      throw BugCheck("the driver reports a page fault with flags " + Hex(flags) + " and fence " +
                     std::to_string(page.FaultedFenceId) +
                     ": DXGK_PAGE_FAULT_FENCE_INVALID needs fence 0 and a bit that says what to reset");
    }
    if ((flags & DXGK_PAGE_FAULT_PROCESS_HANDLE_VALID) != 0) {
      // kDestroyed remains if no existing device belongs to the process.
      node.culprit = Node::kDestroyed;
      for (const auto& device : devices_)
        if (device->process == page.FaultedProcessHandle) node.culprit = device->id;
    }
  } else if (!EndFaulted(id, page.FaultedFenceId, fault.text) && (flags & kAdapter) == 0) {
    return kernel_.Report(fault);
  }
  node.reset_adapter = node.reset_adapter || (flags & kAdapter) != 0;
  node.reset_because = fault.text;
  packets_.DrawAttention();
}

}  // namespace gmmu::os
