// SPDX-License-Identifier: Apache-2.0
#include "os/vidsch/packets.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "os/base/text.h"
#include "os/miniport/miniport.h"
#include "os/vidsch/devices.h"
#include "os/vidsch/patch.h"

namespace gmmu::os {
namespace {

/// Converts a submission by virtual address to one by physical address, for a buffer in system
/// memory. The submission begins at byte `start` of the buffer.
DXGKARG_SUBMITCOMMAND Physical(const DXGKARG_SUBMITCOMMANDVIRTUAL& args, UINT start) {
  DXGKARG_SUBMITCOMMAND physical{};
  physical.hContext = args.hContext;
  physical.DmaBufferPhysicalAddress.QuadPart = static_cast<LONGLONG>(args.DmaBufferVirtualAddress - start);
  physical.DmaBufferSubmissionStartOffset = start;
  physical.DmaBufferSize = physical.DmaBufferSubmissionEndOffset = start + args.DmaBufferSize;
  physical.pDmaBufferPrivateData = args.pDmaBufferPrivateData;
  physical.DmaBufferPrivateDataSize = physical.DmaBufferPrivateDataSubmissionEndOffset = args.DmaBufferPrivateDataSize;
  physical.SubmissionFenceId = args.SubmissionFenceId;
  physical.Flags = args.Flags;
  physical.EngineOrdinal = args.EngineOrdinal;
  physical.NodeOrdinal = args.NodeOrdinal;
  return physical;
}

}  // namespace

PacketId Packets::Submit(GpuPacket packet) {
  Node::Entry entry;
  entry.id = next_id_++;
  const NodeId node{packet.engine, packet.node};
  waiting_for_[entry.id] = packet.what + " on " + node.name();
  entry.ticket = kernel_.ledger().Open("fence", "packet " + std::to_string(entry.id) + " of " + node.name(), "vidsch",
                                       packet.what);
  entry.packet = std::move(packet);
  const PacketId id = entry.id;
  if (discarding_ || removed_) {
    End(std::move(entry), PacketEnd::kLost);
    return id;
  }
  At(node).waiting.push_back(std::move(entry));
  Dispatch(node);
  return id;
}

PacketEnd Packets::EndOf(PacketId packet) const {
  if (!Ended(packet)) return PacketEnd::kPending;
  return lost_.count(packet) == 0 ? PacketEnd::kCompleted : PacketEnd::kLost;
}

bool Packets::AnyNode(const std::function<bool(const Node&)>& is) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& node) { return is(node.second); });
}

void Packets::Resume() {
  if (suspended_ == 0) throw BugCheck("the GPU scheduler is resumed and was not suspended");
  if (--suspended_ == 0) DispatchAll();
}

void Packets::ResumeContext(HANDLE context) {
  const auto found = suspended_contexts_.find(context);
  if (found != suspended_contexts_.end()) suspended_contexts_.erase(found);
  DispatchAll();
}

// Only packets of suspended contexts are skipped, which preserves the order within each context.
bool Packets::Choose(Node& node) const {
  const auto first = std::find_if(node.waiting.begin(), node.waiting.end(), [this](const Node::Entry& entry) {
    return suspended_contexts_.count(entry.packet.context) == 0;
  });
  if (first == node.waiting.end()) return false;
  std::rotate(node.waiting.begin(), first, first + 1);
  return true;
}

void Packets::DispatchAll() {
  for (const auto& [id, node] : nodes_) Dispatch(id);
}

void Packets::Dispatch(NodeId id) {
  Node& node = At(id);
  while (miniport_ != nullptr && !resetting_ && !suspended_ && !node.preemption && node.reset_because.empty() &&
         node.running.size() < kDepth && Choose(node)) {
    const GpuDevice* device = node.waiting.front().packet.device;
    if (node.waiting.front().refused || (device != nullptr && device->lost)) {
      Node::Entry entry = std::move(node.waiting.front());
      node.waiting.pop_front();
      // A packet that the driver refused still ends in order, after the packets before it.
      if (entry.refused && !node.running.empty()) node.running.push_back(std::move(entry));
      else End(std::move(entry), PacketEnd::kLost);
      continue;
    }
    // Only one thread at a time may call a scheduler-class function of the driver. The queue may be
    // reordered during the wait, so the loop then chooses a packet anew.
    if (!miniport_->scheduler_class_free()) {
      DrawAttention();
      if (!kernel_.scheduler().may_wait()) return;
      miniport_->WaitForSchedulerClass("DxgkDdiSubmitCommandVirtual");
      continue;
    }
    // The `before` callback lets other threads run, so the queue may be reordered here as well. The
    // packet must not be in `running` during the callback: a preemption would return it, although
    // the driver does not have it yet, and it would run twice.
    if (Node::Entry& first = node.waiting.front(); first.packet.before && !first.prepared) {
      if (!kernel_.scheduler().may_wait()) {  // the driver may wait for a lock in the callback
        DrawAttention();
        return;
      }
      first.prepared = true;
      const std::function<void()> before = first.packet.before;
      before();
      continue;
    }
    SubmitFirst(id, node);
  }
}

