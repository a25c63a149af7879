/* SPDX-License-Identifier: Apache-2.0 */
/* Processes, devices, contexts, allocations, submission, fences, interrupts, reset (docs/ddi.md,
 * execution). */
#ifndef GMMU_DDI_D3DKMDDI_EXEC_H
#define GMMU_DDI_D3DKMDDI_EXEC_H

#include "d3dkmddi_caps.h"

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
  HANDLE hDevice; /* in: Dxgkrnl's, out: the driver's */
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
  HANDLE hContext; /* in: Dxgkrnl's, out: the driver's */
  UINT NodeOrdinal;
  UINT EngineAffinity;
  DXGK_CREATECONTEXTFLAGS Flags;
  PVOID pPrivateDriverData;
  UINT PrivateDriverDataSize;
  DXGK_CONTEXTINFO ContextInfo; /* out */
} DXGKARG_CREATECONTEXT;

typedef struct _DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 {
  union {
    struct {
      UINT CpuVisible : 1;
      UINT PermanentSysMem : 1;
      UINT Cached : 1;
      UINT Protected : 1;
      UINT ExistingSysMem : 1;
      UINT ExistingKernelSysMem : 1;
      UINT FromEndOfSegment : 1;
      UINT DisableLargePageMapping : 1;
      UINT Overlay : 1;
      UINT Capture : 1;
      UINT CreateInVpr : 1;
      UINT Reserved0 : 2;
      UINT MapApertureCpuVisible : 1;
      UINT HistoryBuffer : 1;
      UINT AccessedPhysically : 1;
      UINT ExplicitResidencyNotification : 1;
      UINT HardwareProtected : 1;
      UINT CpuVisibleOnDemand : 1;
      UINT Reserved : 13;
    };
    UINT Value;
  };
} DXGK_ALLOCATIONINFOFLAGS_WDDM2_0;

/* The flags of a WDDM 1 driver: bits 12 and 13 mean something else than in WDDM 2. */
typedef struct _DXGK_ALLOCATIONINFOFLAGS {
  union {
    struct {
      UINT CpuVisible : 1;
      UINT PermanentSysMem : 1;
      UINT Cached : 1;
      UINT Protected : 1;
      UINT ExistingSysMem : 1;
      UINT ExistingKernelSysMem : 1;
      UINT FromEndOfSegment : 1;
      UINT Swizzled : 1;
      UINT Overlay : 1;
      UINT Capture : 1;
      UINT UseAlternateVA : 1;
      UINT SynchronousPaging : 1;
      UINT LinkMirrored : 1;
      UINT LinkInstanced : 1;
      UINT HistoryBuffer : 1;
      UINT AccessedPhysically : 1;
      UINT ExplicitResidencyNotification : 1;
      UINT HardwareProtected : 1;
      UINT CpuVisibleOnDemand : 1;
      UINT Reserved : 13;
    };
    UINT Value;
  };
} DXGK_ALLOCATIONINFOFLAGS;

typedef struct _DXGK_ALLOCATIONINFOFLAGS2 {
  union {
    struct {
      UINT ShareBackingStoreWithKmd : 1;
      UINT NoImplicitSynchronization : 1;
      UINT DisablePartialResidency : 1;
      UINT RestrictedToSingleSegment : 1;
      UINT NotifyEviction : 1;
      UINT NotifyIoMmuUnmap : 1;
      UINT Reserved : 26;
    };
    UINT Value;
  };
} DXGK_ALLOCATIONINFOFLAGS2;

typedef union _DXGK_SEGMENTPREFERENCE {
  struct {
    UINT SegmentId0 : 5;
    UINT Direction0 : 1;
    UINT SegmentId1 : 5;
    UINT Direction1 : 1;
    UINT SegmentId2 : 5;
    UINT Direction2 : 1;
    UINT SegmentId3 : 5;
    UINT Direction3 : 1;
    UINT SegmentId4 : 5;
    UINT Direction4 : 1;
    UINT Reserved : 2;
  };
  UINT Value;
} DXGK_SEGMENTPREFERENCE;

