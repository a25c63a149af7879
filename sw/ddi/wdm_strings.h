/* SPDX-License-Identifier: Apache-2.0 */
/* Counted strings and bitmaps. Some routines require PASSIVE_LEVEL, as their comments state; the
 * others may be called at any IRQL if the memory is non-paged. */
#ifndef GMMU_DDI_WDM_STRINGS_H
#define GMMU_DDI_WDM_STRINGS_H

#include <stdarg.h>

#include "ntdef.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _STRING {
  USHORT Length;
  USHORT MaximumLength;
  PCHAR Buffer;
} STRING, ANSI_STRING, *PSTRING, *PANSI_STRING;
typedef const STRING* PCANSI_STRING;

void RtlInitUnicodeString(PUNICODE_STRING DestinationString, PCWSTR SourceString);
void RtlInitAnsiString(PANSI_STRING DestinationString, PCSTR SourceString);
void RtlCopyUnicodeString(PUNICODE_STRING DestinationString, PCUNICODE_STRING SourceString);
/* STATUS_BUFFER_TOO_SMALL: nothing was appended. */
NTSTATUS RtlAppendUnicodeStringToString(PUNICODE_STRING Destination, PCUNICODE_STRING Source);
NTSTATUS RtlAppendUnicodeToString(PUNICODE_STRING Destination, PCWSTR Source);
LONG RtlCompareUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2, BOOLEAN CaseInSensitive);
BOOLEAN RtlEqualUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2, BOOLEAN CaseInSensitive);
BOOLEAN RtlPrefixUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2, BOOLEAN CaseInSensitive);
WCHAR RtlUpcaseUnicodeChar(WCHAR SourceCharacter);
/* If Base is 0, the prefix 0x, 0o or 0b selects the base; without a prefix, the base is 10.
 * PASSIVE_LEVEL. */
NTSTATUS RtlUnicodeStringToInteger(PCUNICODE_STRING String, ULONG Base, PULONG Value);
NTSTATUS RtlIntegerToUnicodeString(ULONG Value, ULONG Base, PUNICODE_STRING String);
/* Characters above 127 become '?'. A string allocated with AllocateDestinationString must be freed with one of the two
 * RtlFree... routines below. PASSIVE_LEVEL. */
NTSTATUS RtlAnsiStringToUnicodeString(PUNICODE_STRING Destination, PCANSI_STRING Source,
                                      BOOLEAN AllocateDestinationString);
NTSTATUS RtlUnicodeStringToAnsiString(PANSI_STRING Destination, PCUNICODE_STRING Source,
                                      BOOLEAN AllocateDestinationString);
void RtlFreeUnicodeString(PUNICODE_STRING UnicodeString);
void RtlFreeAnsiString(PANSI_STRING AnsiString);

/* Returns the number of leading bytes that are equal. */
SIZE_T RtlCompareMemory(const void* Source1, const void* Source2, SIZE_T Length);

typedef struct _RTL_BITMAP {
  ULONG SizeOfBitMap; /* bits */
  PULONG Buffer;
} RTL_BITMAP, *PRTL_BITMAP;
void RtlInitializeBitMap(PRTL_BITMAP BitMapHeader, PULONG BitMapBuffer, ULONG SizeOfBitMap);
void RtlClearAllBits(PRTL_BITMAP BitMapHeader);
void RtlSetAllBits(PRTL_BITMAP BitMapHeader);
/* A bit number beyond the end of the bitmap causes a bug check. */
void RtlClearBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber);
void RtlSetBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber);
void RtlClearBits(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG NumberToClear);
void RtlSetBits(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG NumberToSet);
BOOLEAN RtlTestBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber);
BOOLEAN RtlAreBitsClear(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG Length);
BOOLEAN RtlAreBitsSet(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG Length);
/* Return the index of the first run of NumberToFind bits, searching from HintIndex and then from 0, or 0xFFFFFFFF if
 * there is none. */
ULONG RtlFindClearBits(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex);
ULONG RtlFindSetBits(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex);
ULONG RtlFindClearBitsAndSet(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex);
ULONG RtlFindSetBitsAndClear(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex);
ULONG RtlNumberOfSetBits(PRTL_BITMAP BitMapHeader);
ULONG RtlNumberOfClearBits(PRTL_BITMAP BitMapHeader);

#ifdef __cplusplus
}
#endif

#endif
