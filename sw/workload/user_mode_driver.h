// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "os/dxgkrnl/dxgkrnl.h"

namespace gmmu::workload {

/// The user-mode half of the built-in driver, which uses kmd/escape.h.
os::UserModeDriver OurUserModeDriver();

}  // namespace gmmu::workload
