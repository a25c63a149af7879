// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "ddi/ntdef.h"

namespace gmmu::os {

/// Returns "" if the entry point, such as "DxgkDdiCreateAllocation", may return the status
/// (statuses.def). Otherwise returns a sentence that names the entry point, the status and the
/// permitted statuses. Windows logs statuses that are not permitted.
std::string IllegalStatus(const std::string& entry, NTSTATUS status);

}  // namespace gmmu::os
