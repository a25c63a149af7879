/* SPDX-License-Identifier: Apache-2.0 */
/* DxgkDdiBuildPagingBuffer: operations and their operands (docs/ddi.md, paging). */
#ifndef GMMU_DDI_D3DKMDDI_PAGING_H
#define GMMU_DDI_D3DKMDDI_PAGING_H

#include "d3dkmddi_memory.h"

typedef enum _DXGK_BUILDPAGINGBUFFER_OPERATION {
  DXGK_OPERATION_TRANSFER = 0,
  DXGK_OPERATION_FILL = 1,
  DXGK_OPERATION_DISCARD_CONTENT = 2,
  DXGK_OPERATION_READ_PHYSICAL = 3,
  DXGK_OPERATION_WRITE_PHYSICAL = 4,
  DXGK_OPERATION_MAP_APERTURE_SEGMENT = 5,
  DXGK_OPERATION_UNMAP_APERTURE_SEGMENT = 6,
  DXGK_OPERATION_SPECIAL_LOCK_TRANSFER = 7,
  DXGK_OPERATION_VIRTUAL_TRANSFER = 8,
  DXGK_OPERATION_VIRTUAL_FILL = 9,
  DXGK_OPERATION_INIT_CONTEXT_RESOURCE = 10,
  DXGK_OPERATION_UPDATE_PAGE_TABLE = 11,
  DXGK_OPERATION_FLUSH_TLB = 12,
  DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION = 13,
  DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES = 14,
  DXGK_OPERATION_NOTIFY_RESIDENCY = 15,
  DXGK_OPERATION_SIGNAL_MONITORED_FENCE = 16,
  DXGK_OPERATION_MAP_APERTURE_SEGMENT2 = 17,
  DXGK_OPERATION_NOTIFY_FENCE_RESIDENCY = 18,
  DXGK_OPERATION_MAP_MMU = 19,
  DXGK_OPERATION_UNMAP_MMU = 20,
  DXGK_OPERATION_NOTIFY_RESIDENCY2 = 21,
  DXGK_OPERATION_NOTIFY_ALLOC = 22
} DXGK_BUILDPAGINGBUFFER_OPERATION;

typedef struct _DXGK_TRANSFERFLAGS {
  union {
    struct {
      UINT Swizzle : 1;
      UINT Unswizzle : 1;
      UINT AllocationIsIdle : 1;
      UINT TransferStart : 1;
      UINT TransferEnd : 1;
      UINT Reserved : 27;
    };
    UINT Value;
  };
} DXGK_TRANSFERFLAGS;

