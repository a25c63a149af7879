// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "os/vidsch/devices.h"
#include "os/vidsch/faults.h"
#include "os/vidsch/packets.h"
#include "os/vidsch/preemption.h"
#include "os/vidsch/recovery.h"
#include "os/vidsch/reports.h"

namespace gmmu::os {

class Kernel;
class Miniport;

/// The GPU scheduler of one logical adapter. It combines the queues (Packets), fence ids (Fences),
/// preemption (Preemption), faults (FaultReports), and timeouts and resets (TimeoutRecovery); it
/// also implements waits and handles the driver's notifications. The driver notifies at interrupt
/// level; its reports take effect in the DPC.
class VidSch {
 public:
  static constexpr size_t kDepth = Packets::kDepth;
  /// Upper bound, with margin, on the time that the longest paging buffer takes over the slowest
  /// link. It bounds waits for paging work.
  static constexpr uint64_t kBoundNs = 100'000'000;

  /// `last` is the fence id before the first id of each node.
  explicit VidSch(Kernel& kernel, uint32_t last = 0);

  /// Sets the driver to which packets are submitted. While it is null, packets wait.
  void Connect(Miniport* miniport) { packets_.Connect(miniport); }
  /// Starts the scheduler's thread, which submits waiting packets and monitors running packets
  /// until Stop.
  void Start() { recovery_.Start(); }
  void Stop() { recovery_.Stop(); }
  /// Sets the function that is called after DxgkDdiResetFromTimeout, on the scheduler's thread. It
  /// must clean up without the GPU, call DxgkDdiRestartFromTimeout and restore video memory.
  void set_adapter_reset(std::function<void()> work) { adapter_reset_ = std::move(work); }
  /// True from the start of an adapter reset until BeginRebuild. Packets submitted in this period
  /// are lost, so that work on the adapter's old state ends.
  bool discarding() const { return packets_.discarding(); }
  /// Call when the rebuild after a reset begins. Packets submitted afterwards run after the rebuild.
  void BeginRebuild() { packets_.BeginRebuild(); }

  /// Call after a surprise removal of the adapter. Every device is lost, and all packets, including
  /// later ones, end as lost, so that nothing waits for the GPU.
  void OnRemoval();
  bool removed() const { return packets_.removed(); }

  /// Stops submissions until Resume has been called as many times as Suspend; running packets
  /// continue. The last Resume submits the waiting packets.
  void Suspend() { packets_.Suspend(); }
  void Resume() { packets_.Resume(); }
  /// True if the driver holds no packet of any node, or of the given node.
  bool idle() const;
  bool idle(uint32_t node, uint32_t engine = 0) const;
  /// True if the driver holds a packet of the context.
  bool Holds(HANDLE context) const;
  /// True if the driver holds no packet, no preemption request is pending and no reset is in progress or due.
  bool quiet() const;

  // The bounds below are for work that is not blocked. The waits add the time of a recovery, so
  // that a hung packet of another process does not make them time out. All waits throw OsTimeout or
  // DeviceFault.

  void WaitQuiet(uint64_t bound_ns);
  /// Waits until all packets that the driver holds at the time of the call, on any node, have
  /// completed or been preempted. New packets may be submitted during the wait.
  void WaitForHeld(uint64_t bound_ns);
  /// Stops submitting packets of the context until ResumeContext has been called as many times as
  /// SuspendContext. Waits for the context's packets that the driver holds, and preempts them first
  /// if `preempt` is true.
  void SuspendContext(HANDLE context, uint64_t bound_ns, bool preempt = false);
  void ResumeContext(HANDLE context) { packets_.ResumeContext(context); }
  bool Suspended(HANDLE context) const { return packets_.Suspended(context); }
  /// Undoes all suspensions of the context. Call when the context is destroyed.
  void ForgetContext(HANDLE context) { packets_.ForgetContext(context); }

  GpuDevice* CreateDevice(const std::string& name) { return devices_.Create(name); }
  void DestroyDevice(GpuDevice* device);

  /// Queues a packet and submits the packets that are ready. Call at PASSIVE_LEVEL.
  PacketId Submit(GpuPacket packet) { return packets_.Submit(std::move(packet)); }
  bool Ended(PacketId packet) const { return packets_.Ended(packet); }
  /// Returns kLost if the packet was lost with its device, or by a reset or the removal of the
  /// adapter.
  PacketEnd EndOf(PacketId packet) const { return packets_.EndOf(packet); }
  /// Waits for the end of the packet. Takes longer than `bound_ns` only if a render packet or a
  /// recovery blocks the packet.
  PacketEnd Wait(PacketId packet, uint64_t bound_ns);
  /// Requests that the driver return the uncompleted packets of `node`. Does nothing if such a
  /// request is already pending.
  void Preempt(uint32_t node, uint32_t engine = 0) { preemption_.Ask({engine, node}); }

  /// Handles DxgkCbNotifyInterrupt. Called at device IRQL.
  void OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  /// Handles DxgkCbNotifyDpc. Called at DISPATCH_LEVEL.
  void OnDpc();
  /// Call when DxgkDdiDpcRoutine has returned.
  void OnDpcReturned() { reports_.OnDpcReturned(); }

  using Recovery = RecoveryRecord;
  const std::vector<Recovery>& recoveries() const { return recovery_.recoveries(); }
  uint32_t last_completed(uint32_t node, uint32_t engine = 0) {
    return packets_.At({engine, node}).fences.last_completed();
  }
  uint32_t last_submitted(uint32_t node, uint32_t engine = 0) {
    return packets_.At({engine, node}).fences.last_given();
  }
  /// Number of packets of the node that were preempted and resubmitted.
  uint64_t resubmissions(uint32_t node, uint32_t engine = 0) { return packets_.At({engine, node}).resubmissions; }
  /// Number of packets that were submitted while the driver was still reporting a preemption.
  uint64_t submitted_in_reports() const { return packets_.submitted_in_reports(); }
  /// Number of completions that DxgkDdiQueryCurrentFence found and whose report had the given fate.
  uint64_t missed_completions(Reports::Fate fate = Reports::Fate::kNotReported) const {
    return recovery_.missed_completions(fate);
  }

 private:
  Kernel& kernel_;
  std::function<void()> adapter_reset_;
  Reports reports_;
  GpuDevices devices_;
  Packets packets_;
  Preemption preemption_;
  FaultReports faults_;
  TimeoutRecovery recovery_;
};

}  // namespace gmmu::os
