// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gmmu::sim {

struct MachineConfig;

/// The keys that make a machine slow, for messages.
inline constexpr char kKeysOfSpeed[] =
    "gpu.clock_mhz, gpu.vram_latency, gpu.vram_outstanding, gpu.vram_beats, gpu.vram_beat_cycles, gpu.walks, "
    "pcie.generation, pcie.lanes, pcie.link_layer_ppm, pcie.tlp_overhead, pcie.latency_ps, pcie.max_payload, "
    "pcie.tags, "
    "pcie.posted_headers, pcie.posted_data, pcie.non_posted_headers, pcie.completion_headers, pcie.completion_data, "
    "pcie.completion_boundary, link.latency_ns, link.bytes_per_ns, host.dram_*, iommu.walks, iommu.lookup_ps, "
    "iommu.descriptor_ps and policy.*_cycles";

/// Returns how many times longer than on the default machine an access or a long transfer may take, at least 1. Bounds
/// of waits are multiplied by it, so that a slow machine is not mistaken for one that hangs.
uint64_t Slowness(const MachineConfig& config);

}  // namespace gmmu::sim
