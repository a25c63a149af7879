// SPDX-License-Identifier: Apache-2.0
#include "kmd/entry_points.h"
#include "kmd/link.h"
#include "kmd/parameters.h"

extern "C" NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  using namespace gmmu::kmd;  // NOLINT: the table below names every entry point
  LinkPlace::ForgetChain();
  Parameters parameters;
  if (!parameters.Read()) return STATUS_INVALID_PARAMETER;
  DRIVER_INITIALIZATION_DATA table{};
  table.Version = static_cast<ULONG>(parameters.interface_version);
  table.DxgkDdiAddDevice = AddDevice;
  table.DxgkDdiLinkDevice = LinkDevice;
  table.DxgkDdiStartDevice = StartDevice;
  table.DxgkDdiStopDevice = StopDevice;
  table.DxgkDdiRemoveDevice = RemoveDevice;
  table.DxgkDdiResetDevice = ResetDevice;
  table.DxgkDdiSetPowerState = SetPowerState;
  table.DxgkDdiInterruptRoutine = InterruptRoutine;
  table.DxgkDdiDpcRoutine = DpcRoutine;
  table.DxgkDdiQueryAdapterInfo = QueryAdapterInfo;
  table.DxgkDdiGetNodeMetadata = GetNodeMetadata;
  table.DxgkDdiCreateProcess = CreateProcess;
  table.DxgkDdiDestroyProcess = DestroyProcess;
  table.DxgkDdiCreateDevice = CreateDevice;
  table.DxgkDdiDestroyDevice = DestroyDevice;
  table.DxgkDdiCreateContext = CreateContext;
  table.DxgkDdiDestroyContext = DestroyContext;
  table.DxgkDdiCreateAllocation = CreateAllocation;
  table.DxgkDdiDestroyAllocation = DestroyAllocation;
  table.DxgkDdiSetRootPageTable = SetRootPageTable;
  table.DxgkDdiGetRootPageTableSize = GetRootPageTableSize;
  table.DxgkDdiBuildPagingBuffer = BuildPagingBuffer;
  table.DxgkDdiSubmitCommand = SubmitCommand;
  table.DxgkDdiSubmitCommandVirtual = SubmitCommandVirtual;
  table.DxgkDdiQueryCurrentFence = QueryCurrentFence;
  table.DxgkDdiPreemptCommand = PreemptCommand;
  table.DxgkDdiResetEngine = ResetEngine;
  table.DxgkDdiQueryEngineStatus = QueryEngineStatus;
  table.DxgkDdiQueryDependentEngineGroup = QueryDependentEngineGroup;
  table.DxgkDdiResetFromTimeout = ResetFromTimeout;
  table.DxgkDdiRestartFromTimeout = RestartFromTimeout;
  table.DxgkDdiEscape = Escape;
  table.DxgkDdiMapCpuHostAperture = MapCpuHostAperture;
  table.DxgkDdiUnmapCpuHostAperture = UnmapCpuHostAperture;
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4
  table.DxgkDdiBeginExclusiveAccess = BeginExclusiveAccess;
  table.DxgkDdiEndExclusiveAccess = EndExclusiveAccess;
#endif
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5
  table.DxgkDdiSignalMonitoredFence = SignalMonitoredFence;
#endif
  return DxgkInitialize(DriverObject, RegistryPath, &table);
}
