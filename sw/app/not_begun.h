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

/// Call for a run with the built-in driver. Throws settings::Error when the run never began (JobResult::not_begun)
/// because of its settings: ChangedSettings lists some, none of them plants a fault, and nothing else went wrong.
void RefuseNotBegun(const workload::JobResult& result, const Configuration& configuration,
                    const std::vector<std::string>& set);

}  // namespace gmmu::app
