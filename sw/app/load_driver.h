// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "ddi/ntdef.h"
#include "hw/user_mode.h"

namespace gmmu::app {

/// Loads a shared object and returns its DriverEntry. The object stays loaded until the program
/// ends. From this program, the driver may import only the routines in sw/ddi/kernel_routines.list.
/// Throws workload::InputError if the file is not a shared object, has no DriverEntry, or imports
/// other routines, which the error lists.
PDRIVER_INITIALIZE LoadDriver(const std::string& path);

/// Returns another exported symbol of the same shared object, or null if it does not exist.
void* ExportOf(PDRIVER_INITIALIZE entry, const char* name);

/// Returns the user-mode half that the driver exports (hw/user_mode.h), or null. Throws
/// workload::InputError if its version is not supported or it cannot translate.
const GMMU_USER_MODE_DRIVER* UserModeOf(PDRIVER_INITIALIZE entry);

/// Checks, without loading the file, whether it is a driver. Throws the same errors as LoadDriver.
void CheckDriverFile(const std::string& path);

}  // namespace gmmu::app
