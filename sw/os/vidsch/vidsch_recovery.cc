// SPDX-License-Identifier: Apache-2.0
// Timeouts, engine and adapter reset.
#include <algorithm>
#include <utility>

#include "os/kernel/bug_check.h"
#include "os/kernel/text.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {
namespace {
constexpr uint64_t kDependentNs = 500'000'000;
constexpr uint64_t kForEver = 3'600'000'000'000;  // its work has tighter bounds
bool Reached(uint32_t fence, uint32_t other) { return static_cast<int32_t>(fence - other) >= 0; }
}  // namespace

uint64_t VidSch::Delay() const { return kernel_.parameters().tdr_delay_ns(); }

// It runs, is asked to be preempted, does not answer; the nodes that depend on its own are preempted before the reset.
uint64_t VidSch::RecoveryNs() const { return 3 * Delay() + kDependentNs; }

bool VidSch::HeldUp(PacketId packet) const {
  return resetting_ || std::any_of(nodes_.begin(), nodes_.end(), [packet](const auto& at) {
    const Node& node = at.second;
    return node.preemption || !node.reset_because.empty() ||
           std::any_of(node.running.begin(), node.running.end(),
                       [packet](const Entry& entry) { return !entry.packet.paging && entry.id != packet; });
  });
}

void VidSch::Start() {
  stop_ = false;
  serving_ = true;
  kernel_.scheduler().Spawn("vidsch", [this] { Serve(); });
}

void VidSch::Stop() {
  stop_ = true;
  kernel_.scheduler().Wait([this] { return !serving_; }, kForEver, "the GPU scheduler's thread to end");
}

void VidSch::Serve() {
  while (true) {
    const auto busy = [this] {
      return std::any_of(nodes_.begin(), nodes_.end(),
                         [](const auto& node) { return !node.second.running.empty() || node.second.preemption; });
    };
    const auto due = [this] {
      return std::any_of(nodes_.begin(), nodes_.end(),
                         [this](const auto& node) { return Due(node.second) || AskDue(node.second); });
    };
    const bool was_busy = busy();
    kernel_.scheduler().Wait(
        [&] { return stop_ || attention_ || busy() != was_busy || due(); }, kForEver, "work for the GPU scheduler",
        was_busy ? std::max<uint64_t>(1, std::min(kernel_.parameters().quantum_ns(), Delay()) / 2) : 0);
    if (stop_) break;
    attention_ = false;
    // Nodes may share what executes them: paging is not judged before the render packet that may be in its way.
    for (const bool paging : {false, true}) {
      for (auto& [number, node] : nodes_) {
        if (RunsPaging(node) == paging) Watch(number);
      }
    }
    for (auto& [number, node] : nodes_) Dispatch(number);
  }
  serving_ = false;
}

bool VidSch::Due(const Node& node) const {
  const uint64_t now = kernel_.hal().NowNs();
  if (!node.reset_because.empty()) return true;
  if (node.preemption) return now - node.preemption->since >= Delay();
  if (node.running.empty()) return false;
  const uint64_t allowed = node.waiting.empty() ? Delay() : std::min(kernel_.parameters().quantum_ns(), Delay());
  return now - node.since >= allowed;
}

bool VidSch::RunsPaging(const Node& node) { return !node.running.empty() && node.running.front().packet.paging; }

bool VidSch::AskDue(const Node& node) const {
  const uint64_t since = std::max(node.since, node.asked);
  const uint64_t quiet = std::min(kernel_.parameters().quantum_ns(), Delay() / 2);
  return !node.running.empty() && kernel_.hal().NowNs() - since >= quiet;
}

// Its interrupt may be lost. Only what is newer than the last report counts.
void VidSch::AskForFence(NodeId id) {
  Node& node = At(id);
  node.asked = kernel_.hal().NowNs();
  const std::optional<uint32_t> fence = miniport_->QueryCurrentFence(id.node, id.engine);
  if (!fence || *fence == node.last_completed || !Reached(*fence, node.last_completed)) return;
  ++missed_;
  node.missed_at = node.asked;
  Retire(id, *fence);
}

void VidSch::Watch(NodeId id) {
  Node& node = At(id);
  if (AskDue(node)) AskForFence(id);
  if (!Due(node)) return;
  if (!node.reset_because.empty()) {
    if (node.reset_adapter) ResetAdapter(id, NameOf(node.culprit), node.reset_because);
    else ResetEngine(id, node.reset_because);
  } else if (node.preemption) {
    ResetEngine(id, "the request to preempt was not answered within " + std::to_string(Delay() / 1000) + " us");
  } else {
    PreemptNode(id);
  }
}

GpuDevice* VidSch::Find(uint64_t device) const {
  for (const auto& held : devices_)
    if (held->id == device) return held.get();
  return nullptr;
}

std::string VidSch::NameOf(uint64_t device) const {
  const GpuDevice* found = Find(device);
  return found == nullptr ? "" : found->name;
}

void VidSch::Lose(GpuDevice* device, const std::string& why) {
  if (device == nullptr || device->lost) return;
  device->lost = true;
  device->why = why;
}

