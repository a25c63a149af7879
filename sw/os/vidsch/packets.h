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

/// The packets of all nodes, from the queue through the driver to their end.
///
/// A packet gets its fence id when it is submitted. A packet that the driver gives back is submitted again: a paging
/// packet with the same id and Flags.Resubmission, in order, before anything new; a render packet with a new id (seen
/// on build 26100).
class Packets {
 public:
  /// Packets that a driver holds at once. The rest waits here, where it can still change its place.
  static constexpr size_t kDepth = 4;

  /// `last`: the fence id that the first one of each node follows.
  Packets(Kernel& kernel, uint32_t last) : kernel_(kernel), first_(last) {}

  /// The driver that packets go to. Null: they wait.
  void Connect(Miniport* miniport) { miniport_ = miniport; }
  Miniport* miniport() { return miniport_; }

  /// Queues a packet, and submits what can be. PASSIVE.
  PacketId Submit(GpuPacket packet);
  /// Submits what can be of a node, or of all.
  void Dispatch(NodeId id);
  void DispatchAll();
  /// `fence` and all before it have completed: their packets end.
  void Retire(NodeId id, uint32_t fence);
  void End(Node::Entry entry, PacketEnd end);
  /// The packets of the driver wait again: paging packets before everything else, render packets before the first
  /// packet of any of their contexts.
  void TakeBack(Node& node);
  /// The adapter was reset: every packet ends as lost, every fence counts as completed, and no request is open.
  void LoseAll();

  bool Ended(PacketId packet) const { return waiting_for_.count(packet) == 0; }
  PacketEnd EndOf(PacketId packet) const;
  /// What a packet that has not ended is, for the text of a wait.
  const std::string& NameOf(PacketId packet) const { return waiting_for_.at(packet); }

  Node& At(NodeId id) { return nodes_.try_emplace(id, first_).first->second; }
  std::map<NodeId, Node>& nodes() { return nodes_; }
  const std::map<NodeId, Node>& nodes() const { return nodes_; }
  bool AnyNode(const std::function<bool(const Node&)>& is) const;

  /// Nothing is submitted until Resume was called as often as Suspend.
  void Suspend() { ++suspended_; }
  void Resume();
  /// The same for the packets of one context; ForgetContext undoes all of its suspensions.
  void SuspendContext(HANDLE context) { suspended_contexts_.insert(context); }
  void ResumeContext(HANDLE context);
  bool Suspended(HANDLE context) const { return suspended_contexts_.count(context) != 0; }
  void ForgetContext(HANDLE context) { suspended_contexts_.erase(context); }

  // A reset of the adapter. From its begin nothing is submitted and every new packet is lost; from BeginRebuild on new
  // packets wait; from its end they are submitted.
  void BeginReset() { resetting_ = discarding_ = true; }
  void BeginRebuild() { discarding_ = false; }
  void EndReset() { resetting_ = discarding_ = false; }
  bool resetting() const { return resetting_; }
  bool discarding() const { return discarding_; }

  /// There is something for the scheduler's thread to look at: since the last ClearAttention a packet ended, came back,
  /// or could not be submitted.
  void DrawAttention() { attention_ = true; }
  void ClearAttention() { attention_ = false; }
  bool attention() const { return attention_; }

  /// Submissions inside of `work` are counted as made in the driver's report of a preemption.
  void InReport(const std::function<void()>& work);
  uint64_t submitted_in_reports() const { return submitted_in_reports_; }

 private:
  void SubmitFirst(NodeId id, Node& node);
  /// Brings the first packet to the front whose context is not suspended; false: there is none.
  bool Choose(Node& node) const;

  Kernel& kernel_;
  const uint32_t first_;
  Miniport* miniport_ = nullptr;
  std::map<NodeId, Node> nodes_;
  std::map<PacketId, std::string> waiting_for_;  // names of the packets that have not ended
  std::set<PacketId> lost_;
  std::multiset<HANDLE> suspended_contexts_;
  PacketId next_id_ = 1;
  unsigned suspended_ = 0;
  bool resetting_ = false;
  bool discarding_ = false;
  bool attention_ = false;
  bool in_report_ = false;
  uint64_t submitted_in_reports_ = 0;
};

}  // namespace gmmu::os
