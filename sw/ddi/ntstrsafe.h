/* SPDX-License-Identifier: Apache-2.0 */
/* Strings that end with a null character, with the size of the room that they have: Cb in bytes, Cch in characters.
 * STATUS_BUFFER_OVERFLOW: the text was cut and has its end all the same; STATUS_INVALID_PARAMETER: a size of 0, or above
 * NTSTRSAFE_MAX_CCH characters. Formats are those of DbgPrint (wdm_debug.h). PASSIVE_LEVEL. */
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
  /* Text may be NULL: STATUS_INVALID_PARAMETER, as for one without an end within Size. */                          \
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
