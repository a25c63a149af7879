/* SPDX-License-Identifier: Apache-2.0 */
/* DxgkDdiQueryAdapterInfo: kinds of query and the capability structures (docs/ddi.md,
 * capabilities). */
#ifndef GMMU_DDI_D3DKMDDI_CAPS_H
#define GMMU_DDI_D3DKMDDI_CAPS_H

#include "d3dkmddi_drivercaps.h"
#include "d3dkmddi_paging.h"
#include "d3dkmddi_segments.h"

typedef enum _DXGK_QUERYADAPTERINFOTYPE {
  DXGKQAITYPE_UMDRIVERPRIVATE = 0,
  DXGKQAITYPE_DRIVERCAPS = 1,
  DXGKQAITYPE_QUERYSEGMENT = 2,
  DXGKQAITYPE_RESERVED = 3,
  DXGKQAITYPE_QUERYSEGMENT2 = 4,
  DXGKQAITYPE_QUERYSEGMENT3 = 5,
  DXGKQAITYPE_NUMPOWERCOMPONENTS = 6,
  DXGKQAITYPE_POWERCOMPONENTINFO = 7,
  DXGKQAITYPE_PREFERREDGPUNODE = 8,
  DXGKQAITYPE_POWERCOMPONENTPSTATEINFO = 9,
  DXGKQAITYPE_HISTORYBUFFERPRECISION = 10,
  DXGKQAITYPE_QUERYSEGMENT4 = 11,
  DXGKQAITYPE_SEGMENTMEMORYSTATE = 12,
  DXGKQAITYPE_GPUMMUCAPS = 13,
  DXGKQAITYPE_PAGETABLELEVELDESC = 14,
  DXGKQAITYPE_PHYSICALADAPTERCAPS = 15,
  DXGKQAITYPE_DISPLAY_DRIVERCAPS_EXTENSION = 16,
  DXGKQAITYPE_INTEGRATED_DISPLAY_DESCRIPTOR = 17,
  DXGKQAITYPE_UEFIFRAMEBUFFERRANGES = 18,
  DXGKQAITYPE_QUERYCOLORIMETRYOVERRIDES = 19,
  DXGKQAITYPE_DISPLAYID_DESCRIPTOR = 20,
  DXGKQAITYPE_FRAMEBUFFERSAVESIZE = 21,
  DXGKQAITYPE_HARDWARERESERVEDRANGES = 22,
  DXGKQAITYPE_INTEGRATED_DISPLAY_DESCRIPTOR2 = 23,
  DXGKQAITYPE_NODEPERFDATA = 24,
  DXGKQAITYPE_ADAPTERPERFDATA = 25,
  DXGKQAITYPE_ADAPTERPERFDATA_CAPS = 26,
  DXGKQAITYPE_GPUVERSION = 27,
  DXGKQAITYPE_DEVICE_TYPE_CAPS = 28,
  DXGKQAITYPE_WDDMDEVICECAPS = 29,
  DXGKQAITYPE_GPUPCAPS = 30,
  DXGKQAITYPE_QUERYTARGETGAMMACAPS = 31,
  DXGKQAITYPE_SCANOUT_CAPS = 33,
  DXGKQAITYPE_PHYSICAL_MEMORY_CAPS = 34,
  DXGKQAITYPE_IOMMU_CAPS = 35,
  DXGKQAITYPE_HARDWARERESERVEDRANGES2 = 36,
  DXGKQAITYPE_NATIVE_FENCE_CAPS = 37,
  DXGKQAITYPE_USERMODESUBMISSION_CAPS = 38,
  DXGKQAITYPE_DIRTYBITTRACKINGCAPS = 39,
  DXGKQAITYPE_DIRTYBITTRACKINGSEGMENTCAPS = 40,
  DXGKQAITYPE_SCATTER_RESERVE = 41,
  DXGKQAITYPE_QUERYPAGINGBUFFERINFO = 42,
  DXGKQAITYPE_QUERYSEGMENTCOUNT = 43,
  DXGKQAITYPE_QUERYSEGMENT5 = 44,
  DXGKQAITYPE_QUERYMMUCOUNT = 45,
  DXGKQAITYPE_QUERYMMUS = 46,
  DXGKQAITYPE_64BITONLYCAPS = 47,
  DXGKQAITYPE_PAGINGPROCESSGPUVASIZE = 48
} DXGK_QUERYADAPTERINFOTYPE;