typedef struct _DXGK_ALLOCATIONINFO {
  PVOID pPrivateDriverData;
  UINT PrivateDriverDataSize;
  UINT Alignment;
  SIZE_T Size;
  SIZE_T PitchAlignedSize;
  UINT HintedBank;
  DXGK_SEGMENTPREFERENCE PreferredSegment;
  UINT SupportedReadSegmentSet;
  UINT SupportedWriteSegmentSet;
  UINT EvictionSegmentSet;
  UINT PhysicalAdapterIndex;
  HANDLE hAllocation; /* out: the driver's */
  union {
    DXGK_ALLOCATIONINFOFLAGS Flags;
    DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 FlagsWddm2;
    UINT FlagsValue;
  };
  PVOID pAllocationUsageHint;
  UINT AllocationPriority;
  DXGK_ALLOCATIONINFOFLAGS2 Flags2;
} DXGK_ALLOCATIONINFO;

typedef struct _DXGKARG_CREATEALLOCATION {
  CONST VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  UINT NumAllocations;
  DXGK_ALLOCATIONINFO* pAllocationInfo;
  HANDLE hResource;
  UINT Flags;
} DXGKARG_CREATEALLOCATION;

typedef struct _DXGKARG_DESTROYALLOCATION {
  UINT NumAllocations;
  CONST HANDLE* pAllocationList;
  HANDLE hResource;
  UINT Flags;
} DXGKARG_DESTROYALLOCATION;

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
  struct {
    UINT AllowUserModeMapping : 1;
    UINT Reserved : 31;
  } Flags;
} DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE;

