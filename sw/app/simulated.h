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

/// Returns the limits that a report of a simulated machine measures against.
report::Limits SimulatedLimits(const sim::MachineConfig& config, const EngineKind& engine, uint64_t seed);

/// Completes the result of a run. A fault makes the run unverified. A VRAM bit flip that the configuration plants but
/// that never happened becomes a finding.
void Conclude(const sim::MachineConfig& config, workload::JobResult& result);

/// Turns on the driver's keys that the page size of the options needs. It overrides stated values, because a
/// configuration written by `gmmu config` states every key.
void PreparePages(const replay::Options& options, Configuration& configuration);

/// Returns the sizes of the machine, as our driver sets it up, that a replay plans with.
replay::MachineFacts FactsOf(const Configuration& configuration);

}  // namespace gmmu::app
