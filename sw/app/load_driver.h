// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "ddi/ntdef.h"
#include "hw/user_mode.h"

namespace gmmu::app {

/// Loads a shared object, which stays loaded to the end of the program, and returns its DriverEntry. The driver may
/// import only the routines of sw/ddi/kernel_routines.list from this program. Throws workload::InputError if the file
/// is not a shared object, has no DriverEntry, or imports other routines, which the error names.
PDRIVER_INITIALIZE LoadDriver(const std::string& path);

/// Returns another exported symbol of the same shared object, or null if there is none.
void* ExportOf(PDRIVER_INITIALIZE entry, const char* name);

/// Returns the user-mode half that the driver exports (hw/user_mode.h), or null. Throws workload::InputError if it has
/// another version or cannot translate.
const GMMU_USER_MODE_DRIVER* UserModeOf(PDRIVER_INITIALIZE entry);

/// Throws the errors of LoadDriver for a file that is not a driver, without loading the file.
void CheckDriverFile(const std::string& path);

}  // namespace gmmu::app
