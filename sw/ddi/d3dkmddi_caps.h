/* SPDX-License-Identifier: Apache-2.0 */
/* DxgkDdiQueryAdapterInfo: kinds of query and the capability structures (docs/ddi.md,
 * capabilities). */
#ifndef GMMU_DDI_D3DKMDDI_CAPS_H
#define GMMU_DDI_D3DKMDDI_CAPS_H

#include "d3dkmddi_paging.h"

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
typedef CONST DXGKARG_QUERYADAPTERINFO* IN_CONST_PDXGKARG_QUERYADAPTERINFO;

typedef enum _DXGK_WDDMVERSION {
  DXGKDDI_WDDMv1 = 0x1000,
  DXGKDDI_WDDMv1_2 = 0x1200,
  DXGKDDI_WDDMv1_3 = 0x1300,
  DXGKDDI_WDDMv2 = 0x2000,
  DXGKDDI_WDDMv2_1 = 0x2100,
  DXGKDDI_WDDMv2_1_5 = 0x2105,
  DXGKDDI_WDDMv2_1_6 = 0x2106,
  DXGKDDI_WDDMv2_2 = 0x2200,
  DXGKDDI_WDDMv2_3 = 0x2300,
  DXGKDDI_WDDMv2_4 = 0x2400,
  DXGKDDI_WDDMv2_5 = 0x2500,
  DXGKDDI_WDDMv2_6 = 0x2600,
  DXGKDDI_WDDMv2_7 = 0x2700,
  DXGKDDI_WDDMv2_8 = 0x2800,
  DXGKDDI_WDDMv2_9 = 0x2900,
  DXGKDDI_WDDMv3_0 = 0x3000,
  DXGKDDI_WDDMv3_1 = 0x3100,
  DXGKDDI_WDDMv3_2 = 0x3200
} DXGK_WDDMVERSION;

typedef struct _DXGK_VIDMMCAPS {
  union {
    struct {
      UINT OutOfOrderLock : 1;
      UINT DedicatedPagingEngine : 1;
      UINT PagingEngineCanSwizzle : 1;
      UINT SectionBackedPrimary : 1;
      UINT CrossAdapterResource : 1;
      UINT VirtualAddressingSupported : 1;
      UINT GpuMmuSupported : 1;
      UINT IoMmuSupported : 1;
      UINT ReplicateGdiContent : 1;
      UINT NonCpuVisiblePrimary : 1;
      UINT ParavirtualizationSupported : 1;
      UINT IoMmuSecureModeSupported : 1;
      UINT DisableSelfRefreshVRAMInS3 : 1;
      UINT IoMmuSecureModeRequired : 1;
      UINT MapAperture2Supported : 1;
      UINT CrossAdapterResourceTexture : 1;
      UINT CrossAdapterResourceScanout : 1;
      UINT AlwaysPoweredVRAM : 1;
      UINT Reserved : 14;
    };
    UINT Value;
  };
  UINT PagingNode;
} DXGK_VIDMMCAPS;

typedef struct _DXGK_VIDSCHCAPS {
  union {
    struct {
      UINT MultiEngineAware : 1;
      UINT VSyncPowerSaveAware : 1;
      UINT PreemptionAware : 1;
      UINT NoDmaPatching : 1;
      UINT CancelCommandAware : 1;
      UINT No64BitAtomics : 1;
      UINT LowIrqlPreemptCommand : 1;
      UINT HwQueuePacketCap : 4;
      UINT Reserved : 21;
    };
    UINT Value;
  };
} DXGK_VIDSCHCAPS;

/* Members without effect on memory are kept as reserved space at their places. */
typedef struct _DXGK_DRIVERCAPS {
  PHYSICAL_ADDRESS HighestAcceptableAddress;
  UINT MaxAllocationListSlotId;
  SIZE_T ApertureSegmentCommitLimit; /* +0x10 */
  UCHAR ReservedDisplay[0x40 - 0x18];
  DXGK_VIDSCHCAPS SchedulingCaps;      /* +0x40 */
  DXGK_VIDMMCAPS MemoryManagementCaps; /* +0x44 */
  struct {
    UINT NbAsymetricProcessingNodes;
    UCHAR Reserved[0x150 - 0x50];
  } GpuEngineTopology;          /* +0x4C */
  DXGK_WDDMVERSION WDDMVersion; /* +0x150 */
  UCHAR ReservedDisplay2[0x21A - 0x154];
  BOOLEAN SupportPerEngineTDR; /* +0x21A */
  UCHAR ReservedDisplay3[0x228 - 0x21B];
  D3DGPU_VIRTUAL_ADDRESS InternalGpuVirtualAddressRangeStart; /* +0x228 */
  D3DGPU_VIRTUAL_ADDRESS InternalGpuVirtualAddressRangeEnd;   /* +0x230 */
  UCHAR ReservedDisplay4[0x240 - 0x238];
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4
  UCHAR ReservedMiscCaps[0x248 - 0x240];
#endif
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9
  UCHAR ReservedQueuedFlips[0x250 - 0x248];
#endif
} DXGK_DRIVERCAPS;

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

