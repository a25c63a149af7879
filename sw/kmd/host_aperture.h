// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hw/gmmu_regs.h"
#include "kmd/registers.h"
#include "kmd/segments.h"

namespace gmmu::kmd {

/// The CPU host aperture: the last pages of BAR 2, at each of which the CPU can access any page of
/// VRAM. The object keeps a copy of the entries, because the hardware loses them with its power.
///
/// The caller serializes calls for the same entry.
class HostAperture {
 public:
  static constexpr uint32_t kMostLg2 = 8;  ///< log2 of the largest number of entries that the driver supports

  /// `built` is the hardware's capability register, `window_bytes` the size of BAR 2. Returns false if the hardware has
  /// no host aperture, or one that the driver does not support. All entries are then invalid.
  bool Initialize(regs::Cap2 built, uint64_t window_bytes);
  /// Writes all entries and turns the aperture on.
  void Restore(const Registers& registers) const;
  /// Sets an entry. `registers` may be null if the hardware has no power.
  void Set(const Registers* registers, uint32_t index, regs::HostApertureEntry entry);

  uint64_t pages() const { return pages_; }
  uint64_t bytes() const { return pages_ * kPage; }
  uint64_t offset() const { return offset_; }  ///< byte offset in BAR 2

 private:
  uint64_t pages_ = 0, offset_ = 0;
  regs::HostApertureEntry entries_[size_t{1} << kMostLg2];
};

}  // namespace gmmu::kmd
