// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace gmmu::os {

/// One level of the GPU's page tables as the driver describes it (DXGK_PAGE_TABLE_LEVEL_DESC).
struct LevelDescriptor {
  unsigned index_bits = 0;
  unsigned segment = 0;         ///< of tables of processes; 0: system memory
  unsigned paging_segment = 0;  ///< of tables of the paging process
  uint64_t bytes = 0;
  uint64_t alignment = 0;
};

/// Shape of a GPU address space. Level 0 is the leaf level.
struct Geometry {
  std::vector<LevelDescriptor> levels;
  unsigned va_bits = 0;

  unsigned count() const { return static_cast<unsigned>(levels.size()); }
  /// Lowest VA bit that indexes a table of `level`.
  unsigned Shift(unsigned level) const {
    unsigned shift = 12;
    for (unsigned below = 0; below < level; ++below) shift += levels[below].index_bits;
    return shift;
  }
  /// Bytes of VA that one table of `level` covers.
  uint64_t Coverage(unsigned level) const {
    return uint64_t{1} << (Shift(level) + levels[level].index_bits);
  }
  uint64_t Entries(unsigned level) const { return uint64_t{1} << levels[level].index_bits; }
  uint64_t Index(unsigned level, uint64_t va) const {
    return (va >> Shift(level)) & (Entries(level) - 1);
  }
};

}  // namespace gmmu::os
