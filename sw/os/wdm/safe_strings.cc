// SPDX-License-Identifier: Apache-2.0
// Implements the routines declared in ntstrsafe.h.
#include "ddi/ntstrsafe.h"

#include <algorithm>

#include "os/wdm/driver_text.h"
#include "os/kernel/kernel.h"

namespace {

template <typename Character>
size_t LengthOf(const Character* text, size_t most) {
  size_t length = 0;
  while (length < most && text[length] != 0) ++length;
  return length;
}

/// Copies `length` characters to `to` + `at`, and terminates the string. `to` has room for `size`
/// characters; text that does not fit is cut off.
template <typename Character, typename Unit>
NTSTATUS Put(Character* to, size_t size, size_t at, const Unit* text, size_t length) {
  gmmu::os::Kernel::Called("RtlString...", gmmu::os::kPassive);
  if (size == 0 || size > NTSTRSAFE_MAX_CCH || at >= size) return STATUS_INVALID_PARAMETER;
  const size_t fits = std::min(length, size - 1 - at);
  for (size_t i = 0; i < fits; ++i) to[at + i] = static_cast<Character>(text[i]);
  to[at + fits] = 0;
  return fits == length ? STATUS_SUCCESS : STATUS_BUFFER_OVERFLOW;
}

template <typename Character>
NTSTATUS Printed(Character* to, size_t size, const Character* format, va_list arguments) {
  const auto text = gmmu::os::DriverText(format, arguments);
  return Put(to, size, 0, text.data(), text.size());
}

template <typename Character>
NTSTATUS Measured(const Character* text, size_t size, size_t* length, size_t unit) {
  const size_t found = text == nullptr ? size : LengthOf(text, size);
  if (length != nullptr) *length = found == size ? 0 : found * unit;
  return found == size || size > NTSTRSAFE_MAX_CCH ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
}

constexpr size_t kAny = NTSTRSAFE_MAX_CCH;

}  // namespace

#define STRSAFE(unit, suffix, Character, bytes)                                                                    \
  NTSTATUS RtlString##unit##Copy##suffix(Character* Dest, size_t Size, const Character* Source) {                  \
    return Put(Dest, Size / (bytes), 0, Source, LengthOf(Source, kAny));                                           \
  }                                                                                                                \
  NTSTATUS RtlString##unit##CopyN##suffix(Character* Dest, size_t Size, const Character* Source, size_t Length) {  \
    return Put(Dest, Size / (bytes), 0, Source, LengthOf(Source, Length / (bytes)));                               \
  }                                                                                                                \
  NTSTATUS RtlString##unit##Cat##suffix(Character* Dest, size_t Size, const Character* Source) {                   \
    return Put(Dest, Size / (bytes), LengthOf(Dest, Size / (bytes)), Source, LengthOf(Source, kAny));              \
  }                                                                                                                \
  NTSTATUS RtlString##unit##CatN##suffix(Character* Dest, size_t Size, const Character* Source, size_t Length) {   \
    return Put(Dest, Size / (bytes), LengthOf(Dest, Size / (bytes)), Source, LengthOf(Source, Length / (bytes)));  \
  }                                                                                                                \
  NTSTATUS RtlString##unit##VPrintf##suffix(Character* Dest, size_t Size, const Character* Format, va_list list) { \
    return Printed(Dest, Size / (bytes), Format, list);                                                            \
  }                                                                                                                \
  NTSTATUS RtlString##unit##Printf##suffix(Character* Dest, size_t Size, const Character* Format, ...) {           \
    va_list list;                                                                                                  \
    va_start(list, Format);                                                                                        \
    const NTSTATUS status = Printed(Dest, Size / (bytes), Format, list);                                           \
    va_end(list);                                                                                                  \
    return status;                                                                                                 \
  }                                                                                                                \
  NTSTATUS RtlString##unit##Length##suffix(const Character* Text, size_t Size, size_t* Length) {                   \
    return Measured(Text, Size / (bytes), Length, bytes);                                                          \
  }

extern "C" {
STRSAFE(Cb, A, CHAR, sizeof(CHAR))
STRSAFE(Cb, W, WCHAR, sizeof(WCHAR))
STRSAFE(Cch, A, CHAR, 1)
STRSAFE(Cch, W, WCHAR, 1)
}  // extern "C"