typedef struct _DXGK_QUERYADAPTERINFOFLAGS {
  union {
    struct {
      UINT VirtualMachineData : 1;
      UINT SecureVirtualMachine : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  };
} DXGK_QUERYADAPTERINFOFLAGS;

typedef struct _DXGKARG_QUERYADAPTERINFO {
  DXGK_QUERYADAPTERINFOTYPE Type;
  PVOID pInputData;
  UINT InputDataSize;
  PVOID pOutputData;
  UINT OutputDataSize;
  DXGK_QUERYADAPTERINFOFLAGS Flags;
  HANDLE hKmdProcessHandle;
} DXGKARG_QUERYADAPTERINFO;

typedef struct _DXGK_GPUMMUCAPS {
  union {
    struct {
      UINT ReadOnlyMemorySupported : 1;
      UINT NoExecuteMemorySupported : 1;
      UINT ZeroInPteSupported : 1;
      UINT ExplicitPageTableInvalidation : 1;
      UINT CacheCoherentMemorySupported : 1;
      UINT PageTableUpdateRequireAddressSpaceIdle : 1;
      UINT LargePageSupported : 1;
      UINT DualPteSupported : 1;
      UINT AllowNonAlignedLargePageAddress : 1;
      UINT SysMem64KBPageSupported : 1;
      UINT InvalidTlbEntriesNotCached : 1;
      UINT SysMemLargePageSupported : 1;
      UINT CachedPageTables : 1;
      UINT Reserved : 19;
    };
    UINT Value;
  };
  DXGK_PAGETABLEUPDATEMODE PageTableUpdateMode;
  UINT VirtualAddressBitCount;
  UINT LeafPageTableSizeFor64KPagesInBytes;
  UINT PageTableLevelCount;
  struct {
    UINT SourcePageTableVaInTransfer : 1;
    UINT Reserved : 31;
  } LegacyBehaviors;
} DXGK_GPUMMUCAPS;

typedef struct _DXGK_QUERYGPUMMUCAPSIN {
  UINT PhysicalAdapterIndex;
} DXGK_QUERYGPUMMUCAPSIN;

typedef struct _DXGK_QUERYPAGETABLELEVELDESCIN {
  WORD LevelIndex;
  WORD PhysicalAdapterIndex;
} DXGK_QUERYPAGETABLELEVELDESCIN;

typedef struct _DXGK_PAGE_TABLE_LEVEL_DESC {
  UINT PageTableIndexBitCount;
  UINT PageTableSegmentId;
  UINT PagingProcessPageTableSegmentId;
  UINT PageTableSizeInBytes;
  UINT PageTableAlignmentInBytes;
} DXGK_PAGE_TABLE_LEVEL_DESC;

typedef struct _DXGK_PHYSICALADAPTERFLAGS {
  union {
    struct {
      UINT IoMmuSupported : 1;
      UINT GpuMmuSupported : 1;
      UINT MovePagingSupported : 1;
      UINT VPRPagingContextRequired : 1;
      UINT AllowHardwareProtectedNoVpr : 1;
      UINT VirtualCopyEngineSupported : 1;
      UINT GpuVaIommuRequired : 1;
      UINT GpuVaIommuGlobalRequired : 1;
      UINT GpuVaIommuCacheCoherent : 1;
      UINT Reserved : 23;
    };
    UINT Value;
  };
} DXGK_PHYSICALADAPTERFLAGS;

typedef struct _DXGK_QUERYPHYSICALADAPTERCAPSIN {
  UINT PhysicalAdapterIndex;
} DXGK_QUERYPHYSICALADAPTERCAPSIN;

typedef struct _DXGK_PHYSICALADAPTERCAPS {
  WORD NumExecutionNodes;
  WORD PagingNodeIndex;
  HANDLE DxgkPhysicalAdapterHandle;
  DXGK_PHYSICALADAPTERFLAGS Flags;
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1
  UINT VPRPagingNode;
#endif
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_7
  UINT VirtualCopyNodeIndex;
#endif
} DXGK_PHYSICALADAPTERCAPS;

typedef struct _DXGK_IOMMU_CAPS {
  union {
    struct {
      UINT IommuIsolationSupported : 1;
      UINT IommuIsolationRequired : 1;
      UINT DmaRemappingSupported : 1;
      UINT GpuVaIommuRequired : 1;
      UINT GpuVaIommuGlobalRequired : 1;
      UINT Reserved : 27;
    };
    UINT Value;
  };
} DXGK_IOMMU_CAPS;

typedef struct _DXGK_PHYSICAL_MEMORY_CAPS {
  PHYSICAL_ADDRESS HighestVisibleAddress; /* highest address that the device can reach */
} DXGK_PHYSICAL_MEMORY_CAPS;

typedef struct _DXGK_FRAMEBUFFERSAVEAREA {
  SIZE_T MaximumSize;
} DXGK_FRAMEBUFFERSAVEAREA;

typedef struct _DXGK_PHYSICAL_MEMORY_RANGE {
  UINT64 BaseAddress;
  UINT64 NumberOfBytes;
} DXGK_PHYSICAL_MEMORY_RANGE;

typedef struct _DXGK_HARDWARERESERVEDRANGES {
  UINT NumRanges;
  DXGK_PHYSICAL_MEMORY_RANGE* pPhysicalRanges;
} DXGK_HARDWARERESERVEDRANGES;

#endif
