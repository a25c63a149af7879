// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

#include "os/threads/scheduler.h"

namespace gmmu::os {

class Kernel;

/// How a routine of the driver is called that is no entry of its table: a deferred routine, a thread, a work item. It is
/// blamed by name, as an entry is, and must return at the IRQL at which it was called and without a lock.
///
/// `kind`: "deferred routine"; the name is that with the routine's place in the driver's file, as far as it is known.
void CallDriverRoutine(Kernel& kernel, const std::string& kind, const void* routine, Irql level,
                       const std::function<void()>& call);
/// "work item of driver.so+0x1234".
std::string RoutineName(const std::string& kind, const void* routine);

}  // namespace gmmu::os
