// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "report/limits.h"
#include "workload/job.h"

namespace gmmu::report {

/// Increment it when a member is removed or changes its meaning. New members do not increment it.
inline constexpr int kSchemaVersion = 1;

/// Returns the machine-readable JSON report; docs/report-schema.md and README.md describe its members. Only
/// `host_seconds` depends on host time. A counter that the engine does not count is null.
std::string JsonReport(const workload::JobResult& result, const Limits& limits);
/// Returns an entry of the report's `faults` on one line.
std::string FaultAsJson(const os::Fault& fault);

}  // namespace gmmu::report
