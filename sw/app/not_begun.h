// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "workload/job.h"

namespace gmmu::app {

struct Configuration;

/// Lists the settings of a configuration that differ from their defaults, and those set explicitly in `set`
/// ("SECTION.KEY=VALUE"), in the form "gpu.count = 3, os.iommu = 'physical'".
std::string ChangedSettings(const Configuration& configuration, const std::vector<std::string>& set);

/// Call after a run. Throws settings::Error if the run never began (JobResult::not_begun), or
/// ran out of memory (JobResult::too_small), because of its settings: ChangedSettings lists at least one setting, the
/// run has not passed, and nothing else failed. With an injected fault that stops a start, the reason must name a key;
/// with another driver than the built-in one (`of_a_driver`), it must name a key in `set`.
void RefuseNotBegun(const workload::JobResult& result, const Configuration& configuration,
                    const std::vector<std::string>& set, bool of_a_driver);

}  // namespace gmmu::app
