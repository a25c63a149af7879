// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace gmmu::os {

/// Names a place in code, like " at driver.so+0x5c3f (kmd::BuildFlushTlb(Build&))", by an offset for addr2line and the
/// function's name if it has one. Returns "" for null, or if no file is known.
std::string PlaceOf(const void* instruction);

}  // namespace gmmu::os
