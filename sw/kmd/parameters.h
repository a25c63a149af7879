// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "ddi/d3dkmddi.h"

namespace gmmu::kmd {

/// The values that a user can set in the driver's registry key. driver.def lists each member with
/// its value's name, default and meaning. A missing value leaves the default.
struct Parameters {
#define NUMBER(key, Value, initial, unit, min, max, text) uint64_t key = initial;
#define BYTES(key, member, Value, lg2, initial, unit, min, max, text) uint64_t member = uint64_t{initial} << lg2;
#define SWITCH(key, Value, initial, text) bool key = initial;
#define CHOICE(key, member, Value, initial, text, ...) uint64_t member = initial;
#define LEVELS(key, Value, unit, min, max, text) std::array<uint64_t, DXGK_MAX_PAGE_TABLE_LEVEL_COUNT> key{};
#define NO_KEY(member, Value, initial, text) uint64_t member = initial;
#include "kmd/driver.def"
  /// Index bits per level, 1 to 13, leaf first. The width of a GPU VA is 12 plus their sum.
  std::array<uint32_t, DXGK_MAX_PAGE_TABLE_LEVEL_COUNT> page_table_bits{9, 9, 9, 9, 0, 0};

  uint32_t va_bits() const;
  uint64_t TableBytes(uint32_t level) const;  ///< whole pages
  uint64_t LeafCoverage() const { return uint64_t{4096} << page_table_bits[0]; }
  uint64_t BaseOf(uint32_t segment) const { return segment == 1 ? aperture_base : segment == 2 ? vram_base : 0; }
  uint64_t Leaf64kTableBytes() const;  ///< 0 when the driver has no leaf tables of 64 KiB entries
  /// Number of 8-byte hardware words per entry of a level-`level` table.
  uint32_t EntryWords(uint32_t level) const { return dual_pte && level == 1 ? 2 : 1; }
  /// True if system memory is allocated through the GPU isolation callbacks. A driver with DMA
  /// remapping cannot use them, except before WDDM 2.9, when no other callbacks existed.
  bool isolation_callbacks() const {
    return isolation && (!dma_remapping || interface_version < DXGKDDI_INTERFACE_VERSION_WDDM2_9);
  }
  /// Page size of the segment that holds page tables.
  uint64_t TablePage() const;

  /// Reads the registry key. Returns false and changes nothing if a value is out of range. A linked
  /// adapter reads the key a second time, with its index, because values named
  /// "Adapter<index><Name>" apply to that adapter only.
  [[nodiscard]] bool Read();
  [[nodiscard]] bool Read(uint32_t index);

 private:
  /// Disables features that interface_version lacks.
  void SwitchOff();
};

}  // namespace gmmu::kmd
