// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "host/engine.h"

namespace gmmu::sim {

/// Constructs the machine in SystemC around the Verilated GPU. Throws ConfigError if the
/// configuration does not fit this build (build keys, waves without a tracing build) or if another
/// SystemC simulation runs in this process. Throws std::runtime_error if the host cannot provide
/// resources.
///
/// A process may create several such machines, but only one at a time. Software runs on an 8 MiB
/// stack inside the simulation. It may switch to its own stacks (fibres) and call the platform from
/// any of them, one at a time. It must not call the platform inside a catch handler.
std::unique_ptr<Engine> CreateRtl(const MachineConfig& config, const EngineOptions& options);

}  // namespace gmmu::sim
