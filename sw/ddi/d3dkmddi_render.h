/* SPDX-License-Identifier: Apache-2.0 */
/* How the kernel-mode driver receives the commands of applications: render, patch, present,
 * cancel. */
#ifndef GMMU_DDI_D3DKMDDI_RENDER_H
#define GMMU_DDI_D3DKMDDI_RENDER_H

#include "d3dkmdt.h"
#include "d3dukmdt_lists.h"
#include "windef.h"

#define DXGK_ALLOCATION_LIST_SIZE_GDICONTEXT 256

typedef struct _DXGK_ALLOCATIONLIST {
  HANDLE hDeviceSpecificAllocation;
  struct {
    UINT WriteOperation : 1;
    UINT SegmentId : 5;
    UINT Reserved : 26;
  };
  union {
    PHYSICAL_ADDRESS PhysicalAddress;
    D3DGPU_VIRTUAL_ADDRESS VirtualAddress;
  };
} DXGK_ALLOCATIONLIST;

typedef struct _DXGKARG_RENDER {
  CONST VOID* const pCommand;
  CONST UINT CommandLength;
  PVOID pDmaBuffer;
  UINT DmaSize;
  PVOID pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  DXGK_ALLOCATIONLIST* pAllocationList;
  UINT AllocationListSize;
  D3DDDI_PATCHLOCATIONLIST* pPatchLocationListIn;
  UINT PatchLocationListInSize;
  D3DDDI_PATCHLOCATIONLIST* pPatchLocationListOut;
  UINT PatchLocationListOutSize;
  UINT MultipassOffset;
  UINT DmaBufferSegmentId;
  PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
} DXGKARG_RENDER;

typedef struct _DXGKARG_RENDERGDI {
  CONST VOID* const pCommand;
  CONST UINT CommandLength;
  PVOID pDmaBuffer;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferGpuVirtualAddress;
  UINT DmaSize;
  PVOID pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  DXGK_ALLOCATIONLIST* pAllocationList;
  UINT AllocationListSize;
  UINT MultipassOffset;
} DXGKARG_RENDERGDI;

typedef struct _DXGK_PATCHFLAGS {
  union {
    struct {
      UINT Paging : 1;
      UINT Present : 1;
      UINT RedirectedPresent : 1;
      UINT NullRendering : 1;
      UINT Reserved : 28;
    };
    UINT Value;
  };
} DXGK_PATCHFLAGS;

typedef struct _DXGKARG_PATCH {
  union {
    HANDLE hDevice;
    HANDLE hContext;
  };
  UINT DmaBufferSegmentId;
  PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
  PVOID pDmaBuffer;
  UINT DmaBufferSize;
  UINT DmaBufferSubmissionStartOffset;
  UINT DmaBufferSubmissionEndOffset;
  PVOID pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  UINT DmaBufferPrivateDataSubmissionStartOffset;
  UINT DmaBufferPrivateDataSubmissionEndOffset;
  CONST DXGK_ALLOCATIONLIST* pAllocationList;
  UINT AllocationListSize;
  CONST D3DDDI_PATCHLOCATIONLIST* pPatchLocationList;
  UINT PatchLocationListSize;
  UINT PatchLocationListSubmissionStart;
  UINT PatchLocationListSubmissionLength;
  UINT SubmissionFenceId;
  DXGK_PATCHFLAGS Flags;
  UINT EngineOrdinal;
} DXGKARG_PATCH;

typedef struct _DXGK_PRESENTALLOCATIONINFO {
  HANDLE hDeviceSpecificAllocation;
  D3DGPU_VIRTUAL_ADDRESS AllocationVirtualAddress;
  PHYSICAL_ADDRESS PhysicalAddress;
  WORD SegmentId;
  WORD PhysicalAdapterIndex;
} DXGK_PRESENTALLOCATIONINFO;

typedef struct _DXGK_PRESENTMULTIPLANEOVERLAYLIST {
  UINT LayerIndex;
  BOOL Enabled;
  HANDLE hDeviceSpecificAllocation;
  struct {
    UINT SegmentId : 5;
    UINT Reserved : 27;
  };
  PHYSICAL_ADDRESS PhysicalAddress;
} DXGK_PRESENTMULTIPLANEOVERLAYLIST;

typedef struct _DXGK_PRESENTMULTIPLANEOVERLAYINFO {
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  UINT PlaneListCount;
  DXGK_PRESENTMULTIPLANEOVERLAYLIST* pPlaneList;
} DXGK_PRESENTMULTIPLANEOVERLAYINFO;

typedef struct _DXGK_PRESENTFLAGS {
  union {
    struct {
      UINT Blt : 1;
      UINT ColorFill : 1;
      UINT Flip : 1;
      UINT FlipWithNoWait : 1;
      UINT SrcColorKey : 1;
      UINT DstColorKey : 1;
      UINT LinearToSrgb : 1;
      UINT Rotate : 1;
      UINT FlipStereo : 1;
      UINT FlipStereoTemporaryMono : 1;
      UINT FlipStereoPreferRight : 1;
      UINT BltStereoUseRight : 1;
      UINT FlipWithMultiPlaneOverlay : 1;
      UINT RedirectedFlip : 1;
      UINT Reserved : 18;
    };
    UINT Value;
  };
} DXGK_PRESENTFLAGS;

typedef struct _DXGKARG_PRESENT {
  PVOID pDmaBuffer;
  UINT DmaSize;
  PVOID pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  union {
    DXGK_ALLOCATIONLIST* pAllocationList;
    DXGK_PRESENTALLOCATIONINFO* pAllocationInfo;
    DXGK_PRESENTMULTIPLANEOVERLAYINFO* pPresentMultiPlaneOverlayInfo;
  };
  D3DDDI_PATCHLOCATIONLIST* pPatchLocationListOut;
  UINT PatchLocationListOutSize;
  UINT MultipassOffset;
  UINT Color;
  RECT DstRect;
  RECT SrcRect;
  UINT SubRectCnt;
  CONST RECT* pDstSubRects;
  D3DDDI_FLIPINTERVAL_TYPE FlipInterval;
  DXGK_PRESENTFLAGS Flags;
  UINT DmaBufferSegmentId;
  PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
  UINT Reserved;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferGpuVirtualAddress;
  UINT NumSrcAllocations;
  UINT NumDstAllocations;
  UINT PrivateDriverDataSize;
  PVOID pPrivateDriverData;
} DXGKARG_PRESENT;

typedef struct _DXGKARG_CANCELCOMMAND {
  HANDLE hContext;
  PVOID pDmaBuffer;
  UINT DmaBufferSize;
  UINT DmaBufferSubmissionStartOffset;
  UINT DmaBufferSubmissionEndOffset;
  PVOID pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  UINT DmaBufferPrivateDataSubmissionStartOffset;
  UINT DmaBufferPrivateDataSubmissionEndOffset;
  CONST DXGK_ALLOCATIONLIST* pAllocationList;
  UINT AllocationListSize;
  CONST D3DDDI_PATCHLOCATIONLIST* pPatchLocationList;
  UINT PatchLocationListSize;
  UINT PatchLocationListSubmissionStart;
  UINT PatchLocationListSubmissionLength;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferVirtualAddress;
  UINT DmaBufferUmdPrivateDataSize;
} DXGKARG_CANCELCOMMAND;

#endif
