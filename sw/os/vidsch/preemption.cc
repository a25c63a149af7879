// SPDX-License-Identifier: Apache-2.0
#include "os/vidsch/preemption.h"

#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "os/miniport/miniport.h"

namespace gmmu::os {

void Preemption::Ask(NodeId id) {
  Node& node = packets_.At(id);
  if (node.preemption || packets_.miniport() == nullptr) return;
  node.preemption = Node::PreemptionRequest{node.fences.New(), kernel_.hal().NowNs()};
  DXGKARG_PREEMPTCOMMAND args{};
  args.PreemptionFenceId = node.preemption->fence;
  args.EngineOrdinal = id.engine;
  args.NodeOrdinal = id.node;
  packets_.miniport()->PreemptCommand(args);
}

void Preemption::OnReport(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  const auto& report = data.DmaPreempted;
  const NodeId id{report.EngineOrdinal, report.NodeOrdinal};
  Node& node = packets_.At(id);
  if (!node.preemption || node.preemption->fence != report.PreemptionFenceId) {
    throw BugCheck("the driver reports preemption " + std::to_string(report.PreemptionFenceId) + " of " + id.name() +
                   ", which was not asked for");
  }
  packets_.Retire(id, report.LastCompletedFenceId);
  node.preemption.reset();
  packets_.TakeBack(node);
}

}  // namespace gmmu::os
