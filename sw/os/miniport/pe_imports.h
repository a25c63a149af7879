// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>
#include <string>

#include "os/miniport/file_bytes.h"

namespace gmmu::os {

/// Returns the names that a 64-bit Windows binary imports, including delayed imports. "module#number" stands for an
/// import by ordinal, which has no name in the file. Throws ImportScanError, with the offset in the message, if the
/// file is not a PE file, is truncated or is corrupt.
std::set<std::string> PeImports(const FileBytes& file);

}  // namespace gmmu::os
