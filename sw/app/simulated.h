// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "app/configuration.h"
#include "replay/options.h"
#include "report/limits.h"

namespace gmmu::replay {
struct MachineFacts;
}
namespace gmmu::workload {
struct JobResult;
}

namespace gmmu::app {

struct EngineKind;

/// Returns the machine's peak rates and configuration for the report of a simulated run.
report::Limits SimulatedLimits(const sim::MachineConfig& config, const EngineKind& engine, uint64_t seed);

/// Completes the result of a run. A fault makes the run unverified. An injected VRAM bit flip that did not occur
/// becomes a finding.
void Conclude(const sim::MachineConfig& config, workload::JobResult& result);

/// Enables the driver settings that the page size in the options needs. It overrides stated values, because a
/// configuration written by `gmmu config` states every key.
void PreparePages(const replay::Options& options, Configuration& configuration);

/// Returns the sizes that a replay needs for its plan, for the machine as the built-in driver configures it.
replay::MachineFacts FactsOf(const Configuration& configuration);

}  // namespace gmmu::app
