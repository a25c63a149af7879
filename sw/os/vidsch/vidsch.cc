// SPDX-License-Identifier: Apache-2.0
#include "os/vidsch/vidsch.h"

#include <algorithm>
#include <set>

#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"

namespace gmmu::os {

VidSch::VidSch(Kernel& kernel, uint32_t last)
    : kernel_(kernel),
      packets_(kernel, last),
      preemption_(kernel, packets_),
      faults_(kernel, packets_, devices_),
      recovery_(
          kernel, packets_, preemption_, devices_, reports_, [this] { OnDpc(); },
          [this] {
            reports_.Clear();
            if (adapter_reset_) adapter_reset_();
          }) {}

void VidSch::DestroyDevice(GpuDevice* device) {
  for (const auto& [id, node] : packets_.nodes()) {
    for (const auto* queue : {&node.waiting, &node.running}) {
      for (const Node::Entry& entry : *queue) {
        if (entry.packet.device == device)
          throw BugCheck("device " + device->name + " is destroyed while " + entry.packet.what + " has not ended");
      }
    }
  }
  devices_.Destroy(device);
}

PacketEnd VidSch::Wait(PacketId packet, uint64_t bound_ns) {
  const uint64_t last = kernel_.hal().NowNs() + bound_ns + recovery_.RecoveryNs();
  while (!Ended(packet)) {
    try {
      kernel_.WaitOrFault([&] { return Ended(packet); }, bound_ns, packets_.NameOf(packet));
    } catch (const OsTimeout&) {
      if (!recovery_.HeldUp(packet) || kernel_.hal().NowNs() >= last) throw;
    }
  }
  return EndOf(packet);
}

bool VidSch::idle() const {
  return !packets_.AnyNode([](const Node& node) { return !node.running.empty(); });
}

bool VidSch::idle(uint32_t node, uint32_t engine) const {
  const auto found = packets_.nodes().find({engine, node});
  return found == packets_.nodes().end() || found->second.running.empty();
}

bool VidSch::quiet() const {
  return idle() && !packets_.resetting() &&
         !packets_.AnyNode([](const Node& node) { return node.preemption || !node.reset_because.empty(); });
}

void VidSch::WaitQuiet(uint64_t bound_ns) {
  kernel_.WaitOrFault([this] { return quiet(); }, bound_ns + recovery_.RecoveryNs(),
                      "the packets that the driver holds to end");
}

void VidSch::WaitForHeld(uint64_t bound_ns) {
  std::set<PacketId> held;
  for (const auto& [id, node] : packets_.nodes())
    for (const Node::Entry& entry : node.running) held.insert(entry.id);
  const auto ended = [&] {
    return !packets_.AnyNode([&](const Node& node) {
      return std::any_of(node.running.begin(), node.running.end(),
                         [&](const Node::Entry& entry) { return held.count(entry.id) != 0; });
    });
  };
  kernel_.WaitOrFault(ended, bound_ns + recovery_.RecoveryNs(),
                      "the packets that the driver held when it found an allocation busy");
}

void VidSch::SuspendContext(HANDLE context, uint64_t bound_ns, bool preempt) {
  packets_.SuspendContext(context);
  for (const auto& [id, node] : packets_.nodes()) {
    if (preempt && node.Holds(context)) preemption_.Ask(id);
  }
  kernel_.WaitOrFault([&] { return !Holds(context); }, bound_ns + recovery_.RecoveryNs(),
                      "the packets of a suspended context to be preempted or to end");
}

bool VidSch::Holds(HANDLE context) const {
  return packets_.AnyNode([&](const Node& node) { return node.Holds(context); });
}

void VidSch::OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  if (kernel_.scheduler().irql() != kDevice) throw BugCheck("DxgkCbNotifyInterrupt below device level");
  if (data.InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED && kernel_.parameters().submit_during_preemption) {
    // Model another processor that handles the report immediately and submits packets before this
    // call returns to the driver.
    kernel_.scheduler().OnAnotherProcessor([&] {
      reports_.Add(data);
      OnDpc();
      packets_.InReport([&] { packets_.Dispatch({data.DmaPreempted.EngineOrdinal, data.DmaPreempted.NodeOrdinal}); });
    });
    return;
  }
  reports_.Add(data);
}

void VidSch::OnDpc() {
  while (const auto report = reports_.Take()) {
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data = *report;
    switch (data.InterruptType) {
      case DXGK_INTERRUPT_DMA_COMPLETED: {
        const NodeId id{data.DmaCompleted.EngineOrdinal, data.DmaCompleted.NodeOrdinal};
        recovery_.OnReport(id);
        packets_.Retire(id, data.DmaCompleted.SubmissionFenceId);
        break;
      }
      case DXGK_INTERRUPT_DMA_PREEMPTED: preemption_.OnReport(data); break;
      case DXGK_INTERRUPT_DMA_PAGE_FAULTED: faults_.OnPageFault(data); break;
      case DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED: break;
      case DXGK_INTERRUPT_DMA_FAULTED: faults_.OnDmaFault(data); break;
      default: throw BugCheck("the driver notified interrupt type " + std::to_string(data.InterruptType));
    }
  }
}

void VidSch::OnRemoval() {
  for (const auto& device : devices_) GpuDevices::Lose(device.get(), "the adapter was removed");
  packets_.Remove();
}

}  // namespace gmmu::os
