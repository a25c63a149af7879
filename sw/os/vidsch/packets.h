// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "os/vidsch/node.h"

namespace gmmu::os {

class Kernel;
class Miniport;

/// The packets of all nodes, from the time they are queued until they complete or are lost.
///
/// A packet is assigned its fence id when it is submitted to the driver. A packet that the driver
/// returns is resubmitted: a paging packet keeps its id, has Flags.Resubmission set, and precedes
/// all new packets; a render packet is assigned a new id (observed on build 26100).
class Packets {
 public:
  /// The maximum number of packets of a node that the driver may hold. Further packets wait in the
  /// queue, where they can still be reordered.
  static constexpr size_t kDepth = 4;

  /// `last` is the fence id before the first id of each node.
  Packets(Kernel& kernel, uint32_t last) : kernel_(kernel), first_(last) {}

  /// Sets the driver to which packets are submitted. While it is null, packets wait.
  void Connect(Miniport* miniport) {
    miniport_ = miniport;
    if (miniport != nullptr) removed_ = false;
  }
  Miniport* miniport() { return miniport_; }

  /// Queues a packet and submits the packets that are ready. Call at PASSIVE_LEVEL.
  PacketId Submit(GpuPacket packet);
  /// Submits the ready packets of a node, or of all nodes.
  void Dispatch(NodeId id);
  void DispatchAll();
  /// Call when `fence` and all earlier fences have completed. Ends the packets with these fences.
  void Retire(NodeId id, uint32_t fence);
  void End(Node::Entry entry, PacketEnd end);
  /// Requeues the packets that the driver held: paging packets before all others, render packets
  /// before the first waiting packet of any of their contexts.
  void TakeBack(Node& node);
  /// Call after an adapter reset. Every packet ends as lost, every fence counts as completed, and
  /// every pending preemption or reset request is dropped.
  void LoseAll();

  bool Ended(PacketId packet) const { return waiting_for_.count(packet) == 0; }
  PacketEnd EndOf(PacketId packet) const;
  /// Returns the description of a packet that has not ended, for the error message of a wait.
  const std::string& NameOf(PacketId packet) const { return waiting_for_.at(packet); }

  Node& At(NodeId id) { return nodes_.try_emplace(id, first_).first->second; }
  std::map<NodeId, Node>& nodes() { return nodes_; }
  const std::map<NodeId, Node>& nodes() const { return nodes_; }
  bool AnyNode(const std::function<bool(const Node&)>& is) const;

  /// Stops submissions until Resume has been called as many times as Suspend.
  void Suspend() { ++suspended_; }
  void Resume();
  /// Suspends the packets of one context. ForgetContext undoes all suspensions of the context.
  void SuspendContext(HANDLE context) { suspended_contexts_.insert(context); }
  void ResumeContext(HANDLE context);
  bool Suspended(HANDLE context) const { return suspended_contexts_.count(context) != 0; }
  void ForgetContext(HANDLE context) { suspended_contexts_.erase(context); }

  // The phases of an adapter reset. After BeginReset, nothing is submitted and new packets are
  // lost. After BeginRebuild, new packets wait. After EndReset, waiting packets are submitted.
  void BeginReset() { resetting_ = discarding_ = true; }
  void BeginRebuild() { discarding_ = false; }
  void EndReset() { resetting_ = discarding_ = false; }
  bool resetting() const { return resetting_; }
  /// Call when the adapter has been removed. All packets, including later ones, end as lost.
  void Remove() {
    removed_ = true;
    LoseAll();
  }
  bool removed() const { return removed_; }
  bool discarding() const { return discarding_; }

  /// Wakes the scheduler's thread. Call after a packet has completed, has been preempted, or could
  /// not be submitted.
  void DrawAttention() { attention_ = true; }
  void ClearAttention() { attention_ = false; }
  bool attention() const { return attention_; }

  /// Runs `work`, and counts the packets that it submits as submitted while the driver is reporting
  /// a preemption.
  void InReport(const std::function<void()>& work);
  uint64_t submitted_in_reports() const { return submitted_in_reports_; }

 private:
  void SubmitFirst(NodeId id, Node& node);
  /// Moves the first waiting packet whose context is not suspended to the front. Returns false if
  /// there is none.
  bool Choose(Node& node) const;

  Kernel& kernel_;
  const uint32_t first_;
  Miniport* miniport_ = nullptr;
  std::map<NodeId, Node> nodes_;
  std::map<PacketId, std::string> waiting_for_;  // descriptions of packets that have not ended
  std::set<PacketId> lost_;
  std::multiset<HANDLE> suspended_contexts_;
  PacketId next_id_ = 1;
  unsigned suspended_ = 0;
  bool resetting_ = false;
  bool discarding_ = false;
  bool removed_ = false;
  bool attention_ = false;
  bool in_report_ = false;
  uint64_t submitted_in_reports_ = 0;
};

}  // namespace gmmu::os
