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

/// Returns the peak rates and the configuration of the machine, for the report of a simulated run.
report::Limits SimulatedLimits(const sim::MachineConfig& config, const EngineKind& engine, uint64_t seed);

/// Completes the result of a run: if there was a fault, the run counts as unverified, and an
/// injected VRAM bit flip that did not take place becomes a finding.
void Conclude(const sim::MachineConfig& config, workload::JobResult& result);

/// Enables the driver settings that the page size in the options needs. This overrides explicit
/// settings, because a configuration written by `gmmu config` sets every key.
void PreparePages(const replay::Options& options, Configuration& configuration);

/// Returns the sizes that a replay needs for its plan, as the built-in driver configures the
/// machine.
replay::MachineFacts FactsOf(const Configuration& configuration);

}  // namespace gmmu::app
