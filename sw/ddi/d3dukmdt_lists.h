/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation and patch location lists, which accompany a command buffer of a driver without GPU virtual addresses, and
 * the flags of an escape. */
#ifndef GMMU_DDI_D3DUKMDT_LISTS_H
#define GMMU_DDI_D3DUKMDT_LISTS_H

#include "d3dukmdt.h"

#define D3DDDI_MAX_BROADCAST_CONTEXT 64

typedef struct _D3DDDI_ALLOCATIONLIST {
  D3DKMT_HANDLE hAllocation;
  union {
    struct {
      UINT WriteOperation : 1;
      UINT DoNotRetireInstance : 1;
      UINT OfferPriority : 3;
      UINT Reserved : 27;
    };
    UINT Value;
  };
} D3DDDI_ALLOCATIONLIST;

typedef struct _D3DDDI_PATCHLOCATIONLIST {
  UINT AllocationIndex;
  union {
    struct {
      UINT SlotId : 24;
      UINT Reserved : 8;
    };
    UINT Value;
  };
  UINT DriverId;
  UINT AllocationOffset;
  UINT PatchOffset;
  UINT SplitOffset;
} D3DDDI_PATCHLOCATIONLIST;

typedef struct _D3DDDI_ESCAPEFLAGS {
  union {
    struct {
      UINT HardwareAccess : 1;
      UINT DeviceStatusQuery : 1;
      UINT ChangeFrameLatency : 1;
      UINT NoAdapterSynchronization : 1;
      UINT Reserved : 1;
      UINT VirtualMachineData : 1;
      UINT Reserved2 : 26;
    };
    UINT Value;
  };
} D3DDDI_ESCAPEFLAGS;

#endif