// Nodes that depend on it are preempted first (display driver documents: within 500 ms).
bool VidSch::QuietDependents(NodeId id) {
  const uint64_t group = miniport_->QueryDependentEngineGroup(id.node, id.engine);
  std::vector<NodeId> others;
  for (uint32_t number = 0; number < 64; ++number) {
    const NodeId other{id.engine, number};
    if (number == id.node || (group >> number & 1) == 0 || At(other).running.empty()) continue;
    others.push_back(other);
    PreemptNode(other);
  }
  try {
    kernel_.scheduler().Wait(
        [&] {
          return std::none_of(others.begin(), others.end(),
                              [this](NodeId other) { return At(other).preemption.has_value(); });
        },
        kDependentNs, "the nodes that depend on " + id.name() + " to be preempted");
  } catch (const OsTimeout&) {
    return false;
  }
  return true;
}

void VidSch::ResetEngine(NodeId id, const std::string& why) {
  Node& node = At(id);
  const bool paging = !node.running.empty() && node.running.front().packet.paging;
  const bool faulted = !node.reset_because.empty() && node.fault_fence != 0;
  const PacketId hit_id = node.running.empty() ? 0 : node.running.front().id;
  uint64_t guilty = node.culprit;  // it may be destroyed while this waits
  if (guilty == 0 && !faulted && !node.running.empty() && node.running.front().packet.device != nullptr)
    guilty = node.running.front().packet.device->id;
  std::string culprit = NameOf(guilty);
  for (const auto& device : devices_) {
    if (faulted && device->lost && device->why == why) culprit = device->name;
  }
  if (!QuietDependents(id)) {
    Lose(Find(guilty), why);
    return ResetAdapter(id, culprit, why + "; a node that depends on it was not preempted");
  }
  DXGKARG_QUERYENGINESTATUS status{};
  status.EngineOrdinal = id.engine;
  status.NodeOrdinal = id.node;
  miniport_->QueryEngineStatus(status);
  if (node.reset_because.empty() && !node.preemption) return;  // it was answered meanwhile
  Lose(Find(guilty), why);
  DXGKARG_RESETENGINE args{};
  args.EngineOrdinal = id.engine;
  args.NodeOrdinal = id.node;
  if (!NT_SUCCESS(miniport_->ResetEngine(args)))
    return ResetAdapter(id, culprit, why + "; the engine could not be reset");
  const uint32_t aborted = args.LastAbortedFenceId;
  if (!Reached(aborted, node.last_completed) || !Reached(node.last_given, aborted)) {
    throw BugCheck(StopCode::kVideoSchedulerInternalError,
                   {stop::kAbortedFence, aborted, node.last_completed, node.last_given},
                   "DxgkDdiResetEngine answered LastAbortedFenceId " + std::to_string(aborted) + ", " +
                       id.name() + " is between " + std::to_string(node.last_completed) + " and " +
                       std::to_string(node.last_given));
  }
  if (paging) return ResetAdapter(id, "", why + "; a paging packet was hit");
  node.last_completed = aborted;
  node.preemption.reset();
  node.reset_because.clear();
  node.fault_fence = 0;
  const bool innocent = std::exchange(node.culprit, 0) != 0 && !node.running.empty() &&
                        node.running.front().packet.device != nullptr && !node.running.front().packet.device->lost;
  // The packet that ran is gone with its device; the others are submitted again.
  if (!node.running.empty() && node.running.front().id == hit_id && !faulted && !innocent) {
    Entry hit = std::move(node.running.front());
    node.running.pop_front();
    End(std::move(hit), PacketEnd::kLost);
  }
  TakeBack(node);
  for (auto& [other, held_up] : nodes_) {  // those that it held up have all their time before them
    if (other.engine != id.engine) continue;
    held_up.since = kernel_.hal().NowNs();
    if (held_up.preemption) held_up.preemption->since = held_up.since;
  }
  recoveries_.push_back({Recovery::Kind::kEngine, id.node, id.engine, aborted, culprit, why});
  attention_ = true;
}

// Of linked adapters all are reset: they are one adapter.
void VidSch::ResetAdapter(NodeId id, const std::string& culprit, const std::string& why) {
  resetting_ = discarding_ = true;
  const NTSTATUS status = miniport_->ResetFromTimeout();
  if (!NT_SUCCESS(status)) {
    throw BugCheck(StopCode::kVideoTdrFailure, {0, 0, static_cast<uint32_t>(status), id.node},
                   "DxgkDdiResetFromTimeout returned status " + Hex(static_cast<uint32_t>(status)) + ", after " + why);
  }
  recoveries_.push_back({Recovery::Kind::kAdapter, id.node, id.engine, At(id).last_given, culprit, why});
  for (const auto& device : devices_) Lose(device.get(), "the adapter was reset: " + why);
  // Everything submitted counts as completed; what waits is of lost devices, or of a paging process
  // whose tables are gone.
  for (auto& [other, node] : nodes_) {
    node.preemption.reset();
    node.reset_because.clear();
    node.fault_fence = 0;
    node.culprit = 0;
    node.reset_adapter = false;
    node.last_completed = node.last_given;
    for (auto* queue : {&node.running, &node.waiting}) {
      while (!queue->empty()) {
        Entry entry = std::move(queue->front());
        queue->pop_front();
        End(std::move(entry), PacketEnd::kLost);
      }
    }
  }
  reported_.clear();
  suspended_contexts_.clear();
  if (adapter_reset_) adapter_reset_();
  resetting_ = discarding_ = false;
  attention_ = true;
}

}  // namespace gmmu::os
