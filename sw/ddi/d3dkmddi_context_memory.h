/* SPDX-License-Identifier: Apache-2.0 */
/* Context allocations, and an allocation's resources outside the GPU: CPU host aperture, backing
 * store. */
#ifndef GMMU_DDI_D3DKMDDI_CONTEXT_MEMORY_H
#define GMMU_DDI_D3DKMDDI_CONTEXT_MEMORY_H

#include "d3dkmddi_allocation.h"

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
  DXGK_SEGMENTBANKPREFERENCE HintedBank;
  DXGK_ALLOCATIONINFOFLAGS Flags;
  HANDLE hAllocation; /* out */
  UINT PhysicalAdapterIndex;
} DXGKARGCB_CREATECONTEXTALLOCATION;

/* Addresses are in bytes; OffsetInPages and SizeInPages count 4 KiB pages. */
typedef struct _DXGKARGCB_MAPCONTEXTALLOCATION {
  D3DGPU_VIRTUAL_ADDRESS BaseAddress; /* 0: any between MinimumAddress and MaximumAddress */
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

/* Page numbers are in units of the segment's page size. */
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

/* Used for allocations with the flag ShareBackingStoreWithKmd. */
typedef struct _DXGKARG_SETALLOCATIONBACKINGSTORE {
  HANDLE hDriverAllocation;
  PVOID pBackingStore;
} DXGKARG_SETALLOCATIONBACKINGSTORE;

typedef struct _DXGKARG_ACQUIRESWIZZLINGRANGE {
  HANDLE hAllocation;
  UINT PrivateDriverData;
  UINT RangeId;
  UINT SegmentId;
  SIZE_T RangeSize;
  PHYSICAL_ADDRESS CPUTranslatedAddress;
} DXGKARG_ACQUIRESWIZZLINGRANGE;

typedef struct _DXGKARG_RELEASESWIZZLINGRANGE {
  HANDLE hAllocation;
  UINT PrivateDriverData;
  UINT RangeId;
} DXGKARG_RELEASESWIZZLINGRANGE;

typedef struct _DXGKARG_SETVIDEOPROTECTEDREGION {
  UINT PhysicalAdapterIndex;
  UINT SegmentIndex;
  UINT VprIndex;
  SIZE_T CurrentStartOffset;
  SIZE_T CurrentSize;
  SIZE_T NewStartOffset;
  SIZE_T NewSize;
} DXGKARG_SETVIDEOPROTECTEDREGION;

#endif
