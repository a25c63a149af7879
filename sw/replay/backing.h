// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gmmu::replay {

/// Statistics of the memory that backs a workload's pages.
struct BackingFacts {
  uint64_t touched_pages = 0;  ///< 4 KiB pages that the workload touches
  uint64_t pieces = 0;         ///< pieces of piece_bytes that contain a touched page
  uint64_t piece_bytes = 0;    ///< 65536, or the size of a large page
  uint64_t whole_pieces = 0;   ///< pieces that one TLB entry can translate; 0 for system memory (not known)
  uint64_t regions = 0;        ///< regions of region_bytes, the coverage of a leaf table
  uint64_t region_bytes = 0;
  uint64_t va = 0;  ///< GPU VA of the first region
};

}  // namespace gmmu::replay
