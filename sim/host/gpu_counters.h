// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace gmmu::sim {

/// A counter register of the GPU, with the two names that reports use: its block and its name in
/// rtl/pkg/gmmu.rdl.
struct GpuCounter {
  std::string block;
  std::string name;
  uint32_t offset = 0;  ///< in BAR0
  std::string unit;
  std::string description;
};

/// Returns every counter register of a GPU with `clients` clients. The blocks of the translation ports are
/// port_client0.., port_engine_fetch, port_engine_read and port_engine_write; those of the shared counters are gpu_l2,
/// gpu_walker, gpu_walk_cache, gpu_mmu, gpu_aperture, gpu_engine, gpu_bus and gpu_clients.
std::vector<GpuCounter> GpuCounters(unsigned clients);

}  // namespace gmmu::sim
