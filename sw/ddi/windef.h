/* SPDX-License-Identifier: Apache-2.0 */
/* Rectangles and points. The C++ library has its own min and max, so the macros of these names are
 * defined only for sources that are compiled as docs/driver.md prescribes. */
#ifndef GMMU_DDI_WINDEF_H
#define GMMU_DDI_WINDEF_H

#include "ntdef.h"

#if __SIZEOF_WCHAR_T__ == 2 && !defined(NOMINMAX)
#ifndef min
#define min(a, b) (((a) < (b)) ? (a) : (b))
#endif
#ifndef max
#define max(a, b) (((a) > (b)) ? (a) : (b))
#endif
#endif
#define LOWORD(l) ((WORD)((DWORD_PTR)(l) & 0xffff))
#define HIWORD(l) ((WORD)(((DWORD_PTR)(l) >> 16) & 0xffff))
#define LOBYTE(w) ((BYTE)((DWORD_PTR)(w) & 0xff))
#define HIBYTE(w) ((BYTE)(((DWORD_PTR)(w) >> 8) & 0xff))
#define MAKEWORD(a, b) ((WORD)((BYTE)(a) | ((WORD)(BYTE)(b) << 8)))

typedef struct tagRECT {
  LONG left;
  LONG top;
  LONG right;
  LONG bottom;
} RECT, *PRECT, *LPRECT;
typedef RECT RECTL, *PRECTL;
typedef struct tagPOINT {
  LONG x;
  LONG y;
} POINT, *PPOINT;
typedef POINT POINTL, *PPOINTL;
typedef struct tagSIZE {
  LONG cx;
  LONG cy;
} SIZE, *PSIZE;
typedef ULONG COLORREF;

#endif
