// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include "host/sizes_in_use.h"
#include "host/time_model.h"
#include "pcie/config_space.h"
#include "twin/policy.h"

namespace gmmu::sim {
struct MachineConfig;
}

namespace gmmu::sim::twin {

/// The sizes of the hardware as built, which registers cap0 to cap2 report.
struct Built {
  unsigned clients = 4, rings = 1, spaces = 16;
  unsigned l1_entries = 16, l2_entries = 512, l2_ways = 4, walk_cache = 16;
  unsigned walks = 8, reads_in_flight = 32, data_bits = 64, va_bits = 48;

  TlbSizes tlb_sizes() const { return {l1_entries, l2_entries, l2_ways, walk_cache, walks}; }
};

/// Memory faults to inject into one GPU. None is injected by default.
struct MemoryFaults {
  /// Flips a bit in the beat that brings the number of bytes written to VRAM to this value. 0
  /// disables the fault.
  uint64_t flip_after = 0;
  bool drop_fence = false;  ///< drops 16-byte aligned writes to the host
};

/// How the configured policy changes the hardware's TLBs and walks.
struct PolicyParameters {
  bool stated = false;  ///< some choice differs from the hardware, so policy counters are reported
  Hierarchy hierarchy;
  std::function<std::unique_ptr<Policy>()> make;  ///< null: decide as the hardware does
};

struct GpuParameters {
  Built built;
  uint64_t vram_bytes = 64u << 20;
  ConfigSpaceParameters config;
  TimeParameters timing;
  MemoryFaults faults;
  PolicyParameters policy;
  bool checker = true;  ///< compare every translation with the reference walk

  /// Returns the parameters of GPU `unit` of the machine described by `config`.
  static GpuParameters From(const MachineConfig& config, unsigned unit);
};

}  // namespace gmmu::sim::twin