typedef struct _DXGK_CREATECONTEXTALLOCATIONFLAGS {
  union {
    struct {
      UINT SharedAcrossContexts : 1;
      UINT MapGpuVirtualAddress : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  };
} DXGK_CREATECONTEXTALLOCATIONFLAGS;

typedef struct _DXGKARGCB_CREATECONTEXTALLOCATION {
  DXGK_CREATECONTEXTALLOCATIONFLAGS ContextAllocationFlags;
  HANDLE hAdapter;
  HANDLE hDevice;
  HANDLE hContext;
  HANDLE hDriverAllocation;
  SIZE_T Size;
  UINT Alignment;
  UINT SupportedSegmentSet;
  UINT EvictionSegmentSet;
  DXGK_SEGMENTPREFERENCE PreferredSegment;
  UINT HintedBank;
  DXGK_ALLOCATIONINFOFLAGS Flags;
  HANDLE hAllocation; /* out */
  UINT PhysicalAdapterIndex;
} DXGKARGCB_CREATECONTEXTALLOCATION;

/* Sizes and offsets in pages of 4 KiB. */
typedef struct _DXGKARGCB_MAPCONTEXTALLOCATION {
  D3DGPU_VIRTUAL_ADDRESS BaseAddress; /* 0: anywhere between the next two */
  D3DGPU_VIRTUAL_ADDRESS MinimumAddress;
  D3DGPU_VIRTUAL_ADDRESS MaximumAddress;
  HANDLE hAllocation;
  UINT64 OffsetInPages;
  UINT64 SizeInPages;
  D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE Protection;
  UINT64 DriverProtection;
} DXGKARGCB_MAPCONTEXTALLOCATION;

typedef struct _DXGKARGCB_UPDATECONTEXTALLOCATION {
  HANDLE hAllocation;
  PVOID pPrivateDriverData;
  UINT PrivateDriverDataSize;
} DXGKARGCB_UPDATECONTEXTALLOCATION;

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

typedef struct _DXGKARG_PREEMPTCOMMAND {
  UINT PreemptionFenceId;
  UINT NodeOrdinal;
  UINT EngineOrdinal;
  UINT Flags;
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

typedef struct _DXGKARG_QUERYENGINESTATUS {
  UINT NodeOrdinal;
  UINT EngineOrdinal;
  struct {
    UINT Responsive : 1;
    UINT Reserved : 31;
  } EngineStatus; /* out */
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

/* Appends the signal of a monitored fence to a buffer that the kernel builds. */
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

/* Page numbers count pages of the segment's size. */
typedef struct _DXGKARG_MAPCPUHOSTAPERTURE {
  HANDLE hAllocation;
  WORD SegmentId;
  WORD PhysicalAdapterIndex;
  UINT64 NumberOfPages;
  UINT* pCpuHostAperturePages;
  UINT64* pMemorySegmentPages;
} DXGKARG_MAPCPUHOSTAPERTURE;

typedef struct _DXGKARG_UNMAPCPUHOSTAPERTURE {
  UINT64 NumberOfPages;
  UINT* pCpuHostAperturePages;
  WORD SegmentId;
  WORD PhysicalAdapterIndex;
} DXGKARG_UNMAPCPUHOSTAPERTURE;

/* For allocations with ShareBackingStoreWithKmd. */
typedef struct _DXGKARG_SETALLOCATIONBACKINGSTORE {
  HANDLE hDriverAllocation;
  PVOID pBackingStore;
} DXGKARG_SETALLOCATIONBACKINGSTORE;

typedef struct _DXGKARG_BEGINEXCLUSIVEACCESS {
  UINT Reserved;
} DXGKARG_BEGINEXCLUSIVEACCESS;
typedef struct _DXGKARG_ENDEXCLUSIVEACCESS {
  UINT Reserved;
} DXGKARG_ENDEXCLUSIVEACCESS;

typedef struct _DXGKARG_ESCAPE {
  HANDLE hDevice;
  UINT Flags;
  PVOID pPrivateDriverData;
  UINT PrivateDriverDataSize;
  HANDLE hContext;
  HANDLE hKmdProcessHandle;
} DXGKARG_ESCAPE;

typedef enum _DXGK_INTERRUPT_TYPE {
  DXGK_INTERRUPT_DMA_COMPLETED = 1,
  DXGK_INTERRUPT_DMA_PREEMPTED = 2,
  DXGK_INTERRUPT_CRTC_VSYNC = 3,
  DXGK_INTERRUPT_DMA_FAULTED = 4,
  DXGK_INTERRUPT_DMA_PAGE_FAULTED = 9,
  DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED = 11,
  DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED = 12,
  DXGK_INTERRUPT_HWCONTEXTLIST_SWITCH_COMPLETED = 13,
  DXGK_INTERRUPT_PERIODIC_MONITORED_FENCE_SIGNALED = 14,
  DXGK_INTERRUPT_SCHEDULING_LOG_INTERRUPT = 15,
  DXGK_INTERRUPT_GPU_ENGINE_TIMEOUT = 16,
  DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED = 17,
  DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED = 19,
  DXGK_INTERRUPT_GPU_ENGINE_STATE_CHANGE = 20
} DXGK_INTERRUPT_TYPE;

typedef struct _DXGKARGCB_NOTIFY_INTERRUPT_DATA {
  DXGK_INTERRUPT_TYPE InterruptType;
  union {
    struct {
      UINT SubmissionFenceId;
      UINT NodeOrdinal;
      UINT EngineOrdinal;
    } DmaCompleted;
    struct {
      UINT PreemptionFenceId;
      UINT LastCompletedFenceId;
      UINT NodeOrdinal;
      UINT EngineOrdinal;
    } DmaPreempted;
    struct {
      UINT FaultedFenceId;
      NTSTATUS Status;
      UINT NodeOrdinal;
      UINT EngineOrdinal;
    } DmaFaulted;
    struct {
      UINT FaultedFenceId;
      UINT64 FaultedPrimitiveAPISequenceNumber;
      DXGK_RENDER_PIPELINE_STAGE FaultedPipelineStage;
      UINT FaultedBindTableEntry;
      DXGK_PAGE_FAULT_FLAGS PageFaultFlags;
      D3DGPU_VIRTUAL_ADDRESS FaultedVirtualAddress;
      UINT NodeOrdinal;
      UINT EngineOrdinal;
      UINT PageTableLevel;
      DXGK_FAULT_ERROR_CODE FaultErrorCode;
      HANDLE FaultedProcessHandle;
    } DmaPageFaulted;
    struct {
      UINT64 FaultedFenceId;
      D3DGPU_VIRTUAL_ADDRESS FaultedVirtualAddress;
      UINT64 FaultedPrimitiveAPISequenceNumber;
      HANDLE hHwQueue;
      UINT NodeOrdinal;
      UINT EngineOrdinal;
      DXGK_RENDER_PIPELINE_STAGE FaultedPipelineStage;
      UINT FaultedBindTableEntry;
      DXGK_PAGE_FAULT_FLAGS PageFaultFlags;
      UINT PageTableLevel;
      DXGK_FAULT_ERROR_CODE FaultErrorCode;
    } HwQueuePageFaulted;
    struct {
      UINT NodeOrdinal;
      UINT EngineOrdinal;
    } MonitoredFenceSignaled;
    UINT Reserved[16];
  };
  struct {
    UINT ValidPhysicalAdapterMask : 1;
    UINT HsyncFlipCompletion : 1;
    UINT EvaluateLegacyMonitoredFences : 1;
    UINT Reserved : 29;
  } Flags;
} DXGKARGCB_NOTIFY_INTERRUPT_DATA;

typedef NTSTATUS DXGKDDI_QUERYADAPTERINFO(HANDLE hAdapter, CONST DXGKARG_QUERYADAPTERINFO*);
typedef NTSTATUS DXGKDDI_GETNODEMETADATA(HANDLE hAdapter, UINT NodeOrdinalAndAdapterIndex, DXGKARG_GETNODEMETADATA*);
typedef NTSTATUS DXGKDDI_CREATEPROCESS(HANDLE hAdapter, DXGKARG_CREATEPROCESS*);
typedef NTSTATUS DXGKDDI_DESTROYPROCESS(HANDLE hAdapter, HANDLE hKmdProcess);
typedef NTSTATUS DXGKDDI_CREATEDEVICE(HANDLE hAdapter, DXGKARG_CREATEDEVICE*);
typedef NTSTATUS DXGKDDI_DESTROYDEVICE(HANDLE hDevice);
typedef NTSTATUS DXGKDDI_CREATECONTEXT(HANDLE hDevice, DXGKARG_CREATECONTEXT*);
typedef NTSTATUS DXGKDDI_DESTROYCONTEXT(HANDLE hContext);
typedef NTSTATUS DXGKDDI_CREATEALLOCATION(HANDLE hAdapter, DXGKARG_CREATEALLOCATION*);
typedef NTSTATUS DXGKDDI_DESTROYALLOCATION(HANDLE hAdapter, CONST DXGKARG_DESTROYALLOCATION*);
typedef void DXGKDDI_SETROOTPAGETABLE(HANDLE hAdapter, CONST DXGKARG_SETROOTPAGETABLE*);
typedef SIZE_T DXGKDDI_GETROOTPAGETABLESIZE(HANDLE hAdapter, DXGKARG_GETROOTPAGETABLESIZE*);
typedef NTSTATUS DXGKDDI_SUBMITCOMMAND(HANDLE hAdapter, CONST DXGKARG_SUBMITCOMMAND*);
typedef NTSTATUS DXGKDDI_SUBMITCOMMANDVIRTUAL(HANDLE hAdapter, CONST DXGKARG_SUBMITCOMMANDVIRTUAL*);
typedef NTSTATUS DXGKDDI_PREEMPTCOMMAND(HANDLE hAdapter, CONST DXGKARG_PREEMPTCOMMAND*);
typedef NTSTATUS DXGKDDI_QUERYCURRENTFENCE(HANDLE hAdapter, DXGKARG_QUERYCURRENTFENCE*);
typedef NTSTATUS DXGKDDI_RESETENGINE(HANDLE hAdapter, DXGKARG_RESETENGINE*);
typedef NTSTATUS DXGKDDI_QUERYENGINESTATUS(HANDLE hAdapter, DXGKARG_QUERYENGINESTATUS*);
typedef NTSTATUS DXGKDDI_QUERYDEPENDENTENGINEGROUP(HANDLE hAdapter, DXGKARG_QUERYDEPENDENTENGINEGROUP*);
typedef NTSTATUS DXGKDDI_RESETFROMTIMEOUT(HANDLE hAdapter);
typedef NTSTATUS DXGKDDI_RESTARTFROMTIMEOUT(HANDLE hAdapter);
typedef NTSTATUS DXGKDDI_ESCAPE(HANDLE hAdapter, CONST DXGKARG_ESCAPE*);
typedef NTSTATUS DXGKDDI_SIGNALMONITOREDFENCE(HANDLE hContext, DXGKARG_SIGNALMONITOREDFENCE*);
typedef NTSTATUS DXGKDDI_MAPCPUHOSTAPERTURE(HANDLE hAdapter, CONST DXGKARG_MAPCPUHOSTAPERTURE*);
typedef NTSTATUS DXGKDDI_UNMAPCPUHOSTAPERTURE(HANDLE hAdapter, CONST DXGKARG_UNMAPCPUHOSTAPERTURE*);
typedef NTSTATUS DXGKDDI_SETALLOCATIONBACKINGSTORE(HANDLE hAdapter, CONST DXGKARG_SETALLOCATIONBACKINGSTORE*);
typedef NTSTATUS DXGKDDI_BEGINEXCLUSIVEACCESS(HANDLE hAdapter, DXGKARG_BEGINEXCLUSIVEACCESS*);
typedef NTSTATUS DXGKDDI_ENDEXCLUSIVEACCESS(HANDLE hAdapter, DXGKARG_ENDEXCLUSIVEACCESS*);
typedef DXGKDDI_QUERYADAPTERINFO* PDXGKDDI_QUERYADAPTERINFO;
typedef DXGKDDI_GETNODEMETADATA* PDXGKDDI_GETNODEMETADATA;
typedef DXGKDDI_CREATEPROCESS* PDXGKDDI_CREATEPROCESS;
typedef DXGKDDI_DESTROYPROCESS* PDXGKDDI_DESTROYPROCESS;
typedef DXGKDDI_CREATEDEVICE* PDXGKDDI_CREATEDEVICE;
typedef DXGKDDI_DESTROYDEVICE* PDXGKDDI_DESTROYDEVICE;
typedef DXGKDDI_CREATECONTEXT* PDXGKDDI_CREATECONTEXT;
typedef DXGKDDI_DESTROYCONTEXT* PDXGKDDI_DESTROYCONTEXT;
typedef DXGKDDI_CREATEALLOCATION* PDXGKDDI_CREATEALLOCATION;
typedef DXGKDDI_DESTROYALLOCATION* PDXGKDDI_DESTROYALLOCATION;
typedef DXGKDDI_SETROOTPAGETABLE* PDXGKDDI_SETROOTPAGETABLE;
typedef DXGKDDI_GETROOTPAGETABLESIZE* PDXGKDDI_GETROOTPAGETABLESIZE;
typedef DXGKDDI_SUBMITCOMMAND* PDXGKDDI_SUBMITCOMMAND;
typedef DXGKDDI_SUBMITCOMMANDVIRTUAL* PDXGKDDI_SUBMITCOMMANDVIRTUAL;
typedef DXGKDDI_PREEMPTCOMMAND* PDXGKDDI_PREEMPTCOMMAND;
typedef DXGKDDI_QUERYCURRENTFENCE* PDXGKDDI_QUERYCURRENTFENCE;
typedef DXGKDDI_RESETENGINE* PDXGKDDI_RESETENGINE;
typedef DXGKDDI_QUERYENGINESTATUS* PDXGKDDI_QUERYENGINESTATUS;
typedef DXGKDDI_QUERYDEPENDENTENGINEGROUP* PDXGKDDI_QUERYDEPENDENTENGINEGROUP;
typedef DXGKDDI_RESETFROMTIMEOUT* PDXGKDDI_RESETFROMTIMEOUT;
typedef DXGKDDI_RESTARTFROMTIMEOUT* PDXGKDDI_RESTARTFROMTIMEOUT;
typedef DXGKDDI_ESCAPE* PDXGKDDI_ESCAPE;
typedef DXGKDDI_SIGNALMONITOREDFENCE* PDXGKDDI_SIGNALMONITOREDFENCE;
typedef DXGKDDI_MAPCPUHOSTAPERTURE* PDXGKDDI_MAPCPUHOSTAPERTURE;
typedef DXGKDDI_UNMAPCPUHOSTAPERTURE* PDXGKDDI_UNMAPCPUHOSTAPERTURE;
typedef DXGKDDI_SETALLOCATIONBACKINGSTORE* PDXGKDDI_SETALLOCATIONBACKINGSTORE;
typedef DXGKDDI_BEGINEXCLUSIVEACCESS* PDXGKDDI_BEGINEXCLUSIVEACCESS;
typedef DXGKDDI_ENDEXCLUSIVEACCESS* PDXGKDDI_ENDEXCLUSIVEACCESS;

typedef void DXGKCB_NOTIFY_INTERRUPT(HANDLE hAdapter, CONST DXGKARGCB_NOTIFY_INTERRUPT_DATA*);
typedef void DXGKCB_NOTIFY_DPC(HANDLE hAdapter);
typedef NTSTATUS DXGKCB_CREATECONTEXTALLOCATION(DXGKARGCB_CREATECONTEXTALLOCATION*);
typedef NTSTATUS DXGKCB_DESTROYCONTEXTALLOCATION(HANDLE hAdapter, HANDLE hAllocation);
typedef D3DGPU_VIRTUAL_ADDRESS DXGKCB_MAPCONTEXTALLOCATION(HANDLE hAdapter, CONST DXGKARGCB_MAPCONTEXTALLOCATION*);
typedef NTSTATUS DXGKCB_UPDATECONTEXTALLOCATION(HANDLE hAdapter, CONST DXGKARGCB_UPDATECONTEXTALLOCATION*);
typedef NTSTATUS DXGKCB_RESERVEGPUVIRTUALADDRESSRANGE(HANDLE hAdapter, DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE*);

#endif
