// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>
#include <string>

#include "os/miniport/file_bytes.h"

namespace gmmu::os {

/// Names that a 64-bit Windows binary imports, delayed imports too; "module#number" is an import by ordinal, whose name
/// the file does not have. ImportScanError, with the offset, for a file that is none, is cut or is broken.
std::set<std::string> PeImports(const FileBytes& file);

}  // namespace gmmu::os
