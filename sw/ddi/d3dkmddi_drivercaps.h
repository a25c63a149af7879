/* SPDX-License-Identifier: Apache-2.0 */
/* DXGKQAITYPE_DRIVERCAPS: the capabilities of the whole adapter. */
#ifndef GMMU_DDI_D3DKMDDI_DRIVERCAPS_H
#define GMMU_DDI_D3DKMDDI_DRIVERCAPS_H

#include "d3dkmdt.h"

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

typedef struct _DXGK_POINTERFLAGS {
  union {
    struct {
      UINT Monochrome : 1;
      UINT Color : 1;
      UINT MaskedColor : 1;
      UINT Reserved : 29;
    };
    UINT Value;
  };
} DXGK_POINTERFLAGS;

typedef struct _DXGK_GAMMARAMPCAPS {
  union {
    struct {
      UINT Gamma_Rgb256x3x16 : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_GAMMARAMPCAPS;

typedef struct _DXGK_COLORTRANSFORMCAPS {
  union {
    struct {
      UINT Gamma_Rgb256x3x16 : 1;
      UINT Gamma_Dxgi1 : 1;
      UINT Transform_3x4Matrix : 1;
      UINT Transform_3x4Matrix_WideColor : 1;
      UINT Transform_3x4Matrix_HighColor : 1;
      UINT Reserved : 27;
    };
    UINT Value;
  };
} DXGK_COLORTRANSFORMCAPS;

typedef struct _DXGK_PRESENTATIONCAPS {
  union {
    struct {
      UINT NoScreenToScreenBlt : 1;
      UINT NoOverlapScreenBlt : 1;
      UINT SupportKernelModeCommandBuffer : 1;
      UINT NoSameBitmapAlphaBlend : 1;
      UINT NoSameBitmapStretchBlt : 1;
      UINT NoSameBitmapTransparentBlt : 1;
      UINT NoSameBitmapOverlappedAlphaBlend : 1;
      UINT NoSameBitmapOverlappedStretchBlt : 1;
      UINT DriverSupportsCddDwmInterop : 1;
      UINT Reserved0 : 1;
      UINT AlignmentShift : 4;
      UINT MaxTextureWidthShift : 3;
      UINT MaxTextureHeightShift : 3;
      UINT SupportAllBltRops : 1;
      UINT SupportMirrorStretchBlt : 1;
      UINT SupportMonoStretchBltModes : 1;
      UINT StagingRectStartPitchAligned : 1;
      UINT NoSameBitmapBitBlt : 1;
      UINT NoSameBitmapOverlappedBitBlt : 1;
      UINT Reserved1 : 1;
      UINT NoTempSurfaceForClearTypeBlend : 1;
      UINT SupportSoftwareDeviceBitmaps : 1;
      UINT NoCacheCoherentApertureMemory : 1;
      UINT SupportLinearHeap : 1;
      UINT Reserved : 1;
    };
    UINT Value;
  };
} DXGK_PRESENTATIONCAPS;

typedef struct _DXGK_FLIPCAPS {
  union {
    struct {
      UINT FlipOnVSyncWithNoWait : 1;
      UINT FlipOnVSyncMmIo : 1;
      UINT FlipInterval : 1;
      UINT FlipImmediateMmIo : 1;
      UINT FlipIndependent : 1;
      UINT DdiPresentForIFlip : 1;
      UINT FlipImmediateOnHSync : 1;
      UINT Reserved : 25;
    };
    UINT Value;
  };
} DXGK_FLIPCAPS;

#define DXGK_MAX_ASYMETRICAL_PROCESSING_NODES 64
typedef struct _DXGK_GPUENGINETOPOLOGY {
  UINT NbAsymetricProcessingNodes;
  UINT Reserved[DXGK_MAX_ASYMETRICAL_PROCESSING_NODES];
} DXGK_GPUENGINETOPOLOGY;

typedef struct _DXGK_VIRTUALADDRESSCAPS_DEPRECATED {
  union {
    struct {
      UINT PrivilegedMemorySupported : 1;
      UINT ReadOnlyMemorySupported : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  };
  UINT VirtualAddressBitCount;
  UINT PageTableCoverageBitCount;
  UINT PageDirectoryEntrySize;
  UINT PageDirectorySegment;
  UINT PageTableSegment;
  UINT IdealGPUPageSize;
} DXGK_VIRTUALADDRESSCAPS_DEPRECATED;

typedef struct _DXGK_DMABUFFERCAPS_DEPRECATED {
  struct {
    UINT Size;
    UINT PrivateDriverDataSize;
    UINT SegmentId;
    UINT Reserved1;
    UINT Reserved[16];
  } PresentDmaBuffer;
  struct {
    UINT Size;
    UINT PrivateDriverDataSize;
    UINT SegmentId;
    UINT Reserved1;
    UINT Reserved[16];
  } PagingDmaBuffer;
} DXGK_DMABUFFERCAPS_DEPRECATED;

typedef union _DXGK_HWQUEUEDFLIP_CAPS {
  UINT Value;
} DXGK_HWQUEUEDFLIP_CAPS;

/* The members from GammaRampCaps up to, but not including, SchedulingCaps are for displays. */
typedef struct _DXGK_DRIVERCAPS {
  PHYSICAL_ADDRESS HighestAcceptableAddress;
  UINT MaxAllocationListSlotId;
  SIZE_T ApertureSegmentCommitLimit;
  UINT MaxPointerWidth;
  UINT MaxPointerHeight;
  DXGK_POINTERFLAGS PointerCaps;
  UINT InterruptMessageNumber;
  UINT NumberOfSwizzlingRanges;
  UINT MaxOverlays;
  union {
    DXGK_GAMMARAMPCAPS GammaRampCaps;
    DXGK_COLORTRANSFORMCAPS ColorTransformCaps;
  };
  DXGK_PRESENTATIONCAPS PresentationCaps;
  UINT MaxQueuedFlipOnVSync;
  DXGK_FLIPCAPS FlipCaps;
  DXGK_VIDSCHCAPS SchedulingCaps;
  DXGK_VIDMMCAPS MemoryManagementCaps;
  DXGK_GPUENGINETOPOLOGY GpuEngineTopology;
  DXGK_WDDMVERSION WDDMVersion;
  DXGK_VIRTUALADDRESSCAPS_DEPRECATED Reserved;
  DXGK_DMABUFFERCAPS_DEPRECATED Reserved1;
  D3DKMDT_PREEMPTION_CAPS PreemptionCaps;
  BOOLEAN SupportNonVGA;
  BOOLEAN SupportSmoothRotation;
  BOOLEAN SupportPerEngineTDR;
  BOOLEAN SupportDirectFlip;
  BOOLEAN SupportMultiPlaneOverlay;
  BOOLEAN SupportRuntimePowerManagement;
  BOOLEAN SupportSurpriseRemovalInHibernation;
  BOOLEAN HybridDiscrete;
  UINT MaxOverlayPlanes;
  BOOLEAN HybridIntegrated;
  D3DGPU_VIRTUAL_ADDRESS InternalGpuVirtualAddressRangeStart;
  D3DGPU_VIRTUAL_ADDRESS InternalGpuVirtualAddressRangeEnd;
  BOOLEAN SupportSurpriseRemoval;
  BOOLEAN SupportMultiPlaneOverlayImmediateFlip;
  BOOLEAN CursorScaledWithMultiPlaneOverlayPlane0;
  BOOLEAN HybridAcpiChainingRequired;
  UINT MaxQueuedMultiPlaneOverlayFlipVSync;
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4
  union {
    struct {
      UINT SupportContextlessPresent : 1;
      UINT Detachable : 1;
      UINT VirtualGpuOnly : 1;
      UINT ComputeOnly : 1;
      UINT IndependentVidPnVSyncControl : 1;
      UINT NoHybridDiscreteDListDllSupport : 1;
      UINT DisplayableSupport : 1;
      UINT Reserved : 25;
    };
    UINT Value;
  } MiscCaps;
#endif
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9
  UINT MaxHwQueuedFlips;
  DXGK_HWQUEUEDFLIP_CAPS HwQueuedFlipCaps;
#endif
} DXGK_DRIVERCAPS;

#endif
