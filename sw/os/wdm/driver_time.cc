// SPDX-License-Identifier: Apache-2.0
#include "os/wdm/driver_time.h"

#include "os/kernel/kernel.h"

namespace gmmu::os {

uint64_t DriverTime::SystemTime(Kernel& kernel) { return kPowerOn + kernel.hal().NowNs() / 100; }

uint64_t DriverTime::Until(Kernel& kernel, const LARGE_INTEGER& due) {
  if (due.QuadPart < 0) return uint64_t{0} - static_cast<uint64_t>(due.QuadPart) * 100;
  const uint64_t now = SystemTime(kernel), then = static_cast<uint64_t>(due.QuadPart);
  return then > now ? (then - now) * 100 : 0;
}

}  // namespace gmmu::os
