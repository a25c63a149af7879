// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "workload/job.h"

namespace gmmu::app {

struct Configuration;

/// The settings that differ from their defaults in a configuration, and those that `set` ("SECTION.KEY=VALUE") states,
/// in the form "gpu.count = 3, os.iommu = 'physical'".
std::string ChangedSettings(const Configuration& configuration, const std::vector<std::string>& set);

/// For a run of the driver that is built in. Throws settings::Error when the run never began (JobResult::not_begun) and
/// its settings are the reason: ChangedSettings has some, none of them plants a fault, and nothing else went wrong.
void RefuseNotBegun(const workload::JobResult& result, const Configuration& configuration,
                    const std::vector<std::string>& set);

}  // namespace gmmu::app
