// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "ddi/ntdef.h"

namespace gmmu::os {

/// Returns "" if the entry point, such as "DxgkDdiCreateAllocation", may return the status (statuses.def). Otherwise it
/// returns a sentence that names both and the statuses that the entry point may return. Windows logs such a status.
std::string IllegalStatus(const std::string& entry, NTSTATUS status);

}  // namespace gmmu::os
