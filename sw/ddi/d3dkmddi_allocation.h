/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations of applications and contexts, and standard allocations (docs/ddi.md, memory and vidmm). */
#ifndef GMMU_DDI_D3DKMDDI_ALLOCATION_H
#define GMMU_DDI_D3DKMDDI_ALLOCATION_H

#include "d3dkmdt.h"

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

/* The flags of WDDM 1 drivers. In WDDM 2, bits 12 and 13 have a different meaning. */
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

typedef struct _DXGK_SEGMENTBANKPREFERENCE {
  union {
    struct {
      UINT Bank0 : 7;
      UINT Direction0 : 1;
      UINT Bank1 : 7;
      UINT Direction1 : 1;
      UINT Bank2 : 7;
      UINT Direction2 : 1;
      UINT Bank3 : 7;
      UINT Direction3 : 1;
    };
    UINT Value;
  };
} DXGK_SEGMENTBANKPREFERENCE;

typedef struct _DXGK_ALLOCATIONUSAGEINFO1 {
  union {
    struct {
      UINT PrivateFormat : 1;
      UINT Swizzled : 1;
      UINT MipMap : 1;
      UINT Cube : 1;
      UINT Volume : 1;
      UINT Vertex : 1;
      UINT Index : 1;
      UINT Reserved : 25;
    };
    UINT Value;
  } Flags;
  union {
    D3DDDIFORMAT Format;
    UINT PrivateFormat;
  };
  UINT SwizzledFormat;
  UINT ByteOffset;
  UINT Width;
  UINT Height;
  UINT Pitch;
  UINT Depth;
  UINT SlicePitch;
} DXGK_ALLOCATIONUSAGEINFO1;

typedef struct _DXGK_ALLOCATIONUSAGEHINT {
  UINT Version;
  DXGK_ALLOCATIONUSAGEINFO1 v1;
} DXGK_ALLOCATIONUSAGEHINT;

typedef struct _DXGK_ALLOCATIONINFO {
  PVOID pPrivateDriverData;
  UINT PrivateDriverDataSize;
  UINT Alignment;
  SIZE_T Size;
  SIZE_T PitchAlignedSize;
  DXGK_SEGMENTBANKPREFERENCE HintedBank;
  DXGK_SEGMENTPREFERENCE PreferredSegment;
  UINT SupportedReadSegmentSet;
  UINT SupportedWriteSegmentSet;
  UINT EvictionSegmentSet;
  union {
    UINT MaximumRenamingListLength; /* WDDM 1 */
    UINT PhysicalAdapterIndex;
  };
  HANDLE hAllocation; /* out: the driver's handle */
  union {
    DXGK_ALLOCATIONINFOFLAGS Flags;
    DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 FlagsWddm2;
    UINT FlagsValue;
  };
  DXGK_ALLOCATIONUSAGEHINT* pAllocationUsageHint;
  UINT AllocationPriority;
  DXGK_ALLOCATIONINFOFLAGS2 Flags2;
} DXGK_ALLOCATIONINFO;

typedef struct _DXGK_CREATEALLOCATIONFLAGS {
  union {
    struct {
      UINT Resource : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_CREATEALLOCATIONFLAGS;

typedef struct _DXGKARG_CREATEALLOCATION {
  CONST VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  UINT NumAllocations;
  DXGK_ALLOCATIONINFO* pAllocationInfo;
  HANDLE hResource;
  DXGK_CREATEALLOCATIONFLAGS Flags;
} DXGKARG_CREATEALLOCATION;

typedef struct _DXGK_DESTROYALLOCATIONFLAGS {
  union {
    struct {
      UINT DestroyResource : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_DESTROYALLOCATIONFLAGS;

typedef struct _DXGKARG_DESTROYALLOCATION {
  UINT NumAllocations;
  CONST HANDLE* pAllocationList;
  HANDLE hResource;
  DXGK_DESTROYALLOCATIONFLAGS Flags;
} DXGKARG_DESTROYALLOCATION;

typedef struct _DXGK_OPENALLOCATIONINFO {
  D3DKMT_HANDLE hAllocation;
  PVOID pPrivateDriverData;
  UINT PrivateDriverDataSize;
  HANDLE hDeviceSpecificAllocation;
} DXGK_OPENALLOCATIONINFO;

typedef struct _DXGK_OPENALLOCATIONFLAGS {
  union {
    struct {
      UINT Create : 1;
      UINT ReadOnly : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  };
} DXGK_OPENALLOCATIONFLAGS;

typedef struct _DXGKARG_OPENALLOCATION {
  UINT NumAllocations;
  DXGK_OPENALLOCATIONINFO* pOpenAllocation;
  PVOID pPrivateDriverData;
  UINT PrivateDriverSize;
  DXGK_OPENALLOCATIONFLAGS Flags;
  UINT SubresourceIndex;
  SIZE_T SubresourceOffset;
  UINT Pitch;
} DXGKARG_OPENALLOCATION;

typedef struct _DXGKARG_CLOSEALLOCATION {
  UINT NumAllocations;
  CONST HANDLE* pOpenHandleList;
} DXGKARG_CLOSEALLOCATION;

typedef struct _DXGK_DESCRIBEALLOCATIONFLAGS {
  union {
    struct {
      UINT CheckDisplayMode : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_DESCRIBEALLOCATIONFLAGS;

typedef struct _DXGKARG_DESCRIBEALLOCATION {
  HANDLE hAllocation;
  UINT Width;
  UINT Height;
  D3DDDIFORMAT Format;
  D3DDDI_MULTISAMPLINGMETHOD MultisampleMethod;
  D3DDDI_RATIONAL RefreshRate;
  UINT PrivateDriverFormatAttribute;
  DXGK_DESCRIBEALLOCATIONFLAGS Flags;
  D3DDDI_ROTATION Rotation;
} DXGKARG_DESCRIBEALLOCATION;

typedef struct _DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA {
  D3DKMDT_STANDARDALLOCATION_TYPE StandardAllocationType;
  union {
    D3DKMDT_SHAREDPRIMARYSURFACEDATA* pCreateSharedPrimarySurfaceData;
    D3DKMDT_SHADOWSURFACEDATA* pCreateShadowSurfaceData;
    D3DKMDT_STAGINGSURFACEDATA* pCreateStagingSurfaceData;
    D3DKMDT_GDISURFACEDATA* pCreateGdiSurfaceData;
    D3DKMDT_VIRTUALGPUSURFACEDATA* pCreateVirtualGpuSurfaceData;
  };
  PVOID pAllocationPrivateDriverData;
  UINT AllocationPrivateDriverDataSize;
  PVOID pResourcePrivateDriverData;
  UINT ResourcePrivateDriverDataSize;
  UINT PhysicalAdapterIndex;
} DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA;

#endif
