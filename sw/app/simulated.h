// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>

#include "app/configuration.h"
#include "platform/engine.h"
#include "replay/options.h"
#include "report/limits.h"

namespace gmmu::app {

inline constexpr const char* kFast = "fast";
inline constexpr const char* kDevice = "device";  ///< of a machine with a device in the GPU's place (sim/device)

/// What a report of a simulated machine measures against. `engine`: one of Engines(), not the board.
report::Limits SimulatedLimits(const sim::MachineConfig& config, const std::string& engine, uint64_t seed);

/// Turns on the keys of the driver that pages of these options need. `file`: the name of the configuration, for
/// errors. Throws settings::Error when the configuration states the contrary.
void PreparePages(const replay::Options& options, const std::string& file, Configuration& configuration);

/// The simulated engine of that name. A build without the RTL has the fast one alone.
std::unique_ptr<sim::Engine> MakeSimulated(const std::string& engine, const sim::MachineConfig& config,
                                           const sim::EngineOptions& options);

}  // namespace gmmu::app
