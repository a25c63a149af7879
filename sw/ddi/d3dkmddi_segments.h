/* SPDX-License-Identifier: Apache-2.0 */
/* Memory segments: the query structures of each WDDM version. */
#ifndef GMMU_DDI_D3DKMDDI_SEGMENTS_H
#define GMMU_DDI_D3DKMDDI_SEGMENTS_H

#include "d3dukmdt.h"

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

/* WDDM 1. */
typedef struct _DXGK_QUERYSEGMENTIN {
  PHYSICAL_ADDRESS AgpApertureBase;
  LARGE_INTEGER AgpApertureSize;
  DXGK_SEGMENTFLAGS AgpFlags;
} DXGK_QUERYSEGMENTIN;

typedef struct _DXGK_SEGMENTDESCRIPTOR {
  PHYSICAL_ADDRESS BaseAddress;
  PHYSICAL_ADDRESS CpuTranslatedAddress;
  SIZE_T Size;
  UINT NbOfBanks;
  SIZE_T* pBankRangeTable;
  SIZE_T CommitLimit;
  DXGK_SEGMENTFLAGS Flags;
} DXGK_SEGMENTDESCRIPTOR;

typedef struct _DXGK_QUERYSEGMENTOUT {
  UINT NbSegment;
  DXGK_SEGMENTDESCRIPTOR* pSegmentDescriptor;
  UINT PagingBufferSegmentId;
  UINT PagingBufferSize;
  UINT PagingBufferPrivateDataSize;
} DXGK_QUERYSEGMENTOUT;

/* WDDM 1.2. */
typedef struct _DXGK_SEGMENTDESCRIPTOR3 {
  DXGK_SEGMENTFLAGS Flags;
  PHYSICAL_ADDRESS BaseAddress;
  PHYSICAL_ADDRESS CpuTranslatedAddress;
  SIZE_T Size;
  UINT NbOfBanks;
  SIZE_T* pBankRangeTable;
  SIZE_T CommitLimit;
  SIZE_T SystemMemoryEndAddress;
  SIZE_T Reserved;
} DXGK_SEGMENTDESCRIPTOR3;

typedef struct _DXGK_QUERYSEGMENTOUT3 {
  UINT NbSegment;
  DXGK_SEGMENTDESCRIPTOR3* pSegmentDescriptor;
  UINT PagingBufferSegmentId;
  UINT PagingBufferSize;
  UINT PagingBufferPrivateDataSize;
} DXGK_QUERYSEGMENTOUT3;

/* WDDM 2. */
typedef struct _DXGK_QUERYSEGMENTIN4 {
  UINT PhysicalAdapterIndex;
} DXGK_QUERYSEGMENTIN4;

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
  union {
    UINT NumInvalidMemoryRanges;
    UINT NumUEFIFrameBufferRanges;
  };
  DXGK_MEMORYRANGE* pMemoryRanges;
} DXGK_QUERYSEGMENTMEMORYSTATE, DXGK_SEGMENTMEMORYSTATE;

/* WDDM 3.2. These types are declared with their layout, but the model does not use them. */
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

#endif
