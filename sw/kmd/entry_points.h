// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ddi/dispmprt.h"

/// The driver's entry points, which DriverEntry passes to Dxgkrnl in a table. docs/ddi.md describes
/// their actions, rules and statuses. The comment after the first name of a group is the file that
/// implements the group.
namespace gmmu::kmd {

extern DXGKDDI_LINK_DEVICE LinkDevice;  // link.cc

extern DXGKDDI_ADD_DEVICE AddDevice;  // device.cc
extern DXGKDDI_START_DEVICE StartDevice;
extern DXGKDDI_STOP_DEVICE StopDevice;
extern DXGKDDI_REMOVE_DEVICE RemoveDevice;
extern DXGKDDI_RESET_DEVICE ResetDevice;
extern DXGKDDI_SET_POWER_STATE SetPowerState;

extern DXGKDDI_QUERYADAPTERINFO QueryAdapterInfo;  // caps.cc
extern DXGKDDI_GETNODEMETADATA GetNodeMetadata;

extern DXGKDDI_CREATEPROCESS CreateProcess;  // objects.cc
extern DXGKDDI_DESTROYPROCESS DestroyProcess;
extern DXGKDDI_CREATEDEVICE CreateDevice;
extern DXGKDDI_DESTROYDEVICE DestroyDevice;
extern DXGKDDI_CREATECONTEXT CreateContext;
extern DXGKDDI_DESTROYCONTEXT DestroyContext;
extern DXGKDDI_CREATEALLOCATION CreateAllocation;
extern DXGKDDI_DESTROYALLOCATION DestroyAllocation;

extern DXGKDDI_SETROOTPAGETABLE SetRootPageTable;  // roots.cc
extern DXGKDDI_GETROOTPAGETABLESIZE GetRootPageTableSize;

extern DXGKDDI_BUILDPAGINGBUFFER BuildPagingBuffer;        // build/build.cc
extern DXGKDDI_SIGNALMONITOREDFENCE SignalMonitoredFence;  // build/transfer.cc
extern DXGKDDI_SUBMITCOMMAND SubmitCommand;                // submit.cc
extern DXGKDDI_SUBMITCOMMANDVIRTUAL SubmitCommandVirtual;
extern DXGKDDI_QUERYCURRENTFENCE QueryCurrentFence;

extern DXGKDDI_INTERRUPT_ROUTINE InterruptRoutine;  // interrupt.cc
extern DXGKDDI_DPC_ROUTINE DpcRoutine;

extern DXGKDDI_PREEMPTCOMMAND PreemptCommand;  // reset.cc
extern DXGKDDI_RESETENGINE ResetEngine;
extern DXGKDDI_MAPCPUHOSTAPERTURE MapCpuHostAperture;
extern DXGKDDI_UNMAPCPUHOSTAPERTURE UnmapCpuHostAperture;
extern DXGKDDI_QUERYENGINESTATUS QueryEngineStatus;
extern DXGKDDI_QUERYDEPENDENTENGINEGROUP QueryDependentEngineGroup;
extern DXGKDDI_RESETFROMTIMEOUT ResetFromTimeout;
extern DXGKDDI_RESTARTFROMTIMEOUT RestartFromTimeout;
extern DXGKDDI_BEGINEXCLUSIVEACCESS BeginExclusiveAccess;
extern DXGKDDI_ENDEXCLUSIVEACCESS EndExclusiveAccess;

extern DXGKDDI_ESCAPE Escape;  // escape.cc

}  // namespace gmmu::kmd
