// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gmmu::replay {

/// The memory of a workload's pages.
struct BackingFacts {
  uint64_t touched_pages = 0;  ///< of 4 KiB
  uint64_t pieces = 0;         ///< of piece_bytes, each holds a touched page
  uint64_t piece_bytes = 0;    ///< 65536, or that of a large page
  uint64_t whole_pieces = 0;   ///< of them, that one TLB entry can hold; system memory: not known, 0
  uint64_t regions = 0;        ///< of region_bytes, which is how much a leaf table covers
  uint64_t region_bytes = 0;
  uint64_t va = 0;  ///< of the first region
};

}  // namespace gmmu::replay
