// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdarg>
#include <string>

#include "ddi/ntdef.h"

namespace gmmu::os {

/// A text by a format of the kit, whose sizes are not those of this platform's printf: %l is 32 bits, %I64 and %ll are 64,
/// %I is a pointer's size, %s has the format's own width and %S the other one, %hs and %ws are of either, %Z and %wZ are
/// counted strings. Characters of 16 bits above 127 become "?". %n is not written.
std::string DriverText(const char* format, va_list arguments);
std::u16string DriverText(const WCHAR* format, va_list arguments);

}  // namespace gmmu::os
