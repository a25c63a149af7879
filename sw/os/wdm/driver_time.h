// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/ntdef.h"

namespace gmmu::os {

class Kernel;

/// Time in units of 100 ns, as drivers use it.
struct DriverTime {
  /// The system time at power-on (2024-01-01), in units of 100 ns since 1601. It is constant, so that runs are
  /// reproducible.
  static constexpr uint64_t kPowerOn = 133'485'408'000'000'000;

  static uint64_t SystemTime(Kernel& kernel);
  /// Returns the nanoseconds until `due`, or 0 if that time has passed. A negative `due` is
  /// relative to the current time; otherwise it is a system time.
  static uint64_t Until(Kernel& kernel, const LARGE_INTEGER& due);
};

}  // namespace gmmu::os
