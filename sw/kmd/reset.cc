// SPDX-License-Identifier: Apache-2.0
// Preemption, reset, exclusive access.
#include "kmd/entry_points.h"
#include "kmd/interrupt.h"

namespace gmmu::kmd {

// This hardware does not stop inside its queue: everything submitted completes, then the preemption
// is reported with the last id, which the DDI allows. Under the interrupt lock, because the last
// completion may come meanwhile.
NTSTATUS PreemptCommand(HANDLE hAdapter, const DXGKARG_PREEMPTCOMMAND* pArgs) {
  auto& adapter = Adapter::From(hAdapter);
  if (pArgs->NodeOrdinal != Adapter::kNode) return STATUS_INVALID_PARAMETER;
  struct Request {
    Adapter& adapter;
    uint32_t fence;
  } request{adapter, pArgs->PreemptionFenceId};
  const auto synchronized = [](PVOID context) -> BOOLEAN {
    auto& wanted = *static_cast<Request*>(context);
    auto& state = wanted.adapter.interrupt;
    state.preemption_pending = true;
    state.preemption_fence = wanted.fence;
    ReportCompletion(wanted.adapter);
    ReportPreemption(wanted.adapter);
    return TRUE;
  };
  BOOLEAN result = FALSE;
  const NTSTATUS status = adapter.dxgkrnl.DxgkCbSynchronizeExecution(
      adapter.dxgkrnl_handle(), synchronized, &request, 0, &result);
  if (!NT_SUCCESS(status)) return status;
  adapter.dxgkrnl.DxgkCbQueueDpc(adapter.dxgkrnl_handle());
  return STATUS_SUCCESS;
}

NTSTATUS ResetEngine(HANDLE hAdapter, DXGKARG_RESETENGINE* pArgs) {
  auto& adapter = Adapter::From(hAdapter);
  if (pArgs->NodeOrdinal != Adapter::kNode) return STATUS_INVALID_PARAMETER;
  const NTSTATUS status = adapter.ring.Stop();
  if (!NT_SUCCESS(status)) return status;  // the system goes on to reset the adapter
  adapter.RestartRing();
  pArgs->LastAbortedFenceId = adapter.ring.submitted_fence();
  adapter.interrupt.reported_fence = adapter.ring.submitted_fence();
  adapter.interrupt.preemption_pending = false;
  return STATUS_SUCCESS;
}

NTSTATUS QueryEngineStatus(HANDLE hAdapter, DXGKARG_QUERYENGINESTATUS* pArgs) {
  auto& adapter = Adapter::From(hAdapter);
  if (pArgs->NodeOrdinal != Adapter::kNode) return STATUS_INVALID_PARAMETER;
  pArgs->EngineStatus.Responsive = !adapter.ring.Status().error();
  return STATUS_SUCCESS;
}

NTSTATUS QueryDependentEngineGroup(HANDLE, DXGKARG_QUERYDEPENDENTENGINEGROUP* pArgs) {
  if (pArgs->NodeOrdinal != Adapter::kNode) return STATUS_INVALID_PARAMETER;
  pArgs->DependentNodeOrdinalMask = uint64_t{1} << Adapter::kNode;
  return STATUS_SUCCESS;
}

NTSTATUS ResetFromTimeout(HANDLE hAdapter) {
  auto& adapter = Adapter::From(hAdapter);
  adapter.contiguous_blocks.ForgetAll();  // the system writes all tables anew
  adapter.interrupt.preemption_pending = false;
  return adapter.Quiesce();
}

NTSTATUS RestartFromTimeout(HANDLE hAdapter) {
  auto& adapter = Adapter::From(hAdapter);
  adapter.interrupt.reported_fence = adapter.ring.submitted_fence();
  return adapter.Program(Adapter::Vram::kLost);
}

// The scheduler has drained all work and sends nothing; messages and records are held by switching
// their sources off.
NTSTATUS BeginExclusiveAccess(HANDLE hAdapter, DXGKARG_BEGINEXCLUSIVEACCESS*) {
  return Adapter::From(hAdapter).Quiesce();
}

NTSTATUS EndExclusiveAccess(HANDLE hAdapter, DXGKARG_ENDEXCLUSIVEACCESS*) {
  auto& adapter = Adapter::From(hAdapter);
  return adapter.powered ? STATUS_INVALID_DEVICE_STATE : adapter.Program(Adapter::Vram::kKept);
}

}  // namespace gmmu::kmd
