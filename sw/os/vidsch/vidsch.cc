// SPDX-License-Identifier: Apache-2.0
// Queues, submission, completion. What goes wrong is in vidsch_recovery.cc.
#include "os/vidsch/vidsch.h"

#include <algorithm>

#include "os/kernel/bug_check.h"
#include "os/kernel/text.h"

namespace gmmu::os {
namespace {
/// `fence` comes after `other`, or is it.
bool Reached(uint32_t fence, uint32_t other) { return static_cast<int32_t>(fence - other) >= 0; }

Fault PageFault(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  const auto& page = data.DmaPageFaulted;
  Fault fault;
  fault.source = "gpu";
  fault.name = "dma_page_faulted";
  fault.address = page.FaultedVirtualAddress;
  fault.level = page.PageTableLevel;
  fault.access = (page.PageFaultFlags & DXGK_PAGE_FAULT_WRITE) != 0 ? "write" : "read";
  if ((page.PageFaultFlags & DXGK_PAGE_FAULT_FENCE_INVALID) == 0) fault.fence = page.FaultedFenceId;
  fault.text = "page fault at " + Hex(fault.address) + ", level " + std::to_string(fault.level) + ", " +
               fault.access + ", fence " + std::to_string(fault.fence);
  return fault;
}
}  // namespace

GpuDevice* VidSch::CreateDevice(const std::string& name) {
  devices_.push_back(std::make_unique<GpuDevice>());
  devices_.back()->id = next_device_++;
  devices_.back()->name = name;
  return devices_.back().get();
}

void VidSch::DestroyDevice(GpuDevice* device) {
  for (const auto& [number, node] : nodes_) {
    for (const auto* queue : {&node.waiting, &node.running}) {
      for (const Entry& entry : *queue) {
        if (entry.packet.device == device)
          throw BugCheck("device " + device->name + " is destroyed while " + entry.packet.what + " has not ended");
      }
    }
  }
  devices_.erase(std::remove_if(devices_.begin(), devices_.end(),
                                [device](const auto& held) { return held.get() == device; }),
                 devices_.end());
}

uint32_t VidSch::NewFence(Node& node) {
  if (++node.last_given == 0) ++node.last_given;
  return node.last_given;
}

PacketId VidSch::Submit(GpuPacket packet) {
  Entry entry;
  entry.id = next_id_++;
  const NodeId node{packet.engine, packet.node};
  waiting_for_[entry.id] = packet.what + " on " + node.name();
  entry.ticket = kernel_.ledger().Open("fence", "packet " + std::to_string(entry.id) + " of " + node.name(), "vidsch",
                                       packet.what);
  entry.packet = std::move(packet);
  const PacketId id = entry.id;
  if (discarding_) {
    End(std::move(entry), PacketEnd::kLost);
    return id;
  }
  At(node).waiting.push_back(std::move(entry));
  Dispatch(node);
  return id;
}

PacketEnd VidSch::EndOf(PacketId packet) const {
  if (!Ended(packet)) return PacketEnd::kPending;
  return lost_.count(packet) == 0 ? PacketEnd::kCompleted : PacketEnd::kLost;
}

PacketEnd VidSch::Wait(PacketId packet, uint64_t bound_ns) {
  const uint64_t last = kernel_.hal().NowNs() + bound_ns + RecoveryNs();
  while (!Ended(packet)) {
    try {
      kernel_.WaitOrFault([&] { return Ended(packet); }, bound_ns, waiting_for_.at(packet));
    } catch (const OsTimeout&) {
      if (!HeldUp(packet) || kernel_.hal().NowNs() >= last) throw;
    }
  }
  return EndOf(packet);
}

void VidSch::Resume() {
  if (suspended_ == 0) throw BugCheck("the GPU scheduler is resumed and was not suspended");
  if (--suspended_ != 0) return;
  for (const auto& [number, node] : nodes_) Dispatch(number);
}

bool VidSch::idle() const {
  return std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) { return node.second.running.empty(); });
}

bool VidSch::idle(uint32_t node, uint32_t engine) const {
  const auto found = nodes_.find({engine, node});
  return found == nodes_.end() || found->second.running.empty();
}

bool VidSch::quiet() const {
  return idle() && !resetting_ && std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) {
    return !node.second.preemption && node.second.reset_because.empty();
  });
}

