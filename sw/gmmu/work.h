// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "gmmu/gmmu.h"
#include "workload/job.h"

namespace gmmu::app {
struct Configuration;
}
namespace gmmu::report {
struct Limits;
}

namespace gmmu {

/// The work to run on a machine, and its report. WorkOf has already validated the work.
struct Work {
  std::string scenario;  ///< name of the scenario; empty: none
  /// Called once, on the machine's thread. The options are complete except for the input data.
  std::function<int(hw::Platform&, workload::JobOptions)> run;
  /// Returns the report as JSON after the run. Null for Software: its errors are passed to the
  /// owner instead.
  std::function<std::string(const report::Limits&)> report;
  workload::JobResult result;  ///< the run's findings, for the report
};

/// Each function creates one kind of work, and throws Error before anything is simulated. A replay
/// also enables the settings of `configuration` that its pages need.
std::unique_ptr<Work> WorkOf(Job job);
std::unique_ptr<Work> WorkOf(const Replay& replay, app::Configuration& configuration);
std::unique_ptr<Work> WorkOf(Software software);

}  // namespace gmmu
