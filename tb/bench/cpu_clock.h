// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <time.h>

namespace gmmu::bench {

/// Returns the thread's processor time in seconds. Other programs on the machine hardly affect it.
inline double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace gmmu::bench