typedef struct _DXGK_SEGMENTFLAGS {
  union {
    struct {
      UINT Aperture : 1;
      UINT Agp : 1;
      UINT CpuVisible : 1;
      UINT UseBanking : 1;
      UINT CacheCoherent : 1;
      UINT PitchAlignment : 1;
      UINT PopulatedFromSystemMemory : 1;
      UINT PreservedDuringStandby : 1;
      UINT PreservedDuringHibernate : 1;
      UINT PartiallyPreservedDuringHibernate : 1;
      UINT DirectFlip : 1;
      UINT Use64KBPages : 1;
      UINT ReservedSysMem : 1;
      UINT SupportsCpuHostAperture : 1;
      UINT SupportsCachedCpuHostAperture : 1;
      UINT ApplicationTarget : 1;
      UINT VprSupported : 1;
      UINT VprPreservedDuringStandby : 1;
      UINT EncryptedPagingSupported : 1;
      UINT LocalBudgetGroup : 1;
      UINT NonLocalBudgetGroup : 1;
      UINT PopulatedByReservedDDRByFirmware : 1;
      UINT Reserved : 10;
    };
    UINT Value;
  };
} DXGK_SEGMENTFLAGS;

typedef struct _DXGK_CPUHOSTAPERTURE {
  PHYSICAL_ADDRESS PhysicalAddress;
  UINT SizeInPages;
} DXGK_CPUHOSTAPERTURE;

typedef struct _DXGK_SEGMENTDESCRIPTOR4 {
  DXGK_SEGMENTFLAGS Flags;
  PHYSICAL_ADDRESS BaseAddress;
  SIZE_T Size;
  SIZE_T CommitLimit;
  SIZE_T SystemMemoryEndAddress;
  union {
    PHYSICAL_ADDRESS CpuTranslatedAddress;
    DXGK_CPUHOSTAPERTURE CpuHostAperture;
  };
  UINT NumInvalidMemoryRanges;
  SIZE_T VprRangeStartOffset;
  SIZE_T VprRangeSize;
  UINT VprAlignment;
  UINT NumVprSupported;
  UINT VprReserveSize;
  UINT NumUEFIFrameBufferRanges;
} DXGK_SEGMENTDESCRIPTOR4;

typedef enum _DXGK_SEGMENTTYPE { DXGK_SEGMENTTYPE_SYSMEM = 0, DXGK_SEGMENTTYPE_LOCAL = 1 } DXGK_SEGMENTTYPE;

typedef enum _DXGK_PAGESIZE {
  DXGK_PAGESIZE_4KB = 0,
  DXGK_PAGESIZE_8KB = 1,
  DXGK_PAGESIZE_16KB = 2,
  DXGK_PAGESIZE_32KB = 3,
  DXGK_PAGESIZE_64KB = 4,
  DXGK_PAGESIZE_128KB = 5,
  DXGK_PAGESIZE_256KB = 6,
  DXGK_PAGESIZE_512KB = 7,
  DXGK_PAGESIZE_1MB = 8,
  DXGK_PAGESIZE_2MB = 9,
  DXGK_PAGESIZE_4MB = 10,
  DXGK_PAGESIZE_8MB = 11,
  DXGK_PAGESIZE_16MB = 12,
  DXGK_PAGESIZE_32MB = 13,
  DXGK_PAGESIZE_64MB = 14,
  DXGK_PAGESIZE_128MB = 15
} DXGK_PAGESIZE;

/* WDDM 3.2: names and layout only. */
typedef struct _DXGK_SEGMENTDESCRIPTOR5 {
  DXGK_SEGMENTTYPE SegmentType;
  DXGK_SEGMENTFLAGS Flags;
  PHYSICAL_ADDRESS BaseAddress;
  UINT64 Size;
  SIZE_T SystemMemoryEndAddress;
  union {
    PHYSICAL_ADDRESS CpuTranslatedAddress;
    DXGK_CPUHOSTAPERTURE CpuHostAperture;
  };
  SIZE_T VprRangeStartOffset;
  SIZE_T VprRangeSize;
  UINT VprAlignment;
  UINT NumInvalidMemoryRanges;
  UINT NumVprSupported;
  UINT VprReserveSize;
  UINT NumUEFIFrameBufferRanges;
  DXGK_PAGESIZE SlabSize;
} DXGK_SEGMENTDESCRIPTOR5;

#define DXGK_MAX_MMUS 16
typedef struct _DXGK_MMUDESCRIPTOR {
  UINT Flags;
  UINT64 Size;
} DXGK_MMUDESCRIPTOR;

typedef struct _DXGK_QUERYSEGMENTIN4 {
  UINT PhysicalAdapterIndex;
} DXGK_QUERYSEGMENTIN4;

typedef struct _DXGK_QUERYSEGMENTOUT4 {
  UINT NbSegment;
  BYTE* pSegmentDescriptor;
  UINT PagingBufferSegmentId;
  UINT PagingBufferSize;
  UINT PagingBufferPrivateDataSize;
  SIZE_T SegmentDescriptorStride;
} DXGK_QUERYSEGMENTOUT4;

typedef struct _DXGK_MEMORYRANGE {
  UINT64 SegmentOffset;
  UINT64 SizeInBytes;
} DXGK_MEMORYRANGE;

typedef struct _DXGK_QUERYSEGMENTMEMORYSTATE {
  WORD DriverSegmentId;
  WORD PhysicalAdapterIndex;
  UINT NumInvalidMemoryRanges;
  DXGK_MEMORYRANGE* pMemoryRanges;
} DXGK_QUERYSEGMENTMEMORYSTATE;

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
  PHYSICAL_ADDRESS HighestVisibleAddress; /* last byte that the device can address */
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

#define DXGK_MAX_METADATA_NAME_LENGTH 32
typedef struct _DXGK_NODEMETADATA {
  DXGK_ENGINE_TYPE EngineType;
  WCHAR FriendlyName[DXGK_MAX_METADATA_NAME_LENGTH];
  UINT Flags;
  BOOLEAN GpuMmuSupported;
  BOOLEAN IoMmuSupported;
} DXGK_NODEMETADATA;
typedef DXGK_NODEMETADATA DXGKARG_GETNODEMETADATA;

#endif
