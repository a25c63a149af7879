// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "os/vidsch/devices.h"
#include "os/vidsch/packets.h"
#include "os/vidsch/preemption.h"
#include "os/vidsch/reports.h"

namespace gmmu::os {

class Kernel;

/// The record of one recovery.
struct RecoveryRecord {
  enum class Kind { kEngine, kAdapter } kind = Kind::kEngine;
  uint32_t node = 0, engine = 0;
  uint32_t fence = 0;  ///< last aborted fence
  std::string device;  ///< the lost device; for an adapter reset, the device that caused it
  std::string why;
};

/// The GPU scheduler's thread. It submits waiting packets, monitors running packets, and resets
/// hung engines.
///
/// Recovery (display driver documents, timeout detection and recovery): a packet is preempted if it
/// runs longer than the quantum while other packets wait, or longer than the TDR delay. If the
/// driver does not respond to the preemption within the TDR delay, the engine is reset. If the
/// engine reset fails or affects a paging packet, the adapter is reset. After an engine reset, only
/// the device whose packet was running is lost; after an adapter reset, every device is lost.
///
/// If the driver has not reported a completion on a busy node for a quantum, the thread queries the
/// node's current fence (DxgkDdiQueryCurrentFence), because a completion interrupt may have been
/// lost.
class TimeoutRecovery {
 public:
  /// `handle_reports` handles the reports that wait for a deferred call. `adapter_reset` is called on
  /// the scheduler's thread, after DxgkDdiResetFromTimeout.
  TimeoutRecovery(Kernel& kernel, Packets& packets, Preemption& preemption, GpuDevices& devices, const Reports& reports,
                  std::function<void()> handle_reports, std::function<void()> adapter_reset)
      : kernel_(kernel),
        packets_(packets),
        preemption_(preemption),
        devices_(devices),
        reports_(reports),
        handle_reports_(std::move(handle_reports)),
        adapter_reset_(std::move(adapter_reset)) {}

  /// The scheduler's thread runs from Start to Stop.
  void Start();
  void Stop();

  /// The maximum time from the start of a hung packet to the end of the recovery.
  uint64_t RecoveryNs() const;
  /// True if a recovery, or a running render packet other than `packet`, may delay `packet`.
  bool HeldUp(PacketId packet) const;
  /// Call when an interrupt has reported a completion of the node. Completions that a query found
  /// shortly before, or while interrupts were being served, are then not counted as missed, because
  /// the report was merely late.
  void OnReport(NodeId id);

  const std::vector<RecoveryRecord>& recoveries() const { return recoveries_; }
  uint64_t missed_completions(Reports::Fate fate) const {
    const auto found = missed_.find(fate);
    return found == missed_.end() ? 0 : found->second;
  }

 private:
  void Serve();
  bool Due(const Node& node) const;
  bool AskDue(const Node& node) const;
  void AskForFence(NodeId id);
  bool QuietDependents(NodeId id);
  void Watch(NodeId id);
  /// Counts a timeout. Triggers a bug check if there were more than TdrLimitCount timeouts within
  /// TdrLimitTime (display driver documents, "Limiting Repetitive GPU Hangs and Recoveries").
  void NoteTimeout(NodeId id);
  void ResetEngine(NodeId id, const std::string& why);
  void ResetAdapter(NodeId id, const std::string& culprit, const std::string& why);
  uint64_t Delay() const;

  Kernel& kernel_;
  Packets& packets_;
  Preemption& preemption_;
  GpuDevices& devices_;
  const Reports& reports_;
  const std::function<void()> handle_reports_;
  const std::function<void()> adapter_reset_;
  std::vector<RecoveryRecord> recoveries_;
  std::deque<uint64_t> timeouts_;  // times (ns) of recent timeouts
  std::map<Reports::Fate, uint64_t> missed_;
  bool stop_ = false;
  bool serving_ = false;
};

}  // namespace gmmu::os
