// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace gmmu::os {

/// Returns a code location such as " at driver.so+0x5c3f (kmd::BuildFlushTlb(Build&))": the offset for addr2line, and
/// the function's name if it is known. Returns "" for null or if no file is known.
std::string PlaceOf(const void* instruction);

}  // namespace gmmu::os
