/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded operations on null-terminated strings. The size of the destination is in bytes for the
 * Cb functions, and in characters for the Cch functions. STATUS_BUFFER_OVERFLOW: the text was
 * truncated but is null-terminated. STATUS_INVALID_PARAMETER: the size is 0 or above
 * NTSTRSAFE_MAX_CCH characters. Format strings are those of DbgPrint (wdm_debug.h).
 * PASSIVE_LEVEL. */
#ifndef GMMU_DDI_NTSTRSAFE_H
#define GMMU_DDI_NTSTRSAFE_H

#include <stdarg.h>

#include "ntdef.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NTSTRSAFE_MAX_CCH 2147483647
#define GMMU_STRSAFE(unit, a, w)                                                                                    \
  NTSTATUS RtlString##unit##Copy##a(w Dest, size_t Size, const GMMU_STRSAFE_CHARACTER(a) * Source);                 \
  NTSTATUS RtlString##unit##CopyN##a(w Dest, size_t Size, const GMMU_STRSAFE_CHARACTER(a) * Source, size_t Length); \
  NTSTATUS RtlString##unit##Cat##a(w Dest, size_t Size, const GMMU_STRSAFE_CHARACTER(a) * Source);                  \
  NTSTATUS RtlString##unit##CatN##a(w Dest, size_t Size, const GMMU_STRSAFE_CHARACTER(a) * Source, size_t Length);  \
  NTSTATUS RtlString##unit##Printf##a(w Dest, size_t Size, const GMMU_STRSAFE_CHARACTER(a) * Format, ...);          \
  NTSTATUS RtlString##unit##VPrintf##a(w Dest, size_t Size, const GMMU_STRSAFE_CHARACTER(a) * Format, va_list);     \
  /* STATUS_INVALID_PARAMETER: Text is NULL, or has no null character within Size. */                               \
  NTSTATUS RtlString##unit##Length##a(const GMMU_STRSAFE_CHARACTER(a) * Text, size_t Size, size_t* Length);
#define GMMU_STRSAFE_CHARACTER(a) GMMU_STRSAFE_CHARACTER_##a
#define GMMU_STRSAFE_CHARACTER_A CHAR
#define GMMU_STRSAFE_CHARACTER_W WCHAR
GMMU_STRSAFE(Cb, A, PSTR)
GMMU_STRSAFE(Cb, W, PWSTR)
GMMU_STRSAFE(Cch, A, PSTR)
GMMU_STRSAFE(Cch, W, PWSTR)
#undef GMMU_STRSAFE
#undef GMMU_STRSAFE_CHARACTER
#undef GMMU_STRSAFE_CHARACTER_A
#undef GMMU_STRSAFE_CHARACTER_W

#ifdef __cplusplus
}
#endif

#endif
