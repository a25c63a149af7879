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

/// The GPU scheduler's thread. It submits waiting packets, watches running ones, and resets hung engines.
///
/// Recovery (display driver documents, timeout detection and recovery): a packet is preempted if it runs longer than
/// the quantum while others wait, or longer than the delay. If the driver does not respond to the preemption within the
/// delay, the engine is reset. If an engine reset fails or affected a paging packet, the adapter is reset. An engine
/// reset loses only the device whose packet ran; an adapter reset loses every device.
///
/// If a packet runs for a quantum without a report, the driver is queried for its current fence
/// (DxgkDdiQueryCurrentFence), because a completion interrupt may have been lost.
class TimeoutRecovery {
 public:
  /// `adapter_reset` is called on the scheduler's thread, after DxgkDdiResetFromTimeout.
  TimeoutRecovery(Kernel& kernel, Packets& packets, Preemption& preemption, GpuDevices& devices, const Reports& reports,
                  std::function<void()> adapter_reset)
      : kernel_(kernel),
        packets_(packets),
        preemption_(preemption),
        devices_(devices),
        reports_(reports),
        adapter_reset_(std::move(adapter_reset)) {}

  /// The scheduler's thread runs from Start to Stop.
  void Start();
  void Stop();

  /// The maximum duration of a recovery, from the start of a hung packet to the end of the recovery.
  uint64_t RecoveryNs() const;
  /// True if a recovery, or a running render packet other than `packet`, can delay paging work.
  bool HeldUp(PacketId packet) const;
  /// Call when an interrupt has reported completions of the node. A completion that a query found shortly before, or
  /// while interrupts were being served, does not count as missed, because its report was already on its way.
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
  /// Counts a timeout. Triggers a bug check if there were too many within TdrLimitTime (display driver documents,
  /// "Limiting Repetitive GPU Hangs and Recoveries").
  void NoteTimeout(NodeId id);
  void ResetEngine(NodeId id, const std::string& why);
  void ResetAdapter(NodeId id, const std::string& culprit, const std::string& why);
  uint64_t Delay() const;

  Kernel& kernel_;
  Packets& packets_;
  Preemption& preemption_;
  GpuDevices& devices_;
  const Reports& reports_;
  const std::function<void()> adapter_reset_;
  std::vector<RecoveryRecord> recoveries_;
  std::deque<uint64_t> timeouts_;  // when the last ones happened
  std::map<Reports::Fate, uint64_t> missed_;
  bool stop_ = false;
  bool serving_ = false;
};

}  // namespace gmmu::os
