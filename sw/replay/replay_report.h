// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "replay/replay.h"
#include "report/limits.h"

namespace gmmu::replay {

/// Returns the measurements as text. The first line states whether the run passed.
std::string TextReport(const Plan& plan, const Result& result, const workload::JobResult& job,
                       const report::Limits& limits);

/// Returns the JSON report of a run (sw/report) with the additional member "replay", which
/// sw/replay/README.md describes.
std::string JsonReport(const Plan& plan, const Result& result, const workload::JobResult& job,
                       const report::Limits& limits);

}  // namespace gmmu::replay
