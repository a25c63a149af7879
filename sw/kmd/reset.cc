// SPDX-License-Identifier: Apache-2.0
// Implements preemption, reset and exclusive access.
#include "kmd/entry_points.h"
#include "kmd/adapter.h"
#include "kmd/interrupt.h"

namespace gmmu::kmd {
namespace {

/// Maximum number of polls for an engine reset. If the engine does not stop in time, the system
/// resets the adapter, for which the driver polls up to twenty times as often.
constexpr uint32_t kEngineResetPolls = Registers::kPolls / 20;

template <typename Work>
void ForEachMember(const Adapter& lead, Work work) {
  for (UINT i = 0; i < lead.link.adapters(); ++i) work(*lead.Member(i));
}

}  // namespace

// The hardware stops before the next command and raises an interrupt. Hardware that cannot stop
// completes all submitted entries first, which the DDI allows. The work runs at device level,
// because the last completion may arrive at any time.
NTSTATUS PreemptCommand(HANDLE hAdapter, const DXGKARG_PREEMPTCOMMAND* pArgs) {
  Engine* engine = Adapter::FindEngine(hAdapter, pArgs->EngineOrdinal, pArgs->NodeOrdinal);
  if (engine == nullptr) return STATUS_INVALID_PARAMETER;
  auto& adapter = *Adapter::From(hAdapter).Member(pArgs->EngineOrdinal);
  const auto ask = [&] {
    engine->preemption_pending = true;
    engine->preemption_fence = pArgs->PreemptionFenceId;
    if (adapter.can_preempt) {
      engine->ring.Preempt();
    } else {
      ReportCompletion(adapter, pArgs->NodeOrdinal);
      ReportPreemption(adapter, pArgs->NodeOrdinal);
    }
  };
  const NTSTATUS status = adapter.AtDeviceLevel(ask);
  if (!NT_SUCCESS(status)) return status;
  adapter.dxgkrnl.DxgkCbQueueDpc(adapter.dxgkrnl_handle());
  return STATUS_SUCCESS;
}

NTSTATUS ResetEngine(HANDLE hAdapter, DXGKARG_RESETENGINE* pArgs) {
  Engine* engine = Adapter::FindEngine(hAdapter, pArgs->EngineOrdinal, pArgs->NodeOrdinal);
  if (engine == nullptr) return STATUS_INVALID_PARAMETER;
  auto& adapter = *Adapter::From(hAdapter).Member(pArgs->EngineOrdinal);
  // The reset supersedes a pending preemption, which is therefore not reported.
  const auto begin = [&] {
    engine->preemption_pending = false;
    engine->resetting = true;
  };
  NTSTATUS status = adapter.AtDeviceLevel(begin);
  if (!NT_SUCCESS(status)) return status;
  engine->ring.KeepProgress();  // the system will resubmit these buffers
  const NTSTATUS stopped = engine->ring.Stop(kEngineResetPolls);
  const auto end = [&] {
    engine->resetting = false;
    if (!NT_SUCCESS(stopped)) return;  // the system will reset the adapter
    adapter.RestartRing(pArgs->NodeOrdinal, engine->ring.submitted_fence());
    pArgs->LastAbortedFenceId = engine->ring.submitted_fence();
    engine->reported_fence = engine->ring.submitted_fence();
  };
  status = adapter.AtDeviceLevel(end);
  return NT_SUCCESS(stopped) ? status : stopped;
}

// Reads a register but no ring state in memory, because the interrupt routine may restart the ring
// concurrently.
NTSTATUS QueryEngineStatus(HANDLE hAdapter, DXGKARG_QUERYENGINESTATUS* pArgs) {
  if (Adapter::FindEngine(hAdapter, pArgs->EngineOrdinal, pArgs->NodeOrdinal) == nullptr)
    return STATUS_INVALID_PARAMETER;
  const Registers& registers = Adapter::From(hAdapter).Member(pArgs->EngineOrdinal)->registers;
  const auto status = registers.Read<regs::RingStatus>(Registers::RingBlock(pArgs->NodeOrdinal));
  pArgs->EngineStatus.Responsive = !status.error();
  return STATUS_SUCCESS;
}

// A node can be reset without the others. The nodes share the unit that executes commands, one
// entry at a time, so a hung node blocks the others until its ring has been stopped.
NTSTATUS QueryDependentEngineGroup(HANDLE hAdapter, DXGKARG_QUERYDEPENDENTENGINEGROUP* pArgs) {
  if (Adapter::FindEngine(hAdapter, pArgs->EngineOrdinal, pArgs->NodeOrdinal) == nullptr)
    return STATUS_INVALID_PARAMETER;
  pArgs->DependentNodeOrdinalMask = uint64_t{1} << pArgs->NodeOrdinal;
  return STATUS_SUCCESS;
}

// Resets all linked adapters if one of them hangs, because the system treats them as one adapter.
NTSTATUS ResetFromTimeout(HANDLE hAdapter) {
  NTSTATUS status = STATUS_SUCCESS;
  ForEachMember(Adapter::From(hAdapter), [&](Adapter& adapter) {
    adapter.contiguous_blocks.ForgetAll();  // the system will rewrite all tables
    const NTSTATUS quiet = adapter.Quiesce();
    if (!NT_SUCCESS(quiet)) status = quiet;
    for (Engine& engine : adapter.engines) {
      engine.preemption_pending = false;
      engine.progress = {};
    }
    adapter.residency.Clear();  // after Quiesce, because the GPU could write it until then
  });
  return status;
}

NTSTATUS RestartFromTimeout(HANDLE hAdapter) {
  NTSTATUS status = STATUS_SUCCESS;
  ForEachMember(Adapter::From(hAdapter), [&](Adapter& adapter) {
    for (Engine& engine : adapter.engines) engine.reported_fence = engine.ring.submitted_fence();
    const NTSTATUS programmed = adapter.Program(Adapter::Vram::kLost);
    if (!NT_SUCCESS(programmed)) status = programmed;
  });
  return status;
}

namespace {

// Newer hardware has a register that makes it hold back accesses and messages. On hardware without
// that register, the scheduler must have drained the rings. If a ring is not empty, the call fails
// and the device keeps running, because stopping the ring would lose its entries. If all rings are
// empty, the driver disables the sources of messages and fault records. A cause that is raised
// meanwhile stays pending in the device, which sends its message when Program enables the cause
// again.
NTSTATUS BeginOne(Adapter& adapter) {
  if (!adapter.powered || adapter.silenced) return STATUS_INVALID_DEVICE_STATE;
  if (adapter.can_preempt) return adapter.Silence();
  for (UINT node = 0; node < adapter.nodes; ++node) {
    if (!adapter.engines[node].ring.WaitIdle()) return STATUS_DEVICE_NOT_READY;
  }
  const NTSTATUS status = adapter.Quiesce();
  if (NT_SUCCESS(status)) return status;
  const NTSTATUS again = adapter.Program(Adapter::Vram::kKept);  // the device resumes normal operation
  return NT_SUCCESS(again) ? status : again;
}

NTSTATUS EndOne(Adapter& adapter) {
  if (adapter.silenced) {
    adapter.EndSilence();
    return STATUS_SUCCESS;
  }
  return adapter.powered ? STATUS_INVALID_DEVICE_STATE : adapter.Program(Adapter::Vram::kKept);
}

}  // namespace

// The system makes one call, with the lead's handle, for all linked adapters, because they share a
// domain. If one adapter fails, exclusive access ends on the adapters where it had already begun.
NTSTATUS BeginExclusiveAccess(HANDLE hAdapter, DXGKARG_BEGINEXCLUSIVEACCESS*) {
  const Adapter& lead = Adapter::From(hAdapter);
  for (UINT i = 0; i < lead.link.adapters(); ++i) {
    const NTSTATUS status = BeginOne(*lead.Member(i));
    if (NT_SUCCESS(status)) continue;
    for (UINT before = 0; before < i; ++before) EndOne(*lead.Member(before));
    return status;
  }
  return STATUS_SUCCESS;
}

NTSTATUS EndExclusiveAccess(HANDLE hAdapter, DXGKARG_ENDEXCLUSIVEACCESS*) {
  NTSTATUS status = STATUS_SUCCESS;
  ForEachMember(Adapter::From(hAdapter), [&](Adapter& adapter) {
    const NTSTATUS ended = EndOne(adapter);
    if (!NT_SUCCESS(ended)) status = ended;
  });
  return status;
}

}  // namespace gmmu::kmd
