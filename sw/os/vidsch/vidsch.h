// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "os/miniport/gpu_packet.h"
#include "os/kernel/kernel.h"
#include "os/miniport/miniport.h"

namespace gmmu::os {

/// The GPU scheduler of one logical adapter: packets of its nodes from the queue to their end, with fences,
/// preemption and recovery. A node is named by its ordinal and the index of the linked adapter that has it.
///
/// Fence ids belong to a node, have 32 bits and wrap (open: no source says how); 0 is never given
/// out, and of two ids the one less than 2^31 ahead is the later one. A packet gets its id when it is
/// submitted. A preempted paging packet is submitted again with the same id and Flags.Resubmission,
/// in order, before anything new; a preempted render packet gets a new one (seen on build 26100).
/// The driver reports at interrupt level; reports count from the deferred procedure call on.
///
/// A packet that runs for a quantum without a word is asked for: the driver may know of a completion whose interrupt
/// was lost (DxgkDdiQueryCurrentFence).
/// Recovery (display driver documents, timeout detection and recovery): a packet that runs longer than
/// the quantum while others wait, or longer than the delay, is asked to be preempted; a request that is
/// not answered within the delay resets the engine; an engine reset that fails, or that hit a paging
/// packet, resets the adapter. The device whose packet ran is lost, and no other, unless it is the
/// adapter that was reset: then every device is. A fault of a render packet, which the driver names by its
/// fence, resets its engine too. Faults of paging packets go to the kernel's list and end every wait, unless
/// the driver asks for a reset of the adapter.
class VidSch {
 public:
  /// `last`: the id that the first one of each node follows.
  explicit VidSch(Kernel& kernel, uint32_t last = 0) : kernel_(kernel), first_(last) {}

  /// The driver that packets go to; null: none, they wait.
  void Connect(Miniport* miniport) { miniport_ = miniport; }
  /// The thread that submits what waits and watches over what runs. Between Start and Stop.
  void Start();
  void Stop();
  /// What is done after DxgkDdiResetFromTimeout: clean-up without the GPU, DxgkDdiRestartFromTimeout,
  /// and what video memory held. Runs on the scheduler's thread.
  void set_adapter_reset(std::function<void()> work) { adapter_reset_ = std::move(work); }
  /// The adapter was reset and that work has not begun: what is submitted is lost, so that who still works on what the
  /// adapter had comes to its end and makes room.
  bool discarding() const { return discarding_; }
  /// That work begins. What is submitted from now on is run after it.
  void BeginRebuild() { discarding_ = false; }

  /// Nothing is submitted from now on until Resume was called as often; what runs goes on to its end. The last Resume
  /// submits what has come since.
  void Suspend() { ++suspended_; }
  void Resume();
  /// The driver holds no packet, of any node or of this one.
  bool idle() const;
  bool idle(uint32_t node, uint32_t engine = 0) const;
  /// The driver holds a packet of the context.
  bool Holds(HANDLE context) const;
  /// No packet is with the driver, no request to preempt is open and no reset is under way or due.
  bool quiet() const;
  // The bounds of the waits below are those of work that nothing holds up. A recovery may lie in front of it, whose
  // time is added: what a process hangs is no timeout of who waits for the GPU.

  /// Waits until it is quiet. Throws OsTimeout or DeviceFault.
  void WaitQuiet(uint64_t bound_ns);
  /// Waits until every packet that the driver holds now, of any node, has ended or was given back; later ones may come
  /// meanwhile. Throws OsTimeout or DeviceFault.
  void WaitForHeld(uint64_t bound_ns);

  /// Packets of the context stay where they are until it is resumed as often as it was suspended; those that the driver
  /// has are waited for, or preempted. Other contexts go on. Throws OsTimeout or DeviceFault.
  void SuspendContext(HANDLE context, uint64_t bound_ns, bool preempt = false);
  void ResumeContext(HANDLE context);
  /// The context is destroyed.
  void ForgetContext(HANDLE context) { suspended_contexts_.erase(context); }

  GpuDevice* CreateDevice(const std::string& name);
  void DestroyDevice(GpuDevice* device);

  /// Queues a packet, and submits what can be. PASSIVE.
  PacketId Submit(GpuPacket packet);
  bool Ended(PacketId packet) const { return waiting_for_.count(packet) == 0; }
  /// kLost only for packets whose device was lost.
  PacketEnd EndOf(PacketId packet) const;
  /// Longer than `bound_ns` only while a render packet or a recovery is in its way. Throws OsTimeout or DeviceFault.
  PacketEnd Wait(PacketId packet, uint64_t bound_ns);
  /// Asks the driver to give back what `node` has not completed. Nothing happens while a request is open.
  void Preempt(uint32_t node, uint32_t engine = 0) { PreemptNode({engine, node}); }

  /// DxgkCbNotifyInterrupt: at device level.
  void OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  /// DxgkCbNotifyDpc: at dispatch level.
  void OnDpc();

