// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/ntdef.h"

namespace gmmu::os {

class Kernel;

/// Times in the driver's unit, 100 ns.
struct DriverTime {
  /// The system time at power-on (2024-01-01), in 100 ns since the year 1601. It is constant, so that runs are equal.
  static constexpr uint64_t kPowerOn = 133'485'408'000'000'000;

  static uint64_t SystemTime(Kernel& kernel);
  /// Nanoseconds until `due`. A negative value counts from now, another is a system time. Returns 0 if it has passed.
  static uint64_t Until(Kernel& kernel, const LARGE_INTEGER& due);
};

}  // namespace gmmu::os
