// SPDX-License-Identifier: Apache-2.0
#include "os/vidsch.h"

#include "os/bug_check.h"
#include "os/text.h"

namespace gmmu::os {
namespace {
/// `fence` comes after `other`, or is it.
bool Reached(uint32_t fence, uint32_t other) { return static_cast<int32_t>(fence - other) >= 0; }
}  // namespace

uint32_t VidSch::NewFence(uint32_t node, const std::string& what, std::function<void()> on_retire) {
  Node& queue = At(node);
  if (++queue.last_given == 0) ++queue.last_given;
  const uint32_t fence = queue.last_given;
  const auto ticket = kernel_.ledger().Open(
      "fence", std::to_string(fence) + " of node " + std::to_string(node), "vidsch", what);
  queue.pending.push_back({fence, what, ticket, std::move(on_retire)});
  return fence;
}

bool VidSch::Completed(uint32_t node, uint32_t fence) const {
  const auto found = nodes_.find(node);
  return found != nodes_.end() && Reached(found->second.last_completed, fence);
}

void VidSch::WaitFence(uint32_t node, uint32_t fence, uint64_t bound_ns) {
  std::string what = "fence " + std::to_string(fence) + " of node " + std::to_string(node);
  for (const Pending& pending : At(node).pending) {
    if (pending.fence == fence) what += " (" + pending.what + ")";
  }
  kernel_.WaitOrFault([&] { return Completed(node, fence); }, bound_ns, what);
}

void VidSch::OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  if (kernel_.scheduler().irql() != kDevice)
    throw BugCheck("DxgkCbNotifyInterrupt below device level");
  ++interrupts_;
  reported_.push_back(data);
}

void VidSch::Retire(uint32_t node, uint32_t fence) {
  Node& queue = At(node);
  if (!Reached(queue.last_given, fence)) {
    throw BugCheck("the driver completed fence " + std::to_string(fence) +
                   ", which was never submitted");
  }
  if (Reached(fence, queue.last_completed)) queue.last_completed = fence;
  while (!queue.pending.empty() && Reached(fence, queue.pending.front().fence)) {
    const Pending done = std::move(queue.pending.front());
    queue.pending.pop_front();
    if (!kernel_.LeakNow("fence")) kernel_.ledger().Close(done.ticket);
    if (done.on_retire) done.on_retire();
  }
}

void VidSch::OnDpc() {
  while (!reported_.empty()) {
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA data = reported_.front();
    reported_.pop_front();
    switch (data.InterruptType) {
      case DXGK_INTERRUPT_DMA_COMPLETED:
        Retire(data.DmaCompleted.NodeOrdinal, data.DmaCompleted.SubmissionFenceId);
        break;
      case DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED:
        ++monitored_;
        break;
      case DXGK_INTERRUPT_DMA_FAULTED: {
        Fault fault;
        fault.source = "gpu";
        fault.name = "dma_faulted";
        fault.fence = data.DmaFaulted.FaultedFenceId;
        fault.text = "the paging engine stopped at fence " + std::to_string(fault.fence) +
                     ", status " + Hex(static_cast<uint32_t>(data.DmaFaulted.Status));
        kernel_.Report(fault);
        break;
      }
      case DXGK_INTERRUPT_DMA_PAGE_FAULTED: {
        const auto& page = data.DmaPageFaulted;
        Fault fault;
        fault.source = "gpu";
        fault.name = "dma_page_faulted";
        fault.address = page.FaultedVirtualAddress;
        fault.level = page.PageTableLevel;
        fault.access = (page.PageFaultFlags & DXGK_PAGE_FAULT_WRITE) != 0 ? "write" : "read";
        if ((page.PageFaultFlags & DXGK_PAGE_FAULT_FENCE_INVALID) == 0)
          fault.fence = page.FaultedFenceId;
        fault.text = "page fault at " + Hex(fault.address) + ", level " +
                     std::to_string(fault.level) + ", " + fault.access + ", fence " +
                     std::to_string(fault.fence);
        kernel_.Report(fault);
        break;
      }
      default:
        throw BugCheck("the driver notified interrupt type " + std::to_string(data.InterruptType));
    }
  }
}

}  // namespace gmmu::os
