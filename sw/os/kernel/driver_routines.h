// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

#include "os/threads/scheduler.h"

namespace gmmu::os {

class Kernel;

/// Calls a driver routine that is not an entry point in the driver's table: a deferred routine, a
/// thread or a work item. Faults are attributed to the routine by name. The routine must return at
/// the IRQL at which it was called, without an additional lock.
///
/// `kind` is a string such as "deferred routine". The routine's name is `kind` followed by its
/// location in the driver's file, if known.
void CallDriverRoutine(Kernel& kernel, const std::string& kind, const void* routine, Irql level,
                       const std::function<void()>& call);
/// Returns a name such as "work item of driver.so+0x1234".
std::string RoutineName(const std::string& kind, const void* routine);

}  // namespace gmmu::os
