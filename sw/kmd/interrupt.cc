// SPDX-License-Identifier: Apache-2.0
#include "kmd/interrupt.h"

#include "kmd/entry_points.h"

namespace gmmu::kmd {
namespace {

/// A cause that comes back while it is handled is seen again; after so many rounds the next message
/// will do.
constexpr int kMostRounds = 16;

/// Faults of a translation: the address is a GPU VA. All others concern what lies behind it, or the
/// command.
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
    case regs::Fault::kTimeout: return STATUS_IO_TIMEOUT;
    default: return STATUS_DEVICE_HARDWARE_ERROR;
  }
}

void Notify(Adapter& adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  adapter.dxgkrnl.DxgkCbNotifyInterrupt(adapter.dxgkrnl_handle(), &data);
}

}  // namespace

void ReportCompletion(Adapter& adapter) {
  const uint32_t completed = adapter.ring.CompletedFence();
  if (!Ring::Newer(completed, adapter.interrupt.reported_fence)) return;
  adapter.interrupt.reported_fence = completed;
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
  data.DmaCompleted.SubmissionFenceId = completed;
  data.DmaCompleted.NodeOrdinal = Adapter::kNode;
  Notify(adapter, data);
}

// The ring stands still until it is reset. Entries before the faulted one have completed; the
// faulted one counts as completed from now on.
void ReportRingError(Adapter& adapter) {
  const auto status = adapter.ring.Status();
  if (!status.error()) return;
  const auto reason = static_cast<regs::Fault>(status.reason());
  const auto fence = static_cast<uint32_t>(status.fence());
  if (Ring::Newer(fence, adapter.interrupt.reported_fence))
    adapter.interrupt.reported_fence = fence;

  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  if (IsPageFault(reason)) {
    data.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
    auto& fault = data.DmaPageFaulted;
    fault.FaultedFenceId = fence;
    fault.FaultedPrimitiveAPISequenceNumber = DXGK_PRIMITIVE_API_SEQUENCE_NUMBER_UNKNOWN;
    fault.FaultedPipelineStage = DXGK_RENDER_PIPELINE_STAGE_UNKNOWN;
    fault.FaultedBindTableEntry = DXGK_BIND_TABLE_ENTRY_UNKNOWN;
    const bool write = static_cast<regs::Access>(status.access()) == regs::Access::kWrite;
    fault.PageFaultFlags = static_cast<DXGK_PAGE_FAULT_FLAGS>(
        DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED | (write ? DXGK_PAGE_FAULT_WRITE : 0));
    fault.FaultedVirtualAddress = adapter.ring.ErrorAddress().address();
    fault.NodeOrdinal = Adapter::kNode;
    fault.PageTableLevel = static_cast<UINT>(status.level());
    fault.FaultErrorCode.IsDeviceSpecificCode = 1;
    fault.FaultErrorCode.DeviceSpecificCode = static_cast<UINT>(reason);
  } else {
    data.InterruptType = DXGK_INTERRUPT_DMA_FAULTED;
    data.DmaFaulted.FaultedFenceId = fence;
    data.DmaFaulted.Status = StatusOf(reason);
    data.DmaFaulted.NodeOrdinal = Adapter::kNode;
  }
  Notify(adapter, data);
}

void ReportPreemption(Adapter& adapter) {
  auto& state = adapter.interrupt;
  if (!state.preemption_pending || !adapter.ring.idle()) return;
  state.preemption_pending = false;
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
  data.DmaPreempted.PreemptionFenceId = state.preemption_fence;
  data.DmaPreempted.LastCompletedFenceId = adapter.ring.CompletedFence();
  data.DmaPreempted.NodeOrdinal = Adapter::kNode;
  Notify(adapter, data);
}

// Causes are read and cleared until none is left. That last read also pushes the device's earlier
// writes before it, so the fence record read afterwards is at least as new as every cause that was
// cleared.
BOOLEAN InterruptRoutine(PVOID MiniportDeviceContext, ULONG) {
  auto& adapter = Adapter::From(MiniportDeviceContext);
  if (!adapter.powered) return FALSE;

  regs::IntStatus causes;
  for (int round = 0; round < kMostRounds; ++round) {
    const auto now = adapter.registers.Read<regs::IntStatus>();
    if (now.raw == 0) break;
    adapter.registers.Write(now);
    causes.raw |= now.raw;
  }
  if (causes.raw == 0) return FALSE;

  // Causes of the engine before any other.
  ReportCompletion(adapter);
  if (causes.ring_error()) ReportRingError(adapter);
  ReportPreemption(adapter);
  if (causes.fence() && adapter.interrupt.fences_signalled) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
    data.InterruptType = DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED;
    data.MonitoredFenceSignaled.NodeOrdinal = Adapter::kNode;
    Notify(adapter, data);
  }
  adapter.dxgkrnl.DxgkCbQueueDpc(adapter.dxgkrnl_handle());
  return TRUE;
}

void DpcRoutine(PVOID MiniportDeviceContext) {
  auto& adapter = Adapter::From(MiniportDeviceContext);
  if (adapter.powered) adapter.fault_log.Drain();
  adapter.dxgkrnl.DxgkCbNotifyDpc(adapter.dxgkrnl_handle());
}

}  // namespace gmmu::kmd
