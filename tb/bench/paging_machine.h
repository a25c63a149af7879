// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "host/config.h"

namespace gmmu::bench {

/// The whole co-simulation with minimal software: copies between host memory behind the IOMMU and VRAM. Throws if bytes
/// are wrong, a probe reports a finding or an entry fails.
class PagingMachine {
 public:
  /// One command that copies between an aperture over a scattered ADL of 4 KiB pages and VRAM, by physical addresses.
  /// The IOTLB holds all pages and is warm.
  struct Link {
    bool in = true;  ///< host memory to VRAM; else back
    uint64_t bytes = 2 << 20;
    double seconds = 0;         ///< out: from the doorbell to the interrupt at the CPU
    uint64_t iotlb_misses = 0;  ///< out: in that time
  };
  static sim::MachineConfig LinkConfig();
  static void MeasureLink(Link& link);

  /// Copies of `pages` (at most 256) each from host memory to VRAM, by virtual addresses, through scattered 4 KiB pages
  /// in the GPU's and the IOMMU's page tables.
  struct Load {
    unsigned copies = 1;
    unsigned pages = 256;
    bool checker = true;  ///< every translation is compared with the reference walk
  };
  struct Speed {
    uint64_t cycles;  ///< that the RTL executed
    double seconds;   ///< of processor time
    double bus_load;  ///< bytes / (bus bytes * cycles)
  };
  static Speed MeasureSpeed(const Load& load);
};

}  // namespace gmmu::bench