void Packets::SubmitFirst(NodeId at, Node& node) {
  node.running.push_back(std::move(node.waiting.front()));
  node.waiting.pop_front();
  Node::Entry& entry = node.running.back();
  entry.prepared = false;
  if (entry.fence == 0) entry.fence = node.fences.New();
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
  const bool physical = entry.packet.physical;
  const auto start = static_cast<UINT>(entry.packet.start);
  const std::shared_ptr<const DmaSubmission> dma = entry.packet.dma;
  if (dma) return PatchAndSubmit(*miniport_, *dma, args);
  if (physical) return miniport_->SubmitCommand(Physical(args, start));
  // `entry` may no longer exist when the call returns, because the packet may have completed or
  // been preempted.
  const NTSTATUS status = miniport_->SubmitCommandVirtual(args);
  if (status == STATUS_SUCCESS) return;
  // The driver refused the packet as malformed: its device is lost, and the packet ends when all
  // earlier packets have completed.
  for (Node::Entry& running : node.running) {
    if (running.id != id) continue;
    running.refused = true;
    GpuDevices::Lose(running.packet.device, "the driver refused " + running.packet.what + " with status " +
                                                Hex(static_cast<uint32_t>(status)));
  }
  Retire(at, node.fences.last_completed());
}

void Packets::End(Node::Entry entry, PacketEnd end) {
  waiting_for_.erase(entry.id);
  if (end == PacketEnd::kLost) lost_.insert(entry.id);
  if (!kernel_.LeakNow("fence")) kernel_.ledger().Close(entry.ticket);
  if (entry.packet.on_end) entry.packet.on_end(end);
}

void Packets::Retire(NodeId id, uint32_t fence) {
  Node& node = At(id);
  if (!Fences::Reached(node.fences.last_given(), fence)) {
    throw BugCheck("the driver completed fence " + std::to_string(fence) + " of " + id.name() +
                   ", which was never submitted");
  }
  node.fences.Complete(fence);
  while (!node.running.empty()) {
    Node::Entry& oldest = node.running.front();
    if (!oldest.refused && !Fences::Reached(fence, oldest.fence)) break;
    Node::Entry done = std::move(oldest);
    node.running.pop_front();
    node.since = kernel_.hal().NowNs();
    const bool lost = done.refused || done.fence == node.fault_fence;
    End(std::move(done), lost ? PacketEnd::kLost : PacketEnd::kCompleted);
  }
  DrawAttention();
}

void Packets::TakeBack(Node& node) {
  std::deque<Node::Entry> back;
  while (!node.running.empty()) {
    back.push_back(std::move(node.running.front()));
    node.running.pop_front();
    back.back().again = true;
    if (!back.back().packet.paging) back.back().fence = 0;
  }
  if (back.empty()) return;
  // Returned render packets are queued after packets of other contexts, but before later packets of
  // their own contexts.
  auto place = node.waiting.begin();
  if (!back.front().packet.paging) {
    std::set<HANDLE> contexts;
    for (const Node::Entry& entry : back) contexts.insert(entry.packet.context);
    place = std::find_if(node.waiting.begin(), node.waiting.end(),
                         [&](const Node::Entry& entry) { return contexts.count(entry.packet.context) != 0; });
  }
  node.waiting.insert(place, std::make_move_iterator(back.begin()), std::make_move_iterator(back.end()));
}

void Packets::LoseAll() {
  for (auto& [id, node] : nodes_) {
    node.preemption.reset();
    node.reset_because.clear();
    node.fault_fence = 0;
    node.culprit = 0;
    node.reset_adapter = false;
    node.fences.CompleteAll();
    for (auto* queue : {&node.running, &node.waiting}) {
      while (!queue->empty()) {
        Node::Entry entry = std::move(queue->front());
        queue->pop_front();
        End(std::move(entry), PacketEnd::kLost);
      }
    }
  }
  suspended_contexts_.clear();
}

void Packets::InReport(const std::function<void()>& work) {
  in_report_ = true;
  work();
  in_report_ = false;
}

}  // namespace gmmu::os
