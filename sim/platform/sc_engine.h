// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "host/engine.h"

namespace gmmu::sim {

/// Constructs the machine in SystemC around the Verilated GPU. Throws ConfigError if the configuration does not fit
/// this build (build keys, waves without a tracing build) or a SystemC simulation runs in this process, and
/// std::runtime_error if the host cannot provide resources.
///
/// A process may have several of these machines one after the other, but only one at a time. Software runs on an 8 MiB
/// stack inside the simulation. It may switch to its own stacks (fibres) and call the platform from any of them, one at
/// a time. It must not call the platform inside a catch handler.
std::unique_ptr<Engine> CreateRtl(const MachineConfig& config, const EngineOptions& options);

}  // namespace gmmu::sim