void VidSch::WaitQuiet(uint64_t bound_ns) {
  kernel_.WaitOrFault([this] { return quiet(); }, bound_ns + RecoveryNs(), "the packets that the driver holds to end");
}

void VidSch::WaitForHeld(uint64_t bound_ns) {
  std::set<PacketId> held;
  for (const auto& [number, node] : nodes_)
    for (const Entry& entry : node.running) held.insert(entry.id);
  const auto gone = [&] {
    return std::all_of(nodes_.begin(), nodes_.end(), [&](const auto& node) {
      return std::none_of(node.second.running.begin(), node.second.running.end(),
                          [&](const Entry& entry) { return held.count(entry.id) != 0; });
    });
  };
  kernel_.WaitOrFault(gone, bound_ns + RecoveryNs(),
                      "the packets that the driver held when it found an allocation busy");
}

void VidSch::SuspendContext(HANDLE context, uint64_t bound_ns, bool preempt) {
  suspended_contexts_.insert(context);
  for (const auto& [number, node] : nodes_) {
    if (preempt && HoldsOn(node, context)) PreemptNode(number);
  }
  kernel_.WaitOrFault([&] { return !Holds(context); }, bound_ns + RecoveryNs(),
                      "the packets of a suspended context to be preempted or to end");
}

bool VidSch::HoldsOn(const Node& node, HANDLE context) {
  return std::any_of(node.running.begin(), node.running.end(),
                     [context](const Entry& entry) { return entry.packet.context == context; });
}

bool VidSch::Holds(HANDLE context) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& node) { return HoldsOn(node.second, context); });
}

void VidSch::ResumeContext(HANDLE context) {
  const auto found = suspended_contexts_.find(context);
  if (found != suspended_contexts_.end()) suspended_contexts_.erase(found);
  for (const auto& [number, node] : nodes_) Dispatch(number);
}

// The order within a context stays.
bool VidSch::Choose(Node& node) const {
  const auto first = std::find_if(node.waiting.begin(), node.waiting.end(), [this](const Entry& entry) {
    return suspended_contexts_.count(entry.packet.context) == 0;
  });
  if (first == node.waiting.end()) return false;
  std::rotate(node.waiting.begin(), first, first + 1);
  return true;
}

void VidSch::Dispatch(NodeId id) {
  Node& node = At(id);
  while (miniport_ != nullptr && !resetting_ && !suspended_ && !node.preemption && node.reset_because.empty() &&
         node.running.size() < kDepth && Choose(node)) {
    const GpuDevice* device = node.waiting.front().packet.device;
    if (node.waiting.front().refused || (device != nullptr && device->lost)) {
      Entry entry = std::move(node.waiting.front());
      node.waiting.pop_front();
      // One that was refused and came back ends behind those before it, as it did then.
      if (entry.refused && !node.running.empty()) node.running.push_back(std::move(entry));
      else End(std::move(entry), PacketEnd::kLost);
      continue;
    }
    if (!miniport_->scheduler_class_free()) {  // one thread at a time: later, in the order that the queue has then
      attention_ = true;
      if (!kernel_.scheduler().may_wait()) return;
      miniport_->WaitForSchedulerClass("DxgkDdiSubmitCommandVirtual");
      continue;
    }
    SubmitFirst(id, node);
  }
}

void VidSch::SubmitFirst(NodeId at, Node& node) {
  node.running.push_back(std::move(node.waiting.front()));
  node.waiting.pop_front();
  Entry& entry = node.running.back();
  if (entry.fence == 0) entry.fence = NewFence(node);
  if (node.running.size() == 1) node.since = kernel_.hal().NowNs();
  node.resubmissions += entry.again;
  submitted_in_reports_ += in_report_;
  waiting_for_[entry.id] = entry.packet.what + ", fence " + std::to_string(entry.fence) + " of " + at.name();
  DXGKARG_SUBMITCOMMANDVIRTUAL args{};
  args.hContext = entry.packet.context;
  args.DmaBufferVirtualAddress = entry.packet.address;
  args.DmaBufferSize = static_cast<UINT>(entry.packet.bytes);
  args.pDmaBufferPrivateData = entry.packet.private_data;
  args.DmaBufferPrivateDataSize = static_cast<UINT>(entry.packet.private_bytes);
  args.SubmissionFenceId = entry.fence;
  args.Flags.Paging = entry.packet.paging;
  args.Flags.Resubmission = entry.again;
  args.EngineOrdinal = at.engine;
  args.NodeOrdinal = at.node;
  const PacketId id = entry.id;
  if (entry.packet.before) entry.packet.before();
  // The entry may have ended, or have been given back, before the call returns.
  const NTSTATUS status = miniport_->SubmitCommandVirtual(args);
  if (status == STATUS_SUCCESS) return;
  // Malformed: the device is lost, and the fence counts when everything before it has ended.
  for (Entry& running : node.running) {
    if (running.id != id) continue;
    running.refused = true;
    Lose(running.packet.device, "the driver refused " + running.packet.what + " with status " +
                                    Hex(static_cast<uint32_t>(status)));
  }
  Retire(at, node.last_completed);
}

