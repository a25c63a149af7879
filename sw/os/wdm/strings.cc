// SPDX-License-Identifier: Apache-2.0
// Implements the string routines declared in wdm_strings.h. The routines of ntstrsafe.h are in
// safe_strings.cc.
#include <algorithm>
#include <string>

#include "ddi/wdm_memory.h"
#include "ddi/wdm_strings.h"
#include "os/kernel/kernel.h"

using gmmu::os::Kernel;

namespace {

constexpr ULONG kStringTag = 0x72745352;  // "RStr"
constexpr USHORT kUnit = sizeof(WCHAR);

size_t Length(PCWSTR text) {
  size_t length = 0;
  while (text != nullptr && text[length] != 0) ++length;
  return length;
}

WCHAR Upcase(WCHAR unit) { return static_cast<WCHAR>(unit >= 'a' && unit <= 'z' ? unit - 'a' + 'A' : unit); }

size_t Units(PCUNICODE_STRING text) { return text->Length / kUnit; }

LONG Compare(PCUNICODE_STRING one, PCUNICODE_STRING other, BOOLEAN any_case) {
  for (size_t i = 0; i < std::min(Units(one), Units(other)); ++i) {
    const WCHAR a = any_case ? Upcase(one->Buffer[i]) : one->Buffer[i];
    const WCHAR b = any_case ? Upcase(other->Buffer[i]) : other->Buffer[i];
    if (a != b) return a - b;
  }
  return one->Length - other->Length;
}

void RequirePassive(const char* routine) { Kernel::Called(routine, gmmu::os::kPassive); }

int DigitOf(WCHAR unit) {
  if (unit >= '0' && unit <= '9') return unit - '0';
  const WCHAR upper = Upcase(unit);
  return upper >= 'A' && upper <= 'F' ? upper - 'A' + 10 : 99;
}

}  // namespace

extern "C" {

void RtlInitUnicodeString(PUNICODE_STRING DestinationString, PCWSTR SourceString) {
  const auto bytes = static_cast<USHORT>(std::min<size_t>(Length(SourceString) * kUnit, 0xFFFC));
  *DestinationString = {bytes, static_cast<USHORT>(SourceString == nullptr ? 0 : bytes + kUnit),
                        const_cast<PWSTR>(SourceString)};
}
void RtlInitAnsiString(PANSI_STRING DestinationString, PCSTR SourceString) {
  const auto bytes = static_cast<USHORT>(SourceString == nullptr ? 0 : std::min<size_t>(strlen(SourceString), 0xFFFE));
  *DestinationString = {bytes, static_cast<USHORT>(SourceString == nullptr ? 0 : bytes + 1),
                        const_cast<PCHAR>(SourceString)};
}
void RtlCopyUnicodeString(PUNICODE_STRING DestinationString, PCUNICODE_STRING SourceString) {
  PUNICODE_STRING const to = DestinationString;
  to->Length = SourceString == nullptr ? USHORT{0} : std::min(SourceString->Length, to->MaximumLength);
  if (to->Length != 0) memmove(to->Buffer, SourceString->Buffer, to->Length);
  if (to->MaximumLength - to->Length >= kUnit) to->Buffer[Units(to)] = 0;
}
NTSTATUS RtlAppendUnicodeStringToString(PUNICODE_STRING Destination, PCUNICODE_STRING Source) {
  PUNICODE_STRING const to = Destination;
  if (to->MaximumLength - to->Length < Source->Length) return STATUS_BUFFER_TOO_SMALL;
  if (Source->Length != 0) memmove(to->Buffer + Units(to), Source->Buffer, Source->Length);
  to->Length = static_cast<USHORT>(to->Length + Source->Length);
  if (to->MaximumLength - to->Length >= kUnit) to->Buffer[Units(to)] = 0;
  return STATUS_SUCCESS;
}
NTSTATUS RtlAppendUnicodeToString(PUNICODE_STRING Destination, PCWSTR Source) {
  UNICODE_STRING source;
  RtlInitUnicodeString(&source, Source);
  return RtlAppendUnicodeStringToString(Destination, &source);
}
WCHAR RtlUpcaseUnicodeChar(WCHAR SourceCharacter) {
  Kernel::Called("RtlUpcaseUnicodeChar", gmmu::os::kApc);
  return Upcase(SourceCharacter);
}
LONG RtlCompareUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2, BOOLEAN CaseInSensitive) {
  RequirePassive("RtlCompareUnicodeString");
  return Compare(String1, String2, CaseInSensitive);
}
BOOLEAN RtlEqualUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2, BOOLEAN CaseInSensitive) {
  RequirePassive("RtlEqualUnicodeString");
  return Compare(String1, String2, CaseInSensitive) == 0;
}
BOOLEAN RtlPrefixUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2, BOOLEAN CaseInSensitive) {
  RequirePassive("RtlPrefixUnicodeString");
  if (String1->Length > String2->Length) return FALSE;
  const UNICODE_STRING beginning{String1->Length, String1->Length, String2->Buffer};
  return Compare(String1, &beginning, CaseInSensitive) == 0;
}

