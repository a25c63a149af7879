// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/driver_objects.h"

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

void DriverObjects::Forget(const void* begin, size_t bytes) {
  dpcs.Forget(begin, bytes);
  timers.Forget(begin, bytes);
  work_items.Forget(begin, bytes);
}

}  // namespace gmmu::os
