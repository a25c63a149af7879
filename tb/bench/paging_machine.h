// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "host/config.h"

namespace gmmu::bench {

/// The whole co-simulation with minimal software that copies between host memory behind the IOMMU and VRAM. Throws if
/// data is wrong, a probe reports a finding or an entry fails.
class PagingMachine {
 public:
  /// One command that copies between VRAM and the aperture by physical addresses. The aperture maps
  /// an ADL of scattered 4 KiB pages. All pages are already in the IOTLB.
  struct Link {
    bool in = true;  ///< direction: host memory to VRAM; false: VRAM to host memory
    uint64_t bytes = 2 << 20;
    double seconds = 0;         ///< result: from the doorbell to the interrupt at the CPU
    uint64_t iotlb_misses = 0;  ///< result: IOTLB misses in that time
  };
  static sim::MachineConfig LinkConfig();
  static void MeasureLink(Link& link);

  /// Copies from host memory to VRAM by virtual addresses, `pages` (at most 256) pages each. The
  /// GPU's and the IOMMU's page tables map scattered 4 KiB pages.
  struct Load {
    unsigned copies = 1;
    unsigned pages = 256;
    bool checker = true;  ///< compare every translation with the reference walk
  };
  struct Speed {
    uint64_t cycles;  ///< cycles executed by the RTL
    double seconds;   ///< processor time
    double bus_load;  ///< bytes / (bus bytes * cycles)
  };
  static Speed MeasureSpeed(const Load& load);
};

}  // namespace gmmu::bench
