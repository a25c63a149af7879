// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "hw/platform.h"

namespace gmmu::sim {

/// Detects device accesses to host physical pages that have no owner. The operating system reports
/// ownership through hw::Instruments::NotePages. A device must not reach freed memory, whatever
/// translations the IOMMU or the device still caches.
///
/// Accesses are not checked before the first Note.
class PageOwners {
 public:
  static constexpr size_t kMostFindings = 64;

  /// Sets whether pages [first, first + count) have an owner.
  void Note(uint64_t first, uint64_t count, bool owned);
  /// Checks a device access that has reached memory at `hpa` and does not cross a page boundary.
  void Access(uint64_t hpa, bool write) {
    const uint64_t page = hpa / hw::kPageSize;
    if (!watching_ || page == last_) return;
    if (owned_.count(page) == 0) return Found(hpa, write);
    last_ = page;
  }
  /// Returns the first kMostFindings findings. Their probe is "host_pages".
  const std::vector<hw::Finding>& findings() const { return findings_; }

 private:
  void Found(uint64_t hpa, bool write);

  bool watching_ = false;
  std::unordered_set<uint64_t> owned_;
  uint64_t last_ = ~uint64_t{0};  ///< the most recently accessed owned page
  std::vector<hw::Finding> findings_;
};

}  // namespace gmmu::sim
