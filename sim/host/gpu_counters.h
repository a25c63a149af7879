// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace gmmu::sim {

/// A counter register of the GPU as reports identify it: its block, and its name in
/// rtl/pkg/gmmu.rdl.
struct GpuCounter {
  std::string block;
  std::string name;
  uint32_t offset = 0;  ///< in BAR0
  std::string unit;
  std::string description;
};

/// Lists every counter register of a GPU with `clients` clients. The translation ports have the blocks
/// port_client0.. and port_engine_fetch, port_engine_read, port_engine_write; the shared counters
/// are in gpu_l2, gpu_walker, gpu_walk_cache, gpu_mmu, gpu_aperture, gpu_engine, gpu_bus and
/// gpu_clients.
std::vector<GpuCounter> GpuCounters(unsigned clients);

}  // namespace gmmu::sim
