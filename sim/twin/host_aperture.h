// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "hw/gmmu_regs.h"

namespace gmmu::sim::twin {

/// The CPU host aperture (registers host_aperture and host_aperture_entry): maps pages of BAR 2 to
/// pages of VRAM. Entries keep their values in a reset.
class HostAperture {
 public:
  static constexpr unsigned kLg2 = 8;  ///< log2 of the number of entries

  void Reset() { range_ = {}; }
  void set_range(regs::HostAperture range) {
    range_ = regs::HostAperture().set_enable(range.enable()).set_first(range.first());
  }
  uint64_t range() const { return range_.raw; }
  void Set(regs::HostApertureEntry entry) { entries_[entry.index() % entries_.size()] = entry; }

  /// True if the aperture maps the page of BAR 2 that contains `offset`.
  bool Maps(uint64_t offset) const { return range_.enable() != 0 && offset >> 12 >> kLg2 == range_.first() >> kLg2; }
  /// Returns the VRAM offset of a mapped BAR 2 offset. For an entry that is not valid, the result is
  /// beyond any VRAM.
  uint64_t At(uint64_t offset) const {
    const regs::HostApertureEntry entry = entries_[(offset >> 12) % entries_.size()];
    return entry.valid() == 0 ? ~uint64_t{0} << 12 : (entry.page() << 12) + offset % 4096;
  }

 private:
  regs::HostAperture range_;
  std::array<regs::HostApertureEntry, size_t{1} << kLg2> entries_{};
};

}  // namespace gmmu::sim::twin
