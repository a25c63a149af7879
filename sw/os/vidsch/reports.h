// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <optional>

#include "ddi/d3dkmddi.h"
#include "os/vidsch/fences.h"
#include "os/vidsch/node.h"

namespace gmmu::os {

/// Queues the driver's reports from DxgkCbNotifyInterrupt, oldest first, until DxgkCbNotifyDpc is
/// called.
class Reports {
 public:
  using Fate = ReportFate;

  void Add(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) { waiting_.push_back({data, false}); }
  std::optional<DXGKARGCB_NOTIFY_INTERRUPT_DATA> Take() {
    if (waiting_.empty()) return std::nullopt;
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA data = waiting_.front().data;
    waiting_.pop_front();
    return data;
  }
  void Clear() { waiting_.clear(); }
  /// Call when DxgkDdiDpcRoutine has returned.
  void OnDpcReturned() {
    for (Report& report : waiting_) report.dpc_returned = true;
  }
  /// Returns what happened to the report of the completion of `fence`.
  Fate FateOf(NodeId id, uint32_t fence) const {
    for (const Report& report : waiting_) {
      const auto& completed = report.data.DmaCompleted;
      if (report.data.InterruptType != DXGK_INTERRUPT_DMA_COMPLETED || completed.NodeOrdinal != id.node ||
          completed.EngineOrdinal != id.engine || !Fences::Reached(completed.SubmissionFenceId, fence))
        continue;
      return report.dpc_returned ? Fate::kNoNotifyDpc : Fate::kNoDpc;
    }
    return Fate::kNotReported;
  }

 private:
  struct Report {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
    bool dpc_returned;  ///< DxgkDdiDpcRoutine has returned since the report
  };
  std::deque<Report> waiting_;
};

}  // namespace gmmu::os
