// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace gmmu::os {

/// Returns a code location such as " at driver.so+0x5c3f (kmd::BuildFlushTlb(Build&))": the offset
/// for addr2line, and the function's name if known. Returns "" for null or if the file is unknown.
std::string PlaceOf(const void* instruction);

}  // namespace gmmu::os
