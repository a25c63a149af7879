// SPDX-License-Identifier: Apache-2.0
#include "kmd/adapter.h"
#include "kmd/interrupt.h"

#include "kmd/entry_points.h"

namespace gmmu::kmd {
namespace {

/// Maximum number of times that one call reads the interrupt causes while new causes keep arriving.
/// The next interrupt handles causes that are raised later.
constexpr int kMostRounds = 16;

/// True if the fault is a failed translation; its address is then a GPU VA. All other faults
/// concern the command itself, or the memory access after translation.
bool IsPageFault(regs::Fault reason) {
  switch (reason) {
    case regs::Fault::kSpaceDisabled:
    case regs::Fault::kVaRange:
    case regs::Fault::kRootBound:
    case regs::Fault::kEntryInvalid:
    case regs::Fault::kEntryReserved:
    case regs::Fault::kTableRead:
    case regs::Fault::kWriteProtect:
    case regs::Fault::kExecuteProtect: return true;
    default: return false;
  }
}

NTSTATUS StatusOf(regs::Fault reason) {
  switch (reason) {
    case regs::Fault::kCommandBad:
    case regs::Fault::kNotPrivileged: return STATUS_INVALID_PARAMETER;
    default: return STATUS_DEVICE_HARDWARE_ERROR;
  }
}

void Notify(Adapter& adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  adapter.dxgkrnl.DxgkCbNotifyInterrupt(adapter.dxgkrnl_handle(), &data);
}

}  // namespace

void ReportCompletion(Adapter& adapter, UINT node) {
  Engine& engine = adapter.engines[node];
  const uint32_t completed = engine.ring.CompletedFence();
  if (!Ring::Newer(completed, engine.reported_fence)) return;
  engine.reported_fence = completed;
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
  data.DmaCompleted.SubmissionFenceId = completed;
  data.DmaCompleted.NodeOrdinal = node;
  data.DmaCompleted.EngineOrdinal = adapter.link.index();
  Notify(adapter, data);
}

// A ring that has stopped at an error stays stopped until it is reset. All entries before the
// faulting entry have completed, and the faulting entry now also counts as completed.
void ReportRingError(Adapter& adapter, UINT node) {
  Engine& engine = adapter.engines[node];
  const auto status = engine.ring.Status();
  if (!status.error()) return;
  const auto reason = static_cast<regs::Fault>(status.reason());
  const auto fence = static_cast<uint32_t>(status.fence());
  if (!Ring::Newer(fence, engine.reported_fence)) return;  // already reported
  engine.reported_fence = fence;

  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  if (IsPageFault(reason)) {
    data.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
    auto& fault = data.DmaPageFaulted;
    fault.FaultedFenceId = fence;
    fault.FaultedPrimitiveAPISequenceNumber = DXGK_PRIMITIVE_API_SEQUENCE_NUMBER_UNKNOWN;
    fault.FaultedPipelineStage = DXGK_RENDER_PIPELINE_STAGE_UNKNOWN;
    fault.FaultedBindTableEntry = DXGK_BIND_TABLE_ENTRY_UNKNOWN;
    const bool write = static_cast<regs::Access>(status.access()) == regs::Access::kWrite;
    fault.PageFaultFlags = static_cast<DXGK_PAGE_FAULT_FLAGS>(DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED |
                                                              (write ? DXGK_PAGE_FAULT_WRITE : 0));
    fault.FaultedVirtualAddress = engine.ring.ErrorAddress().address();
    fault.NodeOrdinal = node;
    fault.EngineOrdinal = adapter.link.index();
    fault.PageTableLevel = static_cast<UINT>(status.level());
    fault.FaultErrorCode.IsDeviceSpecificCode = 1;
    fault.FaultErrorCode.DeviceSpecificCode = static_cast<UINT>(reason);
  } else {
    data.InterruptType = DXGK_INTERRUPT_DMA_FAULTED;
    data.DmaFaulted.FaultedFenceId = fence;
    data.DmaFaulted.Status = StatusOf(reason);
    data.DmaFaulted.NodeOrdinal = node;
    data.DmaFaulted.EngineOrdinal = adapter.link.index();
  }
  Notify(adapter, data);
}

// Restarts an empty ring before it reports the preemption, because the system may call the driver's
// submission entry point from within the report.
void ReportPreemption(Adapter& adapter, UINT node) {
  Engine& engine = adapter.engines[node];
  if (!engine.preemption_pending) return;
  if (adapter.can_preempt) {
    if (!engine.ring.Status().preempted()) return;
    engine.ring.KeepProgress();
    ReportCompletion(adapter, node);              // entries that completed before the stop
    if (!NT_SUCCESS(engine.ring.Stop())) return;  // not reported: Dxgkrnl will reset the engine
    adapter.RestartRing(node, engine.reported_fence);
  } else if (!engine.ring.idle()) {
    return;
  }
  engine.preemption_pending = false;
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
  data.DmaPreempted.PreemptionFenceId = engine.preemption_fence;
  data.DmaPreempted.LastCompletedFenceId = engine.reported_fence;
  data.DmaPreempted.NodeOrdinal = node;
  data.DmaPreempted.EngineOrdinal = adapter.link.index();
  Notify(adapter, data);
}

// Reads and clears causes until none is pending. The last read also flushes the device's earlier
// posted writes, so a fence record that is read afterwards is at least as recent as every cleared
// cause.
BOOLEAN InterruptRoutine(PVOID MiniportDeviceContext, ULONG) {
  auto& adapter = Adapter::From(MiniportDeviceContext);
  if (!adapter.powered) return FALSE;

  regs::IntStatus causes;
  for (int round = 0; round < kMostRounds; ++round) {
    const auto now = adapter.registers.Read<regs::IntStatus>();
    if (now.raw == 0) break;
    if (now.raw == ~decltype(now.raw){0}) return FALSE;  // the device has been removed
    adapter.registers.Write(now);
    causes.raw |= now.raw;
  }
  if (causes.raw == 0) return FALSE;
  if (causes.fault()) InterlockedExchange(&adapter.faults_logged, TRUE);

  // Report engine completions to Dxgkrnl before all other causes.
  for (UINT node = 0; node < adapter.nodes; ++node) {
    if (adapter.engines[node].resetting) continue;
    ReportCompletion(adapter, node);
    if (causes.ring_error()) ReportRingError(adapter, node);
    ReportPreemption(adapter, node);
  }
  if (causes.fence() && InterlockedCompareExchange(&adapter.fences_signalled, FALSE, FALSE)) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
    data.InterruptType = DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED;
    data.MonitoredFenceSignaled.NodeOrdinal = Adapter::kPagingNode;
    data.MonitoredFenceSignaled.EngineOrdinal = adapter.link.index();
    Notify(adapter, data);
  }
  adapter.dxgkrnl.DxgkCbQueueDpc(adapter.dxgkrnl_handle());
  return TRUE;
}

void DpcRoutine(PVOID MiniportDeviceContext) {
  auto& adapter = Adapter::From(MiniportDeviceContext);
  // Drain only after a reported fault, because draining reads a register, which is a round trip
  // over the link.
  if (InterlockedExchange(&adapter.faults_logged, FALSE)) adapter.fault_log.Drain();
  adapter.dxgkrnl.DxgkCbNotifyDpc(adapter.dxgkrnl_handle());
}

}  // namespace gmmu::kmd
