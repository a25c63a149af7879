// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "hw/platform.h"

namespace gmmu::sim {

/// Which host physical pages somebody has, as the operating system says (hw::Instruments::NotePages), and the device
/// accesses that reached others: memory that was given back is out of every device's reach by then, whatever the IOMMU
/// or the device still holds.
///
/// Nothing is looked at before the first Note.
class PageOwners {
 public:
  static constexpr size_t kMostFindings = 64;

  /// Pages [first, first + count) have an owner from now on, or none.
  void Note(uint64_t first, uint64_t count, bool owned);
  /// A device's access that has reached memory at `hpa`, inside of a page.
  void Access(uint64_t hpa, bool write) {
    if (told_ && owned_.count(hpa / hw::kPageSize) == 0) Found(hpa, write);
  }
  /// Probe "host_pages"; the first ones.
  const std::vector<hw::Finding>& findings() const { return findings_; }

 private:
  void Found(uint64_t hpa, bool write);

  bool told_ = false;
  std::unordered_set<uint64_t> owned_;
  std::vector<hw::Finding> findings_;
};

}  // namespace gmmu::sim
