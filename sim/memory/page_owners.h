// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "hw/platform.h"

namespace gmmu::sim {

/// Records which host physical pages have an owner, as reported by the operating system (hw::Instruments::NotePages),
/// and detects device accesses to all other pages. A device must not reach freed memory, whatever the IOMMU or the
/// device still caches.
///
/// Accesses are not checked until the first Note.
class PageOwners {
 public:
  static constexpr size_t kMostFindings = 64;

  /// Records that pages [first, first + count) now have an owner, or no longer have one.
  void Note(uint64_t first, uint64_t count, bool owned);
  /// Checks a device access, inside one page, that has reached memory at `hpa`.
  void Access(uint64_t hpa, bool write) {
    const uint64_t page = hpa / hw::kPageSize;
    if (!watching_ || page == last_) return;
    if (owned_.count(page) == 0) return Found(hpa, write);
    last_ = page;
  }
  /// Returns the first kMostFindings findings, all of probe "host_pages".
  const std::vector<hw::Finding>& findings() const { return findings_; }

 private:
  void Found(uint64_t hpa, bool write);

  bool watching_ = false;
  std::unordered_set<uint64_t> owned_;
  uint64_t last_ = ~uint64_t{0};  ///< the owned page that was accessed last
  std::vector<hw::Finding> findings_;
};

}  // namespace gmmu::sim
