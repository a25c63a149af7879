/* SPDX-License-Identifier: Apache-2.0 */
/* Queries by debugging tools, and the objects that handles refer to: debug information, history
 * buffers, clocks. */
#ifndef GMMU_DDI_D3DKMDDI_DEBUG_H
#define GMMU_DDI_D3DKMDDI_DEBUG_H

#include "d3dkmdt.h"

typedef struct _DXGKARG_COLLECTDBGINFO_EXT {
  UINT BucketingKey;
  UINT CurrentDmaBufferOffset;
  UINT Reserved2;
  UINT Reserved3;
  UINT Reserved4;
  UINT Reserved5;
  UINT Reserved6;
  UINT Reserved7;
} DXGKARG_COLLECTDBGINFO_EXT;

typedef struct _DXGKARG_COLLECTDBGINFO {
  UINT Reason;
  PVOID pBuffer;
  SIZE_T BufferSize;
  DXGKARG_COLLECTDBGINFO_EXT* pExtension;
} DXGKARG_COLLECTDBGINFO;

typedef struct _DXGK_HISTORY_BUFFER_HEADER {
  UINT32 RenderCbSequence;
  UINT32 NumTimestamps;
  UINT32 PrivateDataSize;
  UINT32 Reserved;
} DXGK_HISTORY_BUFFER_HEADER;

typedef struct _DXGK_HISTORY_BUFFER {
  DXGK_HISTORY_BUFFER_HEADER Header;
  UINT8 DriverPrivateData[1];
} DXGK_HISTORY_BUFFER;

typedef struct _DXGKARG_HISTORYBUFFERPRECISION {
  UINT32 PrecisionBits;
} DXGKARG_HISTORYBUFFERPRECISION;

typedef struct _DXGKARG_FORMATHISTORYBUFFER {
  DXGK_HISTORY_BUFFER* pHistoryBuffer;
  UINT32 HistoryBufferSize;
  PVOID pFormattedBuffer;
  UINT32 FormattedBufferSize;
  UINT32 NumTimestamps;
  DXGKARG_HISTORYBUFFERPRECISION Precision;
  UINT32 Offset;
} DXGKARG_FORMATHISTORYBUFFER;

typedef enum _DXGK_HANDLE_TYPE { DXGK_HANDLE_ALLOCATION = 1, DXGK_HANDLE_RESOURCE = 2 } DXGK_HANDLE_TYPE;

typedef struct _DXGKCB_GETHANDLEDATAFLAGS {
  union {
    struct {
      UINT DeviceSpecific : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGKCB_GETHANDLEDATAFLAGS;

typedef struct _DXGKARGCB_GETHANDLEDATA {
  D3DKMT_HANDLE hObject;
  DXGK_HANDLE_TYPE Type;
  DXGKCB_GETHANDLEDATAFLAGS Flags;
} DXGKARGCB_GETHANDLEDATA;

typedef PVOID DXGKARG_RELEASE_HANDLE;
typedef DXGKARG_RELEASE_HANDLE* PDXGKARG_RELEASE_HANDLE;
typedef struct _DXGKARGCB_RELEASEHANDLEDATA {
  DXGKARG_RELEASE_HANDLE ReleaseHandle;
  DXGK_HANDLE_TYPE Type;
} DXGKARGCB_RELEASEHANDLEDATA;

typedef struct _DXGKARGCB_ENUMHANDLECHILDREN {
  D3DKMT_HANDLE hObject;
  UINT Index;
} DXGKARGCB_ENUMHANDLECHILDREN;

typedef struct _DXGKARGCB_GETCAPTUREADDRESS {
  D3DKMT_HANDLE hAllocation;
  UINT SegmentId;
  PHYSICAL_ADDRESS PhysicalAddress;
} DXGKARGCB_GETCAPTUREADDRESS;

#endif
