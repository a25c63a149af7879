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

/// The fate of the interrupt that should have reported a completion, when DxgkDdiQueryCurrentFence found the completion
/// first.
enum class ReportFate {
  kNotReported,  ///< no interrupt reported the completion
  kNoDpc,        ///< reported, but DxgkDdiDpcRoutine has not run since: DxgkCbQueueDpc was not called
  kNoNotifyDpc,  ///< reported, and DxgkDdiDpcRoutine has run since without calling DxgkCbNotifyDpc
};

/// The GPU scheduler's per-node state: fence ids, queues, and pending requests.
struct Node {
  static constexpr uint64_t kDestroyed = ~uint64_t{0};  ///< value of `culprit` after that device was destroyed

  struct Entry {
    GpuPacket packet;
    PacketId id = 0;
    uint32_t fence = 0;     ///< 0: assigned at submission
    bool again = false;     ///< the driver returned the packet after a preemption
    bool prepared = false;  ///< packet.before has been called for the next submission
    bool refused = false;   ///< the driver refused the packet; it ends when it is the oldest
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
  std::deque<Entry> waiting;                    ///< packets not yet submitted, or returned by a preemption
  std::deque<Entry> running;                    ///< packets submitted to the driver, oldest first
  std::optional<PreemptionRequest> preemption;  ///< set until the driver responds
  uint64_t since = 0;                           ///< time (ns) at which the oldest running packet became the oldest
  std::string reset_because;                    ///< reason why the engine must be reset; empty: no reset is due
  bool reset_adapter = false;                   ///< the whole adapter must be reset, not only the engine
  uint32_t fault_fence = 0;                     ///< fence of the packet that faulted
  uint64_t culprit = 0;  ///< device of the process that a page fault without a fence names, or kDestroyed
  uint64_t asked = 0;    ///< time (ns) of the last DxgkDdiQueryCurrentFence
  struct Missed {
    uint64_t ns = 0;  ///< time of the query
    ReportFate fate;
    bool serving = false;  ///< an interrupt or deferred call was being served, or was due, at that time
  };
  std::vector<Missed> missed;  ///< completions that DxgkDdiQueryCurrentFence has found since the node's last report
  uint64_t resubmissions = 0;
};

}  // namespace gmmu::os
