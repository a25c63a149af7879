// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdarg>
#include <string>

#include "ddi/ntdef.h"

namespace gmmu::os {

/// Formats a string with the conversions of the Windows Driver Kit (WDK), which differ from this
/// platform's printf: %l is 32 bits, %I64 and %ll are 64 bits, %I has the size of a pointer, %s has
/// the character width of the format string and %S the other width, %hs and %ws have a fixed width,
/// and %Z and %wZ are counted strings. 16-bit characters above 127 become "?". %n writes nothing.
std::string DriverText(const char* format, va_list arguments);
std::u16string DriverText(const WCHAR* format, va_list arguments);

}  // namespace gmmu::os