  /// One recovery.
  struct Recovery {
    enum class Kind { kEngine, kAdapter } kind = Kind::kEngine;
    uint32_t node = 0, engine = 0;
    uint32_t fence = 0;     ///< last aborted one
    std::string device;     ///< the lost one; of an adapter reset the one that caused it
    std::string why;
  };
  const std::vector<Recovery>& recoveries() const { return recoveries_; }
  uint32_t last_completed(uint32_t node, uint32_t engine = 0) { return At({engine, node}).last_completed; }
  uint32_t last_submitted(uint32_t node, uint32_t engine = 0) { return At({engine, node}).last_given; }
  uint64_t interrupts() const { return interrupts_; }
  uint64_t monitored_signals() const { return monitored_; }
  uint64_t preemptions() const { return preemptions_; }
  /// Packets of the node that came back and were submitted again.
  uint64_t resubmissions(uint32_t node, uint32_t engine = 0) { return At({engine, node}).resubmissions; }
  /// Packets that were submitted while the driver was still inside its report of a preemption.
  uint64_t submitted_in_reports() const { return submitted_in_reports_; }
  /// Completions that no interrupt told, found by DxgkDdiQueryCurrentFence.
  uint64_t missed_completions() const { return missed_; }

  /// Packets that a driver holds at once; the rest waits here, where it can still change its place.
  static constexpr size_t kDepth = 4;

 private:
  struct NodeId {
    uint32_t engine, node;

    bool operator<(const NodeId& other) const {
      return engine != other.engine ? engine < other.engine : node < other.node;
    }
    std::string name() const {
      return "node " + std::to_string(node) + (engine == 0 ? "" : " of adapter " + std::to_string(engine));
    }
  };
  struct Entry {
    GpuPacket packet;
    PacketId id = 0;
    uint32_t fence = 0;
    bool again = false;    // was given back
    bool refused = false;  // by the driver: ends when it is the oldest
    Ledger::Ticket ticket = 0;
  };
  struct Preemption {
    uint32_t fence;
    uint64_t since;
  };
  static constexpr uint64_t kLateNs = 100'000;  // an interrupt may come so long behind the fence that it tells
  static constexpr uint64_t kGone = ~uint64_t{0};  // of a device that is not there any more
  struct Node {
    uint32_t last_given = 0;
    uint32_t last_completed = 0;
    std::deque<Entry> waiting, running;
    std::optional<Preemption> preemption;
    uint64_t since = 0;           // when the oldest running packet became that
    std::string reset_because;    // not empty: the engine must be reset
    uint32_t fault_fence = 0;
    uint64_t asked = 0;           // when the driver was asked for its current fence
    std::optional<uint64_t> missed_at;  // when a completion was found that no interrupt had told
    uint64_t culprit = 0;         // a page fault without a fence names the process of this device, which may be kGone
    bool reset_adapter = false;   // not the engine alone
    uint64_t resubmissions = 0;
  };
  Node& At(NodeId id) {
    const auto [node, made] = nodes_.try_emplace(id);
    if (made) node->second.last_given = node->second.last_completed = first_;
    return node->second;
  }
  uint32_t NewFence(Node& node);
  static bool HoldsOn(const Node& node, HANDLE context);
  void Dispatch(NodeId id);
  void SubmitFirst(NodeId id, Node& node);
  /// Brings the first packet to the front whose context is not suspended; false: there is none.
  bool Choose(Node& node) const;
  void Retire(NodeId id, uint32_t fence);
  void PreemptNode(NodeId id);
  void End(Entry entry, PacketEnd end);
  /// What the driver had waits again: paging packets before everything else, render packets before the first packet
  /// of any of their contexts.
  void TakeBack(Node& node);
  void HandlePreempted(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  /// The render packet with this fence counts as completed, with those before it, and its device is lost. False:
  /// there is no such packet.
  bool EndFaulted(NodeId id, uint32_t fence, const std::string& why);
  void HandleFault(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  void HandlePageFault(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  // recovery (vidsch_recovery.cc)
  void Serve();
  bool Due(const Node& node) const;
  static bool RunsPaging(const Node& node);
  bool AskDue(const Node& node) const;
  void AskForFence(NodeId id);
  void NoteTold(NodeId id);
  bool QuietDependents(NodeId id);
  void Watch(NodeId id);
  void ResetEngine(NodeId id, const std::string& why);
  void ResetAdapter(NodeId id, const std::string& culprit, const std::string& why);
  void Lose(GpuDevice* device, const std::string& why);
  /// The device with this id; null: there is none any more.
  GpuDevice* Find(uint64_t device) const;
  std::string NameOf(uint64_t device) const;  // "": none
  uint64_t Delay() const;
  /// How long a recovery may take, from the start of a packet that hangs to its end.
  uint64_t RecoveryNs() const;
  /// Something that is not `packet` may hold up the paging work behind it.
  bool HeldUp(PacketId packet) const;

  Kernel& kernel_;
  const uint32_t first_;
  Miniport* miniport_ = nullptr;
  std::function<void()> adapter_reset_;
  std::map<NodeId, Node> nodes_;
  std::vector<std::unique_ptr<GpuDevice>> devices_;
  std::map<PacketId, std::string> waiting_for_;  // what has not ended
  std::set<PacketId> lost_;
  std::multiset<HANDLE> suspended_contexts_;
  PacketId next_id_ = 1;
  uint64_t next_device_ = 1;
  std::deque<DXGKARGCB_NOTIFY_INTERRUPT_DATA> reported_;
  std::vector<Recovery> recoveries_;
  bool attention_ = false;
  bool stop_ = false;
  bool serving_ = false;
  unsigned suspended_ = 0;
  bool resetting_ = false;  // the adapter: nothing is submitted
  bool discarding_ = false;
  uint64_t interrupts_ = 0;
  uint64_t monitored_ = 0;
  uint64_t preemptions_ = 0;
  uint64_t submitted_in_reports_ = 0;
  bool in_report_ = false;
  uint64_t missed_ = 0;
};

}  // namespace gmmu::os