typedef struct _DXGK_DISCARDCONTENTFLAGS {
  union {
    struct {
      UINT AllocationIsIdle : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_DISCARDCONTENTFLAGS;

typedef struct _DXGK_MAPAPERTUREFLAGS {
  union {
    struct {
      UINT CacheCoherent : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_MAPAPERTUREFLAGS;

typedef enum _DXGK_MEMORY_TRANSFER_DIRECTION {
  DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM = 0,
  DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL = 1,
  DXGK_MEMORY_TRANSFER_LOCAL_TO_LOCAL = 2
} DXGK_MEMORY_TRANSFER_DIRECTION;

typedef union _DXGK_TRANSFERVIRTUALFLAGS {
  struct {
    UINT Src64KBPages : 1;
    UINT Dst64KBPages : 1;
    UINT Reserved : 30;
  };
  UINT Flags;
} DXGK_TRANSFERVIRTUALFLAGS;

typedef struct _DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL {
  HANDLE hAllocation;
  UINT64 AllocationOffsetInBytes; /* informative only; never added to an address */
  UINT64 TransferSizeInBytes;
  D3DGPU_VIRTUAL_ADDRESS SourceVirtualAddress;
  D3DGPU_VIRTUAL_ADDRESS DestinationVirtualAddress;
  D3DGPU_VIRTUAL_ADDRESS SourcePageTable;
  DXGK_MEMORY_TRANSFER_DIRECTION TransferDirection;
  DXGK_TRANSFERVIRTUALFLAGS Flags;
  D3DGPU_VIRTUAL_ADDRESS DestinationPageTable;
} DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL;

typedef struct _DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL {
  HANDLE hAllocation;
  UINT64 AllocationOffsetInBytes;
  UINT64 FillSizeInBytes;
  UINT FillPattern;
  D3DGPU_VIRTUAL_ADDRESS DestinationVirtualAddress;
} DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL;

typedef union _DXGK_PAGETABLEUPDATEADDRESS {
  PVOID CpuVirtual;
  D3DGPU_PHYSICAL_ADDRESS GpuPhysical;
  D3DGPU_VIRTUAL_ADDRESS GpuVirtual;
} DXGK_PAGETABLEUPDATEADDRESS;

typedef enum _DXGK_PAGETABLEUPDATEMODE {
  DXGK_PAGETABLEUPDATE_CPU_VIRTUAL = 0,
  DXGK_PAGETABLEUPDATE_GPU_VIRTUAL = 1,
  DXGK_PAGETABLEUPDATE_GPU_PHYSICAL = 2
} DXGK_PAGETABLEUPDATEMODE;

typedef struct _DXGK_UPDATEPAGETABLEFLAGS {
  UINT Repeat : 1;
  UINT InitialUpdate : 1;
  UINT NotifyEviction : 1;
  UINT Use64KBPages : 1;
  UINT NativeFence : 1;
  UINT Reserved : 27;
} DXGK_UPDATEPAGETABLEFLAGS;

typedef struct _DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE {
  UINT PageTableLevel;
  HANDLE hAllocation;
  DXGK_PAGETABLEUPDATEADDRESS PageTableAddress; /* start of the table */
  DXGK_PTE* pPageTableEntries;
  UINT StartIndex;
  UINT NumPageTableEntries;
  UINT Reserved0;
  DXGK_UPDATEPAGETABLEFLAGS Flags;
  UINT64 DriverProtection;
  UINT64 AllocationOffsetInBytes;
  HANDLE hProcess;
  DXGK_PAGETABLEUPDATEMODE UpdateMode;
  DXGK_PTE* pPageTableEntries64KB;
  D3DGPU_VIRTUAL_ADDRESS FirstPteVirtualAddress;
} DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE;

typedef struct _DXGK_BUILDPAGINGBUFFER_FLUSHTLB {
  D3DGPU_PHYSICAL_ADDRESS RootPageTableAddress;
  HANDLE hProcess;
  D3DGPU_VIRTUAL_ADDRESS StartVirtualAddress; /* start and end both 0: the whole address space */
  D3DGPU_VIRTUAL_ADDRESS EndVirtualAddress;
} DXGK_BUILDPAGINGBUFFER_FLUSHTLB;

typedef struct _DXGK_BUILDPAGINGBUFFER_COPY_RANGE {
  UINT NumPageTableEntries;
  D3DGPU_VIRTUAL_ADDRESS SrcPageTableAddress;
  D3DGPU_VIRTUAL_ADDRESS DstPageTableAddress;
  UINT SrcStartPteIndex;
  UINT DstStartPteIndex;
} DXGK_BUILDPAGINGBUFFER_COPY_RANGE;

typedef struct _DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES {
  UINT NumRanges;
  CONST DXGK_BUILDPAGINGBUFFER_COPY_RANGE* pRanges;
} DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES;

typedef struct _DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION {
  D3DGPU_VIRTUAL_ADDRESS ContextAllocation;
  UINT64 ContextAllocationSize;
  PVOID pDriverPrivateData;
  UINT DriverPrivateDataSize;
} DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION;

typedef struct _DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY {
  HANDLE hAllocation;
  D3DGPU_PHYSICAL_ADDRESS PhysicalAddress;
  union {
    UINT Resident : 1;
    UINT Reserved : 31; /* a union member at bit 0, as in the WDK */
  };
} DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY;

typedef struct _DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE {
  D3DGPU_VIRTUAL_ADDRESS MonitoredFenceGpuVa;
  UINT64 MonitoredFenceValue;
} DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE;

typedef struct _DXGK_FENCE_RESIDENCY_INFO {
  HANDLE hGlobalNativeFence;
  D3DGPU_PHYSICAL_ADDRESS CurrentValuePhysicalAddress;
  D3DGPU_PHYSICAL_ADDRESS MonitoredValuePhysicalAddress;
  PVOID CurrentValueKernelCpuVa;
  PVOID MonitoredValueKernelCpuVa;
} DXGK_FENCE_RESIDENCY_INFO;

typedef struct _DXGK_BUILDPAGINGBUFFER_NOTIFY_FENCE_RESIDENCY {
  UINT NumFences;
  UINT Flags;
  CONST DXGK_FENCE_RESIDENCY_INFO* pFences;
} DXGK_BUILDPAGINGBUFFER_NOTIFY_FENCE_RESIDENCY;

typedef struct _DXGK_BUILDPAGINGBUFFER_MAPMMU {
  HANDLE hAllocation;
  D3DGPU_VIRTUAL_ADDRESS VirtualAddress;
  WORD MmuId;
  WORD SegmentId;
  UINT AllocationOffsetInPages;
  DXGK_ADL Adl;
} DXGK_BUILDPAGINGBUFFER_MAPMMU;

typedef struct _DXGK_BUILDPAGINGBUFFER_UNMAPMMU {
  HANDLE hAllocation;
  D3DGPU_VIRTUAL_ADDRESS VirtualAddress;
  WORD MmuId;
  WORD Reserved0;
  UINT AllocationOffset;
  UINT NumberOfPages;
} DXGK_BUILDPAGINGBUFFER_UNMAPMMU;

typedef struct _DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY2 {
  HANDLE hAllocation;
  UINT AllocationOffsetInPages;
  UINT SizeInPages;
  WORD SegmentId;
  union {
    D3DGPU_PHYSICAL_ADDRESS PhysicalAddress;
    PMDL Mdl;
  };
  struct {
    UINT Resident : 1;
    UINT Reserved : 31;
  };
} DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY2;

typedef struct _DXGK_NOTIFYALLOCFLAGS {
  UINT Eviction : 1;
  UINT IoMmuUnmap : 1;
  UINT Reserved : 30;
} DXGK_NOTIFYALLOCFLAGS;

typedef struct _DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC {
  HANDLE hAllocation;
  HANDLE hKmdProcessHandle;
  DXGK_NOTIFYALLOCFLAGS Flags;
  UINT64 OffsetInBytes;
  UINT64 SizeInBytes;
  D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddressAtOffset;
} DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC;

typedef struct _DXGKARG_BUILDPAGINGBUFFER {
  PVOID pDmaBuffer; /* in/out: first free byte; the driver advances it past its data */
  UINT DmaSize;     /* in: number of free bytes */
  PVOID pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  DXGK_BUILDPAGINGBUFFER_OPERATION Operation;
  UINT MultipassOffset; /* in/out: 0 in the first call, then the driver's value */
  union {
    struct {
      HANDLE hAllocation;
      UINT TransferOffset;
      SIZE_T TransferSize;
      struct {
        UINT SegmentId;
        union {
          LARGE_INTEGER SegmentAddress;
          MDL* pMdl;
        };
      } Source;
      struct {
        UINT SegmentId;
        union {
          LARGE_INTEGER SegmentAddress;
          MDL* pMdl;
        };
      } Destination;
      DXGK_TRANSFERFLAGS Flags;
      UINT MdlOffset;
    } Transfer;
    struct {
      HANDLE hAllocation;
      SIZE_T FillSize;
      UINT FillPattern;
      struct {
        UINT SegmentId;
        LARGE_INTEGER SegmentAddress;
      } Destination;
    } Fill;
    struct {
      HANDLE hAllocation;
      DXGK_DISCARDCONTENTFLAGS Flags;
      UINT SegmentId;
      LARGE_INTEGER SegmentAddress;
    } DiscardContent;
    struct {
      UINT SegmentId;
      PHYSICAL_ADDRESS PhysicalAddress;
    } ReadPhysical;
    struct {
      UINT SegmentId;
      PHYSICAL_ADDRESS PhysicalAddress;
    } WritePhysical;
    struct {
      HANDLE hDevice;
      HANDLE hAllocation;
      UINT SegmentId;
      SIZE_T OffsetInPages;
      SIZE_T NumberOfPages;
      PMDL pMdl;
      DXGK_MAPAPERTUREFLAGS Flags;
      ULONG MdlOffset;
    } MapApertureSegment;
    struct {
      HANDLE hDevice;
      HANDLE hAllocation;
      UINT SegmentId;
      SIZE_T OffsetInPages;
      SIZE_T NumberOfPages;
      PHYSICAL_ADDRESS DummyPage;
    } UnmapApertureSegment;
    struct {
      HANDLE hAllocation;
      UINT TransferOffset;
      SIZE_T TransferSize;
      struct {
        UINT SegmentId;
        union {
          LARGE_INTEGER SegmentAddress;
          MDL* pMdl;
        };
      } Source;
      struct {
        UINT SegmentId;
        union {
          LARGE_INTEGER SegmentAddress;
          MDL* pMdl;
        };
      } Destination;
      DXGK_TRANSFERFLAGS Flags;
      UINT SwizzlingRangeId;
      UINT SwizzlingRangeData;
    } SpecialLockTransfer;
    struct {
      HANDLE hAllocation;
      struct {
        UINT SegmentId;
        union {
          LARGE_INTEGER SegmentAddress;
          MDL* pMdl;
        };
        PVOID VirtualAddress;
        D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddress;
      } Destination;
    } InitContextResource;
    DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL TransferVirtual;
    DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL FillVirtual;
    DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE UpdatePageTable;
    DXGK_BUILDPAGINGBUFFER_FLUSHTLB FlushTlb;
    DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES CopyPageTableEntries;
    DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION UpdateContextAllocation;
    DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY NotifyResidency;
    DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE SignalMonitoredFence;
    struct {
      HANDLE hDevice;
      HANDLE hAllocation;
      UINT SegmentId;
      SIZE_T OffsetInPages;
      SIZE_T NumberOfPages;
      DXGK_ADL Adl;
      DXGK_MAPAPERTUREFLAGS Flags;
      ULONG AdlOffset; /* pages */
      PVOID CpuVisibleAddress;
    } MapApertureSegment2;
    DXGK_BUILDPAGINGBUFFER_NOTIFY_FENCE_RESIDENCY NotifyFenceResidency;
    DXGK_BUILDPAGINGBUFFER_MAPMMU MmapMmu;
    DXGK_BUILDPAGINGBUFFER_UNMAPMMU UnmapMmu;
    DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY2 NotifyResidency2;
    DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC NotifyAllocation;
    UINT Reserved[64];
  };
  HANDLE hSystemContext;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferGpuVirtualAddress;
  UINT DmaBufferWriteOffset;
} DXGKARG_BUILDPAGINGBUFFER;

#endif
