// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "report/limits.h"
#include "workload/job.h"

namespace gmmu::report {

/// Increment it when a member is removed or changes its meaning, but not for a new member.
inline constexpr int kSchemaVersion = 1;

/// Returns the machine-readable report, whose members are described in docs/report-schema.md and
/// README.md. Only `host_seconds` depends on host time. A counter that the engine does not count is
/// null.
std::string JsonReport(const workload::JobResult& result, const Limits& limits);
/// Returns an element of the report's `faults` on one line.
std::string FaultAsJson(const os::Fault& fault);

}  // namespace gmmu::report