NTSTATUS RtlUnicodeStringToInteger(PCUNICODE_STRING String, ULONG Base, PULONG Value) {
  RequirePassive("RtlUnicodeStringToInteger");
  const WCHAR* at = String->Buffer;
  const WCHAR* const end = at + Units(String);
  while (at != end && *at <= ' ') ++at;
  const bool negative = at != end && *at == '-';
  if (at != end && (*at == '-' || *at == '+')) ++at;
  if (Base == 0) {
    Base = 10;
    if (end - at > 2 && *at == '0') {
      const WCHAR prefix = Upcase(at[1]);
      Base = prefix == 'X' ? 16 : prefix == 'O' ? 8 : prefix == 'B' ? 2 : 10;
      if (Base != 10) at += 2;
    }
  }
  if (Base != 2 && Base != 8 && Base != 10 && Base != 16) return STATUS_INVALID_PARAMETER;
  ULONG value = 0;
  for (; at != end && static_cast<ULONG>(DigitOf(*at)) < Base; ++at)
    value = value * Base + static_cast<ULONG>(DigitOf(*at));
  *Value = negative ? 0 - value : value;
  return STATUS_SUCCESS;
}
NTSTATUS RtlIntegerToUnicodeString(ULONG Value, ULONG Base, PUNICODE_STRING String) {
  RequirePassive("RtlIntegerToUnicodeString");
  if (Base == 0) Base = 10;
  if (Base != 2 && Base != 8 && Base != 10 && Base != 16) return STATUS_INVALID_PARAMETER;
  std::u16string digits;
  do digits.insert(digits.begin(), u"0123456789ABCDEF"[Value % Base]);
  while ((Value /= Base) != 0);
  if (digits.size() * kUnit > String->MaximumLength) return STATUS_BUFFER_OVERFLOW;
  String->Length = 0;
  return RtlAppendUnicodeToString(String, reinterpret_cast<PCWSTR>(digits.c_str()));
}

NTSTATUS RtlAnsiStringToUnicodeString(PUNICODE_STRING Destination, PCANSI_STRING Source,
                                      BOOLEAN AllocateDestinationString) {
  RequirePassive("RtlAnsiStringToUnicodeString");
  const size_t bytes = (size_t{Source->Length} + 1) * kUnit;
  if (bytes > 0xFFFF) return STATUS_INVALID_PARAMETER;
  if (AllocateDestinationString) {
    Destination->Buffer = static_cast<PWSTR>(ExAllocatePoolZero(PagedPool, bytes, kStringTag));
    Destination->MaximumLength = static_cast<USHORT>(bytes);
    if (Destination->Buffer == nullptr) return STATUS_NO_MEMORY;
  } else if (Destination->MaximumLength < bytes) {
    return STATUS_BUFFER_OVERFLOW;
  }
  for (size_t i = 0; i < Source->Length; ++i) Destination->Buffer[i] = static_cast<UCHAR>(Source->Buffer[i]);
  Destination->Length = static_cast<USHORT>(bytes - kUnit);
  Destination->Buffer[Source->Length] = 0;
  return STATUS_SUCCESS;
}
NTSTATUS RtlUnicodeStringToAnsiString(PANSI_STRING Destination, PCUNICODE_STRING Source,
                                      BOOLEAN AllocateDestinationString) {
  RequirePassive("RtlUnicodeStringToAnsiString");
  const size_t bytes = Units(Source) + 1;
  if (AllocateDestinationString) {
    Destination->Buffer = static_cast<PCHAR>(ExAllocatePoolZero(PagedPool, bytes, kStringTag));
    Destination->MaximumLength = static_cast<USHORT>(bytes);
    if (Destination->Buffer == nullptr) return STATUS_NO_MEMORY;
  } else if (Destination->MaximumLength < bytes) {
    return STATUS_BUFFER_OVERFLOW;
  }
  for (size_t i = 0; i < bytes - 1; ++i)
    Destination->Buffer[i] = Source->Buffer[i] < 128 ? static_cast<CHAR>(Source->Buffer[i]) : '?';
  Destination->Length = static_cast<USHORT>(bytes - 1);
  Destination->Buffer[bytes - 1] = 0;
  return STATUS_SUCCESS;
}
void RtlFreeUnicodeString(PUNICODE_STRING UnicodeString) {
  Kernel::Called("RtlFreeUnicodeString", gmmu::os::kApc);
  if (UnicodeString->Buffer != nullptr) ExFreePoolWithTag(UnicodeString->Buffer, kStringTag);
  *UnicodeString = {};
}
void RtlFreeAnsiString(PANSI_STRING AnsiString) {
  Kernel::Called("RtlFreeAnsiString", gmmu::os::kApc);
  if (AnsiString->Buffer != nullptr) ExFreePoolWithTag(AnsiString->Buffer, kStringTag);
  *AnsiString = {};
}

SIZE_T RtlCompareMemory(const void* Source1, const void* Source2, SIZE_T Length) {
  const auto* const a = static_cast<const UCHAR*>(Source1);
  return static_cast<SIZE_T>(std::mismatch(a, a + Length, static_cast<const UCHAR*>(Source2)).first - a);
}

}  // extern "C"