void VidSch::End(Entry entry, PacketEnd end) {
  waiting_for_.erase(entry.id);
  if (end == PacketEnd::kLost) lost_.insert(entry.id);
  if (!kernel_.LeakNow("fence")) kernel_.ledger().Close(entry.ticket);
  if (entry.packet.on_end) entry.packet.on_end(end);
}

void VidSch::Retire(NodeId id, uint32_t fence) {
  Node& node = At(id);
  if (!Reached(node.last_given, fence)) {
    throw BugCheck("the driver completed fence " + std::to_string(fence) + " of " + id.name() +
                   ", which was never submitted");
  }
  if (Reached(fence, node.last_completed)) node.last_completed = fence;
  while (!node.running.empty()) {
    Entry& oldest = node.running.front();
    if (!oldest.refused && !Reached(fence, oldest.fence)) break;
    Entry done = std::move(oldest);
    node.running.pop_front();
    node.since = kernel_.hal().NowNs();
    const bool lost = done.refused || done.fence == node.fault_fence;
    End(std::move(done), lost ? PacketEnd::kLost : PacketEnd::kCompleted);
  }
  attention_ = true;
}

void VidSch::PreemptNode(NodeId id) {
  Node& node = At(id);
  if (node.preemption || miniport_ == nullptr) return;
  node.preemption = Preemption{NewFence(node), kernel_.hal().NowNs()};
  ++preemptions_;
  DXGKARG_PREEMPTCOMMAND args{};
  args.PreemptionFenceId = node.preemption->fence;
  args.EngineOrdinal = id.engine;
  args.NodeOrdinal = id.node;
  miniport_->PreemptCommand(args);
}

void VidSch::TakeBack(Node& node) {
  std::deque<Entry> back;
  while (!node.running.empty()) {
    back.push_back(std::move(node.running.front()));
    node.running.pop_front();
    back.back().again = true;
    if (!back.back().packet.paging) back.back().fence = 0;
  }
  if (back.empty()) return;
  // Other contexts of a render node have their turn first; the order within each context stays.
  auto place = node.waiting.begin();
  if (!back.front().packet.paging) {
    std::set<HANDLE> contexts;
    for (const Entry& entry : back) contexts.insert(entry.packet.context);
    place = std::find_if(node.waiting.begin(), node.waiting.end(),
                         [&](const Entry& entry) { return contexts.count(entry.packet.context) != 0; });
  }
  node.waiting.insert(place, std::make_move_iterator(back.begin()), std::make_move_iterator(back.end()));
}

void VidSch::OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  if (kernel_.scheduler().irql() != kDevice)
    throw BugCheck("DxgkCbNotifyInterrupt below device level");
  ++interrupts_;
  if (data.InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED && kernel_.parameters().submit_during_preemption) {
    // Another processor takes the report at once and submits before this call returns.
    kernel_.scheduler().OnAnotherProcessor([&] {
      reported_.push_back(data);
      OnDpc();
      in_report_ = true;
      Dispatch({data.DmaPreempted.EngineOrdinal, data.DmaPreempted.NodeOrdinal});
      in_report_ = false;
    });
    return;
  }
  reported_.push_back(data);
}

void VidSch::HandlePreempted(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  const auto& report = data.DmaPreempted;
  const NodeId id{report.EngineOrdinal, report.NodeOrdinal};
  Node& node = At(id);
  if (!node.preemption || node.preemption->fence != report.PreemptionFenceId) {
    throw BugCheck("the driver reports preemption " + std::to_string(report.PreemptionFenceId) + " of " + id.name() +
                   ", which was not asked for");
  }
  Retire(id, report.LastCompletedFenceId);
  node.preemption.reset();
  TakeBack(node);
}

