/* SPDX-License-Identifier: Apache-2.0 */
/* Processes, devices, contexts, submission, fences, reset (docs/ddi.md, execution). */
#ifndef GMMU_DDI_D3DKMDDI_EXEC_H
#define GMMU_DDI_D3DKMDDI_EXEC_H

#include "d3dkmddi_caps.h"
#include "d3dkmddi_context_memory.h"
#include "d3dkmddi_interrupt.h"

typedef struct _DXGK_CREATEPROCESSFLAGS {
  union {
    struct {
      UINT SystemProcess : 1;
      UINT GdiProcess : 1;
      UINT VirtualMachineProcess : 1;
      UINT VirtualMachineWorkerProcess : 1;
      UINT SessionIsolatedContainer : 1;
      UINT Reserved : 27;
    };
    UINT Value;
  };
} DXGK_CREATEPROCESSFLAGS;

typedef struct _DXGKARG_CREATEPROCESS {
  HANDLE hDxgkProcess;
  HANDLE hKmdProcess; /* out */
  DXGK_CREATEPROCESSFLAGS Flags;
  UINT NumPasid;
  ULONG* pPasid;
  HANDLE hKmdVmWorkerProcess;
  UINT ProcessNameLength;
  CONST WCHAR* pProcessName;
} DXGKARG_CREATEPROCESS;

typedef struct _DXGK_CREATEDEVICEFLAGS {
  union {
    struct {
      UINT SystemDevice : 1;
      UINT GdiDevice : 1;
      UINT Reserved : 29;
      UINT DisableGpuTimeout : 1;
    };
    UINT Value;
  };
} DXGK_CREATEDEVICEFLAGS;

typedef struct _DXGKARG_CREATEDEVICE {
  HANDLE hDevice; /* in: Dxgkrnl's handle, out: the driver's handle */
  union {
    DXGK_CREATEDEVICEFLAGS Flags;
    PVOID pInfo;
  };
  ULONG Pasid;
  HANDLE hKmdProcess;
} DXGKARG_CREATEDEVICE;

typedef struct _DXGK_CREATECONTEXTFLAGS {
  union {
    struct {
      UINT SystemContext : 1;
      UINT GdiContext : 1;
      UINT VirtualAddressing : 1;
      UINT SystemProtectedContext : 1;
      UINT HwQueueSupported : 1;
      UINT Reserved : 27;
    };
    UINT Value;
  };
} DXGK_CREATECONTEXTFLAGS;

typedef struct _DXGK_CONTEXTINFO_CAPS {
  union {
    struct {
      UINT NoPatchingRequired : 1;
      UINT DriverManagesResidency : 1;
      UINT UseIoMmu : 1;
      UINT Reserved : 29;
    };
    UINT Value;
  };
} DXGK_CONTEXTINFO_CAPS;

typedef struct _DXGK_CONTEXTINFO {
  UINT DmaBufferSize;
  UINT DmaBufferSegmentSet;
  UINT DmaBufferPrivateDataSize;
  UINT AllocationListSize;
  UINT PatchLocationListSize;
  UINT Reserved;
  DXGK_CONTEXTINFO_CAPS Caps;
  UINT PagingCompanionNodeId;
} DXGK_CONTEXTINFO;

typedef struct _DXGKARG_CREATECONTEXT {
  HANDLE hContext; /* in: Dxgkrnl's handle, out: the driver's handle */
  UINT NodeOrdinal;
  UINT EngineAffinity;
  DXGK_CREATECONTEXTFLAGS Flags;
  PVOID pPrivateDriverData;
  UINT PrivateDriverDataSize;
  DXGK_CONTEXTINFO ContextInfo; /* out */
} DXGKARG_CREATECONTEXT;

typedef struct _DXGKARG_SETROOTPAGETABLE {
  HANDLE hContext;
  D3DGPU_PHYSICAL_ADDRESS Address;
  UINT NumEntries;
} DXGKARG_SETROOTPAGETABLE;

typedef struct _DXGKARG_GETROOTPAGETABLESIZE {
  UINT NumberOfPte;
  UINT PhysicalAdapterIndex;
} DXGKARG_GETROOTPAGETABLESIZE;

typedef struct _DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE {
  HANDLE hDxgkProcess;
  UINT64 SizeInBytes;
  UINT Alignment;
  D3DGPU_VIRTUAL_ADDRESS StartVirtualAddress; /* out */
  D3DGPU_VIRTUAL_ADDRESS BaseAddress;
  union {
    struct {
      UINT AllowUserModeMapping : 1;
    };
    UINT Flags;
  };
} DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE;

typedef struct _DXGK_SUBMITCOMMANDFLAGS {
  union {
    struct {
      UINT Paging : 1;
      UINT Present : 1;
      UINT RedirectedPresent : 1;
      UINT NullRendering : 1;
      UINT Flip : 1;
      UINT FlipWithNoWait : 1;
      UINT ContextSwitch : 1;
      UINT Resubmission : 1;
      UINT VirtualMachineData : 1;
      UINT Reserved : 23;
    };
    UINT Value;
  };
} DXGK_SUBMITCOMMANDFLAGS;

