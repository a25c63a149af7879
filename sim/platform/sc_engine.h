// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "host/engine.h"

namespace gmmu::sim {

/// Makes the machine in SystemC around the Verilated GPU. Throws ConfigError when the configuration does not fit this
/// build (build keys, waves without a tracing build) or a SystemC simulation runs in this process, and
/// std::runtime_error when the host refuses resources.
///
/// A process may have several of these machines one after the other, but never two at once. Software runs on a stack of
/// 8 MiB inside the simulation; it may switch to its own stacks (fibres) and call the platform from any of them, one at
/// a time. It must not call the platform inside a catch handler.
std::unique_ptr<Engine> CreateRtl(const MachineConfig& config, const EngineOptions& options);

}  // namespace gmmu::sim