// A ring does packets in order: those before the faulted one have completed.
bool VidSch::EndFaulted(NodeId id, uint32_t fence, const std::string& why) {
  Node& node = At(id);
  const auto culprit = std::find_if(node.running.begin(), node.running.end(),
                                    [fence](const Entry& entry) { return entry.fence == fence; });
  if (culprit == node.running.end() || culprit->packet.paging) return false;
  node.fault_fence = fence;
  Lose(culprit->packet.device, why);
  Retire(id, fence);
  return true;
}

// Always with a fence.
void VidSch::HandleFault(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  const auto& report = data.DmaFaulted;
  const NodeId id{report.EngineOrdinal, report.NodeOrdinal};
  Fault fault;
  fault.source = "gpu";
  fault.name = "dma_faulted";
  fault.fence = report.FaultedFenceId;
  fault.text = id.name() + " stopped at fence " + std::to_string(fault.fence) + ", status " +
               Hex(static_cast<uint32_t>(report.Status));
  if (!EndFaulted(id, report.FaultedFenceId, fault.text)) return kernel_.Report(fault);
  At(id).reset_because = fault.text;
  attention_ = true;
}

// With a fence: its packet is the culprit. Without one the driver says what must be reset, and perhaps whose process
// it was. An adapter that must be reset is reset in both cases. Else a fault of a paging packet, which the software has
// made itself, ends the run.
void VidSch::HandlePageFault(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  constexpr UINT kAdapter = DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED | DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR;
  const auto& page = data.DmaPageFaulted;
  const auto flags = static_cast<UINT>(page.PageFaultFlags);
  const NodeId id{page.EngineOrdinal, page.NodeOrdinal};
  Node& node = At(id);
  const Fault fault = PageFault(data);
  if ((flags & DXGK_PAGE_FAULT_FENCE_INVALID) != 0) {
    if (page.FaultedFenceId != 0 || (flags & (kAdapter | DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED)) == 0) {
      throw BugCheck("the driver reports a page fault with flags " + Hex(flags) + " and fence " +
                     std::to_string(page.FaultedFenceId) +
                     ": DXGK_PAGE_FAULT_FENCE_INVALID needs fence 0 and a bit that says what to reset");
    }
    if ((flags & DXGK_PAGE_FAULT_PROCESS_HANDLE_VALID) != 0) {
      node.culprit = kGone;  // unless it is one of these
      for (const auto& device : devices_)
        if (device->process == page.FaultedProcessHandle) node.culprit = device->id;
    }
  } else if (!EndFaulted(id, page.FaultedFenceId, fault.text) && (flags & kAdapter) == 0) {
    return kernel_.Report(fault);
  }
  node.reset_adapter = node.reset_adapter || (flags & kAdapter) != 0;
  node.reset_because = fault.text;
  attention_ = true;
}

// What was found by asking a moment ago was on its way.
void VidSch::NoteTold(NodeId id) {
  Node& node = At(id);
  if (node.missed_at && kernel_.hal().NowNs() - *node.missed_at < kLateNs) --missed_;
  node.missed_at.reset();
}

void VidSch::OnDpc() {
  while (!reported_.empty()) {
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA data = reported_.front();
    reported_.pop_front();
    switch (data.InterruptType) {
      case DXGK_INTERRUPT_DMA_COMPLETED:
        NoteTold({data.DmaCompleted.EngineOrdinal, data.DmaCompleted.NodeOrdinal});
        Retire({data.DmaCompleted.EngineOrdinal, data.DmaCompleted.NodeOrdinal}, data.DmaCompleted.SubmissionFenceId);
        break;
      case DXGK_INTERRUPT_DMA_PREEMPTED: HandlePreempted(data); break;
      case DXGK_INTERRUPT_DMA_PAGE_FAULTED: HandlePageFault(data); break;
      case DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED: ++monitored_; break;
      case DXGK_INTERRUPT_DMA_FAULTED: HandleFault(data); break;
      default:
        throw BugCheck("the driver notified interrupt type " + std::to_string(data.InterruptType));
    }
  }
}

}  // namespace gmmu::os