typedef struct _DXGKARG_SUBMITCOMMAND {
  union {
    HANDLE hDevice;
    HANDLE hContext;
  };
  UINT DmaBufferSegmentId;
  PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
  UINT DmaBufferSize;
  UINT DmaBufferSubmissionStartOffset;
  UINT DmaBufferSubmissionEndOffset;
  PVOID pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  UINT DmaBufferPrivateDataSubmissionStartOffset;
  UINT DmaBufferPrivateDataSubmissionEndOffset;
  UINT SubmissionFenceId;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  UINT FlipInterval;
  DXGK_SUBMITCOMMANDFLAGS Flags;
  UINT EngineOrdinal;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferVirtualAddress;
  UINT NodeOrdinal;
} DXGKARG_SUBMITCOMMAND;

typedef struct _DXGKARG_SUBMITCOMMANDVIRTUAL {
  HANDLE hContext;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferVirtualAddress;
  UINT DmaBufferSize;
  PVOID pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  UINT DmaBufferUmdPrivateDataSize;
  UINT SubmissionFenceId;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  UINT FlipInterval;
  DXGK_SUBMITCOMMANDFLAGS Flags;
  UINT EngineOrdinal;
  UINT NodeOrdinal;
} DXGKARG_SUBMITCOMMANDVIRTUAL;

typedef struct _DXGK_PREEMPTCOMMANDFLAGS {
  union {
    struct {
      UINT Reserved : 32;
    };
    UINT Value;
  };
} DXGK_PREEMPTCOMMANDFLAGS;

typedef struct _DXGKARG_PREEMPTCOMMAND {
  UINT PreemptionFenceId;
  UINT NodeOrdinal;
  UINT EngineOrdinal;
  DXGK_PREEMPTCOMMANDFLAGS Flags;
} DXGKARG_PREEMPTCOMMAND;

typedef struct _DXGKARG_QUERYCURRENTFENCE {
  UINT CurrentFence; /* out */
  UINT NodeOrdinal;
  UINT EngineOrdinal;
} DXGKARG_QUERYCURRENTFENCE;

typedef struct _DXGKARG_RESETENGINE {
  UINT NodeOrdinal;
  UINT EngineOrdinal;
  UINT LastAbortedFenceId; /* out */
} DXGKARG_RESETENGINE;

typedef struct _DXGK_ENGINESTATUS {
  union {
    struct {
      UINT Responsive : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_ENGINESTATUS;

typedef struct _DXGKARG_QUERYENGINESTATUS {
  UINT NodeOrdinal;
  UINT EngineOrdinal;
  DXGK_ENGINESTATUS EngineStatus; /* out */
} DXGKARG_QUERYENGINESTATUS;

typedef struct _DXGKARG_QUERYDEPENDENTENGINEGROUP {
  UINT NodeOrdinal;
  UINT EngineOrdinal;
  UINT64 DependentNodeOrdinalMask; /* out */
} DXGKARG_QUERYDEPENDENTENGINEGROUP;

typedef enum _DXGK_KERNEL_SUBMISSION_TYPE {
  DXGK_KERNEL_SUBMISSION_BUILD_PAGING_BUFFER = 0,
  DXGK_KERNEL_SUBMISSION_RENDERGDI = 1,
  DXGK_KERNEL_SUBMISSION_PRESENTBLT = 2
} DXGK_KERNEL_SUBMISSION_TYPE;

/* Requests that the driver append a monitored fence signal to a buffer that the kernel builds. */
typedef struct _DXGKARG_SIGNALMONITOREDFENCE {
  DXGK_KERNEL_SUBMISSION_TYPE KernelSubmissionType;
  PVOID pDmaBuffer; /* in/out, as in DXGKARG_BUILDPAGINGBUFFER */
  D3DGPU_VIRTUAL_ADDRESS DmaBufferGpuVirtualAddress;
  UINT DmaSize;
  PVOID pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  UINT MultipassOffset;
  D3DGPU_VIRTUAL_ADDRESS MonitoredFenceGpuVa;
  UINT64 MonitoredFenceValue;
  PVOID MonitoredFenceCpuVa;
  HANDLE hHwQueue;
} DXGKARG_SIGNALMONITOREDFENCE;

typedef struct _DXGKARG_BEGINEXCLUSIVEACCESS {
  UINT Reserved;
} DXGKARG_BEGINEXCLUSIVEACCESS;
typedef struct _DXGKARG_ENDEXCLUSIVEACCESS {
  UINT Reserved;
} DXGKARG_ENDEXCLUSIVEACCESS;

typedef struct _DXGKARG_ESCAPE {
  HANDLE hDevice;
  D3DDDI_ESCAPEFLAGS Flags;
  PVOID pPrivateDriverData;
  UINT PrivateDriverDataSize;
  HANDLE hContext;
  HANDLE hKmdProcessHandle;
} DXGKARG_ESCAPE;

typedef struct _DXGK_VIRTUALMACHINEDATAFLAGS {
  union {
    struct {
      UINT SecureVirtualMachine : 1;
      UINT LinuxVirtualMachine : 1;
    };
    UINT Value;
  };
} DXGK_VIRTUALMACHINEDATAFLAGS;

typedef struct _DXGKARG_SETVIRTUALMACHINEDATA {
  HANDLE hKmdVmWorkerProcess;
  GUID* pVmGuid;
  DXGK_VIRTUALMACHINEDATAFLAGS Flags;
} DXGKARG_SETVIRTUALMACHINEDATA;

#endif
