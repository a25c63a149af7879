/* SPDX-License-Identifier: Apache-2.0 */
/* Queries with which a debugger inspects page tables and segments. */
#ifndef GMMU_DDI_D3DKMTHK_H
#define GMMU_DDI_D3DKMTHK_H

#include "d3dukmdt.h"

typedef struct _D3DKMT_GPUMMU_CAPS {
  union {
    struct {
      UINT ReadOnlyMemorySupported : 1;
      UINT NoExecuteMemorySupported : 1;
      UINT CacheCoherentMemorySupported : 1;
      UINT Reserved : 29;
    };
    UINT Value;
  } Flags;
  UINT VirtualAddressBitCount;
} D3DKMT_GPUMMU_CAPS;

typedef struct _D3DKMT_PAGE_TABLE_LEVEL_DESC {
  UINT IndexBitCount;
  UINT64 IndexMask;
  UINT64 IndexShift;
  UINT64 LowerLevelsMask;
  UINT64 EntryCoverageInPages;
} D3DKMT_PAGE_TABLE_LEVEL_DESC;

typedef struct _DXGK_ESCAPE_GPUMMUCAPS {
  BOOLEAN ReadOnlyMemorySupported;
  BOOLEAN NoExecuteMemorySupported;
  BOOLEAN ZeroInPteSupported;
  BOOLEAN CacheCoherentMemorySupported;
  BOOLEAN LargePageSupported;
  BOOLEAN DualPteSupported;
  BOOLEAN AllowNonAlignedLargePageAddress;
  UINT VirtualAddressBitCount;
  UINT PageTableLevelCount;
  D3DKMT_PAGE_TABLE_LEVEL_DESC PageTableLevelDesk[DXGK_MAX_PAGE_TABLE_LEVEL_COUNT]; /* sic */
} DXGK_ESCAPE_GPUMMUCAPS;

#define D3DKMT_GET_PTE_MAX 64
typedef struct _D3DKMT_GET_PTE {
  UINT PhysicalAdapterIndex;
  UINT PageTableLevel;
  UINT PageTableIndex[DXGK_MAX_PAGE_TABLE_LEVEL_COUNT];
  BOOLEAN b64KBPte;                 /* in/out; for dual entries only */
  UINT NumPtes;                     /* in/out */
  DXGK_PTE Pte[D3DKMT_GET_PTE_MAX]; /* out */
  UINT NumValidEntries;             /* out */
} D3DKMT_GET_PTE;

#define D3DKMT_MAX_SEGMENT_COUNT 32
typedef enum _D3DKMT_MEMORY_SEGMENT_GROUP {
  D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL = 0,
  D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL = 1
} D3DKMT_MEMORY_SEGMENT_GROUP;

typedef struct _D3DKMT_SEGMENT_CAPS {
  UINT64 Size;
  UINT PageSize;
  ULONG SegmentId;
  BOOLEAN bAperture;
  BOOLEAN bReservedSysMem;
  D3DKMT_MEMORY_SEGMENT_GROUP BudgetGroup;
} D3DKMT_SEGMENT_CAPS;

#endif
