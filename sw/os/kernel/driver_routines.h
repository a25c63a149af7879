// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

#include "os/threads/scheduler.h"

namespace gmmu::os {

class Kernel;

/// Calls a driver routine that is no entry of its table: a deferred routine, a thread or a work item. Faults are
/// attributed to the routine by name. It must return at the IRQL of the call and without holding a lock.
///
/// `kind`: "deferred routine". The name is `kind` with the routine's place in the driver's file, if that is known.
void CallDriverRoutine(Kernel& kernel, const std::string& kind, const void* routine, Irql level,
                       const std::function<void()>& call);
/// Returns a name such as "work item of driver.so+0x1234".
std::string RoutineName(const std::string& kind, const void* routine);

}  // namespace gmmu::os
