// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "workload/job.h"

namespace gmmu::app {

struct Configuration;

/// Lists the settings that differ from their defaults, and those that `set` ("SECTION.KEY=VALUE")
/// sets explicitly, in the form "gpu.count = 3, os.iommu = 'physical'".
std::string ChangedSettings(const Configuration& configuration, const std::vector<std::string>& set);

/// Call after a run. Throws settings::Error if the settings are the reason why the run never began
/// (JobResult::not_begun) or ran out of memory (JobResult::too_small): the run has not passed,
/// nothing else failed, and ChangedSettings lists at least one setting. If an injected fault stops
/// the start, the reason must contain a key. If the driver is not the built-in one (`of_a_driver`),
/// it must contain a key in `set`.
void RefuseNotBegun(const workload::JobResult& result, const Configuration& configuration,
                    const std::vector<std::string>& set, bool of_a_driver);

}  // namespace gmmu::app
