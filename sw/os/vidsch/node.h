// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "os/base/ledger.h"
#include "os/miniport/gpu_packet.h"
#include "os/vidsch/fences.h"

namespace gmmu::os {

/// Identifies a node by its ordinal and the index of its linked adapter.
struct NodeId {
  uint32_t engine, node;

  bool operator<(const NodeId& other) const {
    return engine != other.engine ? engine < other.engine : node < other.node;
  }
  std::string name() const {
    return "node " + std::to_string(node) + (engine == 0 ? "" : " of adapter " + std::to_string(engine));
  }
};

/// What happened to the report of a completion that DxgkDdiQueryCurrentFence found before VidSch
/// had handled the report.
enum class ReportFate {
  kNotReported,  ///< no interrupt reported the completion
  kNoDpc,        ///< reported, but no DPC has run since (DxgkCbQueueDpc not called)
  kNoNotifyDpc,  ///< DxgkDdiDpcRoutine ran, but did not call DxgkCbNotifyDpc
};

/// The GPU scheduler's per-node state: fence ids, queues, and pending requests.
struct Node {
  static constexpr uint64_t kDestroyed = ~uint64_t{0};  ///< `culprit` if the device was destroyed

  struct Entry {
    GpuPacket packet;
    PacketId id = 0;
    uint32_t fence = 0;     ///< 0 until it is assigned at submission
    bool again = false;     ///< the driver has returned the packet before
    bool prepared = false;  ///< packet.before has been called for the next submission
    bool refused = false;   ///< refused by the driver; ends when it is the oldest packet
    Ledger::Ticket ticket = 0;
  };
  struct PreemptionRequest {
    uint32_t fence;
    uint64_t since;  ///< time of the request, ns
  };

  explicit Node(uint32_t last_fence) : fences(last_fence) {}
  bool Holds(HANDLE context) const {
    return std::any_of(running.begin(), running.end(),
                       [context](const Entry& entry) { return entry.packet.context == context; });
  }
  bool RunsPaging() const { return !running.empty() && running.front().packet.paging; }

  Fences fences;
  std::deque<Entry> waiting;                    ///< not submitted yet, or returned by the driver
  std::deque<Entry> running;                    ///< held by the driver, oldest first
  std::optional<PreemptionRequest> preemption;  ///< set until the driver responds
  /// Time (ns) at which the oldest running packet became the oldest one.
  uint64_t since = 0;
  std::string reset_because;   ///< why a reset is due; empty: none is due
  bool reset_adapter = false;  ///< reset the adapter, not just the engine
  uint32_t fault_fence = 0;    ///< fence of the packet that faulted
  /// Device of the process named by a page fault report without a fence, or kDestroyed; 0: no
  /// process was named.
  uint64_t culprit = 0;
  uint64_t asked = 0;  ///< time (ns) of the last DxgkDdiQueryCurrentFence
  struct Missed {
    uint64_t ns = 0;  ///< time of the query
    ReportFate fate;
    bool serving = false;  ///< an interrupt or deferred call was being served, or was due, at that time
  };
  /// Completions that DxgkDdiQueryCurrentFence has found since the node's last report.
  std::vector<Missed> missed;
  uint64_t resubmissions = 0;
};

}  // namespace gmmu::os
