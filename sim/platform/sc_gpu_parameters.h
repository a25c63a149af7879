// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gmmu::sim {

struct EngineOptions;
struct MachineConfig;
struct RtlGpuParameters;

/// The parameters of GPU `unit` from the configuration. Each of several GPUs has a waves file of its own.
RtlGpuParameters GpuOf(const MachineConfig& config, const EngineOptions& options, unsigned unit);

}  // namespace gmmu::sim
