/* SPDX-License-Identifier: Apache-2.0 */
/* The request packet of DxgkDdiDispatchIoRequest. */
#ifndef GMMU_DDI_VIDEO_H
#define GMMU_DDI_VIDEO_H

#include "ntdef.h"

typedef LONG VP_STATUS;
typedef struct _STATUS_BLOCK {
  union {
    VP_STATUS Status;
    PVOID Pointer;
  };
  ULONG_PTR Information;
} STATUS_BLOCK, *PSTATUS_BLOCK;

typedef struct _VIDEO_REQUEST_PACKET {
  ULONG IoControlCode;
  PSTATUS_BLOCK StatusBlock;
  PVOID InputBuffer;
  ULONG InputBufferLength;
  PVOID OutputBuffer;
  ULONG OutputBufferLength;
} VIDEO_REQUEST_PACKET, *PVIDEO_REQUEST_PACKET;

#endif
