// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "ddi/ntdef.h"
#include "hw/user_mode.h"

namespace gmmu::app {

/// DriverEntry of the driver in a shared object, which stays loaded to the end of the program. It takes the routines of
/// sw/ddi/kernel_routines.list from this program, and nothing else of it. Throws workload::InputError when the file is
/// no shared object, has no DriverEntry, or wants routines that are not there, with their names.
PDRIVER_INITIALIZE LoadDriver(const std::string& path);

/// What the same shared object exports by another name; null: nothing.
void* ExportOf(PDRIVER_INITIALIZE entry, const char* name);

/// The user-mode half that it exports (hw/user_mode.h); null: none. Throws workload::InputError when it is of another
/// version, or cannot translate.
const GMMU_USER_MODE_DRIVER* UserModeOf(PDRIVER_INITIALIZE entry);

/// Throws what LoadDriver does for a file that is no driver at all, without loading it.
void CheckDriverFile(const std::string& path);

}  // namespace gmmu::app
