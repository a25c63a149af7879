// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "report/limits.h"
#include "workload/job.h"

namespace gmmu::report {

/// The report that programs read: JSON text, keys `verified`, `bytes`, `cycles`,
/// `cycles_evaluated`, `simulated_ns`, `host_seconds`, `faults`, `leaks`, `findings`, `checks`,
/// `phases`, `machine`, `by_time` and `counters` by block. Nothing under `counters` depends on host time.
std::string JsonReport(const workload::JobResult& result, const Limits& limits);

}  // namespace gmmu::report
