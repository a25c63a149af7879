// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gmmu::sim {

struct EngineOptions;
struct MachineConfig;
struct RtlGpuParameters;

/// What the configuration means for GPU `unit`. Waves of several GPUs go to a file each.
RtlGpuParameters GpuOf(const MachineConfig& config, const EngineOptions& options, unsigned unit);

}  // namespace gmmu::sim
