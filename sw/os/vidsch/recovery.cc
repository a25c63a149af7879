// SPDX-License-Identifier: Apache-2.0
#include "os/vidsch/recovery.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "os/base/text.h"
#include "os/miniport/miniport.h"

namespace gmmu::os {
namespace {
constexpr uint64_t kDependentNs = 500'000'000;
// The longest delay from the completion of a fence to its report, if no interrupt is being served.
constexpr uint64_t kLateNs = 100'000;
}  // namespace

uint64_t TimeoutRecovery::Delay() const { return kernel_.parameters().tdr_delay_ns(); }

// Upper bound on the time from a hang to the reset: one TDR delay until the preemption request, one
// delay without a response, one delay as margin, and the time to preempt the dependent nodes.
uint64_t TimeoutRecovery::RecoveryNs() const { return 3 * Delay() + kDependentNs; }

bool TimeoutRecovery::HeldUp(PacketId packet) const {
  return packets_.resetting() || packets_.AnyNode([packet](const Node& node) {
    return node.preemption || !node.reset_because.empty() ||
           std::any_of(node.running.begin(), node.running.end(),
                       [packet](const Node::Entry& entry) { return !entry.packet.paging && entry.id != packet; });
  });
}

void TimeoutRecovery::Start() {
  stop_ = false;
  serving_ = true;
  kernel_.scheduler().Spawn("vidsch", [this] { Serve(); });
}

void TimeoutRecovery::Stop() {
  stop_ = true;
  kernel_.scheduler().Wait([this] { return !serving_; }, Scheduler::kForEver, "the GPU scheduler's thread to end");
}

void TimeoutRecovery::Serve() {
  while (true) {
    const auto busy = [this] {
      return packets_.AnyNode([](const Node& node) { return !node.running.empty() || node.preemption; });
    };
    const auto due = [this] {
      return packets_.AnyNode([this](const Node& node) { return Due(node) || AskDue(node); });
    };
    const bool was_busy = busy();
    kernel_.scheduler().Wait([&] { return stop_ || packets_.attention() || busy() != was_busy || due(); },
                             Scheduler::kWhileOn, "work for the GPU scheduler",
                             was_busy ? std::max<uint64_t>(1, std::min(kernel_.parameters().quantum_ns(), Delay()) / 2)
                                      : 0);
    if (stop_) break;
    packets_.ClearAttention();
    // Nodes may share an engine, so nodes that run paging packets are checked after those whose
    // render packets may block them.
    for (const bool paging : {false, true}) {
      for (auto& [id, node] : packets_.nodes()) {
        if (node.RunsPaging() == paging) Watch(id);
      }
    }
    packets_.DispatchAll();
  }
  serving_ = false;
}

bool TimeoutRecovery::Due(const Node& node) const {
  const uint64_t now = kernel_.hal().NowNs();
  if (!node.reset_because.empty()) return true;
  if (node.preemption) return now - node.preemption->since >= Delay();
  if (node.running.empty()) return false;
  const uint64_t allowed = node.waiting.empty() ? Delay() : std::min(kernel_.parameters().quantum_ns(), Delay());
  return now - node.since >= allowed;
}

bool TimeoutRecovery::AskDue(const Node& node) const {
  const uint64_t since = std::max(node.since, node.asked);
  const uint64_t quiet = std::min(kernel_.parameters().quantum_ns(), Delay() / 2);
  return !node.running.empty() && kernel_.hal().NowNs() - since >= quiet;
}

// Queries the node's current fence, because a completion interrupt may have been lost. A completion
// was missed if this fence is newer than the last completed fence.
void TimeoutRecovery::AskForFence(NodeId id) {
  Node& node = packets_.At(id);
  node.asked = kernel_.hal().NowNs();
  const std::optional<uint32_t> fence = packets_.miniport()->QueryCurrentFence(id.node, id.engine);
  const uint32_t last = node.fences.last_completed();
  if (!fence || *fence == last || !Fences::Reached(*fence, last)) return;
  const Reports::Fate fate = reports_.FateOf(id, *fence);
  ++missed_[fate];
  node.missed.push_back({node.asked, fate, kernel_.scheduler().ServesInterrupts()});
  packets_.Retire(id, *fence);
}

void TimeoutRecovery::OnReport(NodeId id) {
  Node& node = packets_.At(id);
  for (const Node::Missed& missed : node.missed) {
    const bool on_its_way = missed.serving || kernel_.hal().NowNs() - missed.ns < kernel_.scheduler().Bound(kLateNs);
    missed_[missed.fate] -= on_its_way;
  }
  node.missed.clear();
}

void TimeoutRecovery::Watch(NodeId id) {
  Node& node = packets_.At(id);
  if (AskDue(node)) AskForFence(id);
  if (!Due(node)) return;
  if (!node.reset_because.empty()) {
    if (node.reset_adapter) ResetAdapter(id, devices_.NameOf(node.culprit), node.reset_because);
    else ResetEngine(id, node.reset_because);
  } else if (node.preemption) {
    NoteTimeout(id);
    ResetEngine(id, "the request to preempt was not answered within " + std::to_string(Delay() / 1000) + " us");
  } else {
    preemption_.Ask(id);
  }
}

void TimeoutRecovery::NoteTimeout(NodeId id) {
  const Parameters& parameters = kernel_.parameters();
  const uint64_t now = kernel_.hal().NowNs(), within = parameters.tdr_limit_time_us * 1000;
  while (!timeouts_.empty() && now - timeouts_.front() > within) timeouts_.pop_front();
  timeouts_.push_back(now);
  if (timeouts_.size() <= parameters.tdr_limit_count) return;
  throw BugCheck(StopCode::kVideoTdrFailure, {0, 0, 0, id.node},
                 id.name() + " timed out, the " + std::to_string(timeouts_.size()) + ". timeout of an engine within " +
                     std::to_string(parameters.tdr_limit_time_us) + " us (os.tdr_limit_count)");
}

// Preempts the nodes that depend on this node, before its reset (display driver documents: within
// 500 ms). Returns false if they do not all respond in time.
bool TimeoutRecovery::QuietDependents(NodeId id) {
  const uint64_t group = packets_.miniport()->QueryDependentEngineGroup(id.node, id.engine);
  std::vector<NodeId> others;
  for (uint32_t number = 0; number < 64; ++number) {
    const NodeId other{id.engine, number};
    if (number == id.node || (group >> number & 1) == 0 || packets_.At(other).running.empty()) continue;
    others.push_back(other);
    preemption_.Ask(other);
  }
  try {
    kernel_.scheduler().Wait(
        [&] {
          return std::none_of(others.begin(), others.end(),
                              [this](NodeId other) { return packets_.At(other).preemption.has_value(); });
        },
        kDependentNs, "the nodes that depend on " + id.name() + " to be preempted");
  } catch (const OsTimeout&) {
    return false;
  }
  return true;
}

void TimeoutRecovery::ResetEngine(NodeId id, const std::string& why) {
  Node& node = packets_.At(id);
  const bool paging = node.RunsPaging();
  const bool faulted = !node.reset_because.empty() && node.fault_fence != 0;
  const PacketId hit_id = node.running.empty() ? 0 : node.running.front().id;
  // The device is identified by id, because it may be destroyed while QuietDependents waits.
  uint64_t guilty = node.culprit;
  if (guilty == 0 && !faulted && !node.running.empty() && node.running.front().packet.device != nullptr)
    guilty = node.running.front().packet.device->id;
  std::string culprit = devices_.NameOf(guilty);
  for (const auto& device : devices_) {
    if (faulted && device->lost && device->why == why) culprit = device->name;
  }
  if (!QuietDependents(id)) {
    GpuDevices::Lose(devices_.Find(guilty), why);
    return ResetAdapter(id, culprit, why + "; a node that depends on it was not preempted");
  }
  DXGKARG_QUERYENGINESTATUS status{};
  status.EngineOrdinal = id.engine;
  status.NodeOrdinal = id.node;
  packets_.miniport()->QueryEngineStatus(status);
  // The driver may have responded during the wait, in reports that no deferred call has handled yet.
  // No reset is needed then.
  handle_reports_();
  if (node.reset_because.empty() && !node.preemption) return;
  GpuDevices::Lose(devices_.Find(guilty), why);
  DXGKARG_RESETENGINE args{};
  args.EngineOrdinal = id.engine;
  args.NodeOrdinal = id.node;
  if (!NT_SUCCESS(packets_.miniport()->ResetEngine(args)))
    return ResetAdapter(id, culprit, why + "; the engine could not be reset");
  handle_reports_();  // of what happened before the reset
  const uint32_t aborted = args.LastAbortedFenceId;
  const uint32_t completed = node.fences.last_completed(), given = node.fences.last_given();
  if (!Fences::Reached(aborted, completed) || !Fences::Reached(given, aborted)) {
    throw BugCheck(StopCode::kVideoSchedulerInternalError, {stop::kAbortedFence, aborted, completed, given},
                   "DxgkDdiResetEngine answered LastAbortedFenceId " + std::to_string(aborted) + ", " + id.name() +
                       " is between " + std::to_string(completed) + " and " + std::to_string(given));
  }
  if (paging) return ResetAdapter(id, "", why + "; a paging packet was hit");
  node.fences.Complete(aborted);
  node.preemption.reset();
  node.reset_because.clear();
  node.fault_fence = 0;
  const bool innocent = std::exchange(node.culprit, 0) != 0 && !node.running.empty() &&
                        node.running.front().packet.device != nullptr && !node.running.front().packet.device->lost;
  // The packet that was running is lost with its device; the other packets are resubmitted.
  if (!node.running.empty() && node.running.front().id == hit_id && !faulted && !innocent) {
    Node::Entry hit = std::move(node.running.front());
    node.running.pop_front();
    packets_.End(std::move(hit), PacketEnd::kLost);
  }
  packets_.TakeBack(node);
  // Restart the timeouts of packets that this node may have blocked.
  for (auto& [other, held_up] : packets_.nodes()) {
    if (other.engine != id.engine) continue;
    held_up.since = kernel_.hal().NowNs();
    if (held_up.preemption) held_up.preemption->since = held_up.since;
  }
  recoveries_.push_back({RecoveryRecord::Kind::kEngine, id.node, id.engine, aborted, culprit, why});
  packets_.DrawAttention();
}

// Linked adapters form one logical adapter, so they are all reset.
void TimeoutRecovery::ResetAdapter(NodeId id, const std::string& culprit, const std::string& why) {
  packets_.BeginReset();
  const NTSTATUS status = packets_.miniport()->ResetFromTimeout();
  if (!NT_SUCCESS(status)) {
    throw BugCheck(StopCode::kVideoTdrFailure, {0, 0, static_cast<uint32_t>(status), id.node},
                   "DxgkDdiResetFromTimeout returned status " + Hex(static_cast<uint32_t>(status)) + ", after " + why);
  }
  recoveries_.push_back(
      {RecoveryRecord::Kind::kAdapter, id.node, id.engine, packets_.At(id).fences.last_given(), culprit, why});
  for (const auto& device : devices_) GpuDevices::Lose(device.get(), "the adapter was reset: " + why);
  // All packets can be dropped: each belongs to a lost device or to the paging process, whose
  // tables are lost.
  packets_.LoseAll();
  adapter_reset_();
  packets_.EndReset();
  packets_.DrawAttention();
}

}  // namespace gmmu::os
