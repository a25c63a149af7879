// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "report/limits.h"
#include "workload/job.h"

namespace gmmu::report {

/// Returns the text report, which has about 40 lines.
std::string TextReport(const workload::JobResult& result, const Limits& limits);

}  // namespace gmmu::report
