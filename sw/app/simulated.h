// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>

#include "app/configuration.h"
#include "host/engine.h"
#include "replay/options.h"
#include "report/limits.h"

namespace gmmu::replay {
struct MachineFacts;
}
namespace gmmu::workload {
struct JobResult;
}

namespace gmmu::app {

inline constexpr const char* kFast = "fast";
inline constexpr const char* kDevice = "device";  ///< engine of a machine whose GPU is a device model (sim/device)

/// Returns the limits that a report of a simulated machine measures against. `engine`: one of Engines(), not the board.
report::Limits SimulatedLimits(const sim::MachineConfig& config, const std::string& engine, uint64_t seed);

/// Completes the result of a run. A fault makes the run unverified. A VRAM bit flip that the configuration plants but
/// that never happened becomes a finding.
void Conclude(const sim::MachineConfig& config, workload::JobResult& result);

/// Turns on the driver's keys that the page size of the options needs. It overrides stated values, because a
/// configuration written by `gmmu config` states every key.
void PreparePages(const replay::Options& options, Configuration& configuration);

/// Returns the sizes of the machine, as our driver sets it up, that a replay plans with.
replay::MachineFacts FactsOf(const Configuration& configuration);

/// The simulated engine of that name. A build without the RTL has the fast one alone.
std::unique_ptr<sim::Engine> MakeSimulated(const std::string& engine, const sim::MachineConfig& config,
                                           const sim::EngineOptions& options);

}  // namespace gmmu::app
