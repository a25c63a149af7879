/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of fixed size. LLP64: a ULONG has 32 bits, whatever the size of the host compiler's
 * long. A source that is compiled with 16-bit wide characters (docs/driver.md) gets the types of
 * the Windows Driver Kit (WDK) instead of those of <stdint.h>, because some sources define uint64_t
 * themselves. */
#ifndef GMMU_DDI_BASETSD_H
#define GMMU_DDI_BASETSD_H

#if __SIZEOF_WCHAR_T__ == 2
#define GMMU_DDI_64 long long
#define GMMU_DDI_U64 unsigned long long
#else
#include <stdint.h>
#define GMMU_DDI_64 int64_t
#define GMMU_DDI_U64 uint64_t
#endif

typedef signed char INT8, *PINT8;
typedef short INT16, *PINT16;
typedef int INT32, *PINT32, LONG32, *PLONG32;
typedef GMMU_DDI_64 INT64, *PINT64, LONG64, *PLONG64;
typedef unsigned char UINT8, *PUINT8;
typedef unsigned short UINT16, *PUINT16;
typedef unsigned int UINT32, *PUINT32, ULONG32, *PULONG32, DWORD32, *PDWORD32;
typedef GMMU_DDI_U64 UINT64, *PUINT64, ULONG64, *PULONG64, DWORD64, *PDWORD64;
typedef GMMU_DDI_64 INT_PTR, *PINT_PTR, LONG_PTR, *PLONG_PTR, SSIZE_T, *PSSIZE_T;
typedef GMMU_DDI_U64 UINT_PTR, *PUINT_PTR, ULONG_PTR, *PULONG_PTR, DWORD_PTR, *PDWORD_PTR, SIZE_T, *PSIZE_T;
typedef ULONG_PTR KAFFINITY, *PKAFFINITY;
#define MAXUINT8 ((UINT8) ~((UINT8)0))
#define MAXUINT16 ((UINT16) ~((UINT16)0))
#define MAXUINT32 ((UINT32) ~((UINT32)0))
#define MAXUINT64 ((UINT64) ~((UINT64)0))
#define MAXULONG_PTR (~((ULONG_PTR)0))
#define HandleToULong(h) ((ULONG)(ULONG_PTR)(h))
#define HandleToUlong(h) HandleToULong(h)
#define ULongToHandle(ul) ((HANDLE)(ULONG_PTR)(ul))
#define PtrToUlong(p) ((ULONG)(ULONG_PTR)(p))
#define PtrToUint(p) ((UINT)(UINT_PTR)(p))
#define UlongToPtr(ul) ((void*)(ULONG_PTR)(ul))

#endif
