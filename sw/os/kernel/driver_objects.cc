// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/driver_objects.h"

#include "os/base/bug_check.h"
#include "os/guard/driver_guard.h"
#include "os/kernel/kernel.h"

namespace gmmu::os {

DriverObjects::DriverObjects(Kernel& kernel)
    : dpcs(kernel),
      timers(kernel),
      threads(kernel),
      work_items(kernel),
      objects(kernel.ledger()),
      registry(kernel.parameters().registry),
      device_accesses(kernel) {}

void DriverObjects::NoteForbidden(const char* routine) {
  if (forbids_) {
    throw BugCheck(std::string(routine) +
                   ", which GPU isolation forbids (DXGK_VIDMMCAPS.IoMmuSecureModeSupported is 1), was called" +
                   DriverGuard::CallSite() + ": memory of the driver comes from the callbacks of DXGKRNL_INTERFACE");
  }
  if (forbidden_routine == nullptr) forbidden_routine = routine;
}

void DriverObjects::Forget(const void* begin, size_t bytes) {
  dpcs.Forget(begin, bytes);
  timers.Forget(begin, bytes);
  work_items.Forget(begin, bytes);
}

}  // namespace gmmu::os
