// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "hw/platform.h"

namespace gmmu::workload {

/// Checks the sums below on the counters of an idle machine. Returns the sums that do not hold:
///
///   each port_*   lookups = hits + misses + merged + faults
///   gpu_l2        lookups = hits + misses + merged; at least one lookup for each port's L1 miss
///   gpu_walker    walks = walks_ok + walks_fault = gpu_l2 misses
///   iommu (VT-d)  requests = bypassed + context hits + context misses;
///                 context hits + context misses = context_ended + IOTLB hits + IOTLB misses;
///                 IOTLB misses = table cache hits + table cache misses;
///                 missed = walks + waited, at least walks_joined;
///                 bypassed is at least the number of interrupts
///
/// Blocks that the engine lacks and IOMMUs of other architectures are skipped. Each of several GPUs
/// is checked separately.
std::vector<hw::Finding> CounterSums(const std::vector<hw::Counter>& counters);

}  // namespace gmmu::workload
