// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gmmu::sim {

struct EngineOptions;
struct MachineConfig;
struct RtlGpuParameters;

/// Returns the parameters of GPU `unit` from the configuration. With several GPUs, each has its own
/// waves file.
RtlGpuParameters GpuOf(const MachineConfig& config, const EngineOptions& options, unsigned unit);

}  // namespace gmmu::sim
