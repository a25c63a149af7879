// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace gmmu::os {

inline constexpr uint64_t kPagesOf64k = 16;  ///< number of 4 KiB pages in a 64 KiB page
inline constexpr uint64_t kBytesOf64k = 65536;

/// One level of the GPU's page tables, from the driver's DXGK_PAGE_TABLE_LEVEL_DESC.
struct LevelDescriptor {
  unsigned index_bits = 0;
  unsigned segment = 0;         ///< segment of process page tables; 0: system memory, whatever its id
  unsigned paging_segment = 0;  ///< segment of the paging process's page tables
  uint64_t bytes = 0;
  uint64_t alignment = 0;
};

/// Shape of a GPU address space. Level 0 is the leaf level.
struct Geometry {
  std::vector<LevelDescriptor> levels;
  unsigned va_bits = 0;
  /// Size in bytes of a leaf table of 64 KiB entries
  /// (DXGK_GPUMMUCAPS.LeafPageTableSizeFor64KPagesInBytes); 0 if no segment has 64 KiB pages.
  uint64_t leaf_64k_bytes = 0;
  /// Two-level trees only: number of entries of a process's initial root, which can grow; 0 means the maximum.
  uint64_t first_root_entries = 0;
  bool dual = false;  ///< a level-1 entry can point to a leaf table of each page size (DualPteSupported)

  unsigned count() const { return static_cast<unsigned>(levels.size()); }
  /// Lowest VA bit of the index into a level-`level` table.
  unsigned Shift(unsigned level) const {
    unsigned shift = 12;
    for (unsigned below = 0; below < level; ++below) shift += levels[below].index_bits;
    return shift;
  }
  /// Size in bytes of the VA range that a level-`level` table covers.
  uint64_t Coverage(unsigned level) const { return uint64_t{1} << (Shift(level) + levels[level].index_bits); }
  uint64_t Entries(unsigned level) const { return uint64_t{1} << levels[level].index_bits; }
  uint64_t Index(unsigned level, uint64_t va) const { return (va >> Shift(level)) & (Entries(level) - 1); }
};

}  // namespace gmmu::os
