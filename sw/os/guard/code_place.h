// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace gmmu::os {

/// Names a place in code as " at driver.so+0x5c3f (kmd::BuildFlushTlb(Build&))": the offset is for addr2line, and the
/// function stands there if it has a name. "" for null, and where no file is known.
std::string PlaceOf(const void* instruction);

}  // namespace gmmu::os
