// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "workload/job.h"

namespace gmmu::app {

struct Configuration;

/// The settings that a configuration states and that are not at their defaults, or that `set` ("SECTION.KEY=VALUE") states, as
/// "gpu.count = 3, os.iommu = 'physical'".
std::string ChangedSettings(const Configuration& configuration, const std::vector<std::string>& set);

/// For a run of the driver that is built in. Throws settings::Error when nothing had begun (JobResult::not_begun), and the
/// settings are the reason: ChangedSettings has some, none of them plants a fault, and nothing else went wrong.
void RefuseNotBegun(const workload::JobResult& result, const Configuration& configuration,
                    const std::vector<std::string>& set);

}  // namespace gmmu::app
