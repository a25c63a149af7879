// SPDX-License-Identifier: Apache-2.0
#include "kmd/adapter.h"
#include "kmd/entry_points.h"
#include "kmd/pool.h"

namespace gmmu::kmd {

NTSTATUS AddDevice(PDEVICE_OBJECT PhysicalDeviceObject, PVOID* MiniportDeviceContext) {
  *MiniportDeviceContext = nullptr;
  Parameters parameters;
  if (!parameters.Read()) {
    DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_ERROR_LEVEL, "gmmu: a value of the driver's key is out of range");
    return STATUS_INVALID_PARAMETER;
  }
  void* memory = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(Adapter), kPoolTag);
  if (memory == nullptr) return STATUS_NO_MEMORY;
  auto* adapter = new (memory) Adapter(PhysicalDeviceObject);
  adapter->parameters = parameters;
  *MiniportDeviceContext = adapter;
  return STATUS_SUCCESS;
}

NTSTATUS StartDevice(PVOID MiniportDeviceContext, PDXGK_START_INFO, PDXGKRNL_INTERFACE DxgkInterface,
                     PULONG NumberOfVideoPresentSources, PULONG NumberOfChildren) {
  *NumberOfVideoPresentSources = 0;  // the device is render-only
  *NumberOfChildren = 0;
  return Adapter::From(MiniportDeviceContext).Start(*DxgkInterface);
}

NTSTATUS StopDevice(PVOID MiniportDeviceContext) {
  Adapter::From(MiniportDeviceContext).Stop();
  return STATUS_SUCCESS;
}

NTSTATUS RemoveDevice(PVOID MiniportDeviceContext) {
  auto* adapter = static_cast<Adapter*>(MiniportDeviceContext);
  adapter->Stop();
  adapter->link.Leave();
  PoolDelete(adapter);
  return STATUS_SUCCESS;
}

// At shutdown, the system does not call DxgkDdiStopDevice, so this call must stop all memory
// accesses. Nothing is freed.
void ResetDevice(PVOID MiniportDeviceContext) {
  auto& adapter = Adapter::From(MiniportDeviceContext);
  if (adapter.started) adapter.Quiesce();
}

// Before power-off, the system evicts its part of VRAM. The driver saves its own part, except at
// shutdown.
NTSTATUS SetPowerState(PVOID MiniportDeviceContext, ULONG, DEVICE_POWER_STATE DevicePowerState,
                       POWER_ACTION ActionType) {
  auto& adapter = Adapter::From(MiniportDeviceContext);
  if (!adapter.started) return STATUS_INVALID_DEVICE_STATE;
  if (DevicePowerState == PowerDeviceD0) {
    if (adapter.powered) return STATUS_SUCCESS;
    const NTSTATUS status = adapter.Program(Adapter::Vram::kLost);
    if (NT_SUCCESS(status)) adapter.save_area.Restore(adapter);
    return status;
  }
  if (adapter.powered && ActionType < PowerActionShutdown) adapter.save_area.Save(adapter);
  adapter.contiguous_blocks.ForgetAll();  // tables are lost with VRAM; the system rewrites them
  return adapter.Quiesce();
}

}  // namespace gmmu::kmd
