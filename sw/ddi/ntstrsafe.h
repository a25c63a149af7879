/* SPDX-License-Identifier: Apache-2.0 */
/* Strings with a size: names only, nothing in the program has them (wdm_names.h). */
#ifndef GMMU_DDI_NTSTRSAFE_H
#define GMMU_DDI_NTSTRSAFE_H

#include "ntdef.h"

#ifdef __cplusplus
extern "C" {
#endif
NTSTATUS RtlStringCbPrintfA(PSTR Dest, size_t DestBytes, PCSTR Format, ...);
NTSTATUS RtlStringCbPrintfW(PWSTR Dest, size_t DestBytes, PCWSTR Format, ...);
NTSTATUS RtlStringCchPrintfA(PSTR Dest, size_t DestCharacters, PCSTR Format, ...);
NTSTATUS RtlStringCchPrintfW(PWSTR Dest, size_t DestCharacters, PCWSTR Format, ...);
NTSTATUS RtlStringCbCopyA(PSTR Dest, size_t DestBytes, PCSTR Source);
NTSTATUS RtlStringCbCopyW(PWSTR Dest, size_t DestBytes, PCWSTR Source);
NTSTATUS RtlStringCchCopyA(PSTR Dest, size_t DestCharacters, PCSTR Source);
NTSTATUS RtlStringCchCopyW(PWSTR Dest, size_t DestCharacters, PCWSTR Source);
NTSTATUS RtlStringCbCatA(PSTR Dest, size_t DestBytes, PCSTR Source);
NTSTATUS RtlStringCbCatW(PWSTR Dest, size_t DestBytes, PCWSTR Source);
NTSTATUS RtlStringCbLengthA(PCSTR Text, size_t MaximumBytes, size_t* Length);
NTSTATUS RtlStringCbLengthW(PCWSTR Text, size_t MaximumBytes, size_t* Length);
#ifdef __cplusplus
}
#endif

#endif
