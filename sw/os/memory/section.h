// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "os/hal/pages.h"

namespace gmmu::os {

/// A section backed by the page file. Its pages are in memory only while an ADL or a view holds
/// them.
///
/// All pages are committed from the start: pages that are not in memory are charged to the page
/// allocator as a commit charge. A page is paged out as soon as its last hold is released, and is
/// paged in again at a different address, which exposes code that uses memory without a hold.
class Section {
 public:
  Section(PageAllocator& pages, hw::HostRam& ram, uint64_t count, std::string owner, std::string created_by);
  ~Section();
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;
  /// False if the commit limit left no room for the section. The section must then not be used.
  bool committed() const { return committed_; }

  uint64_t count() const { return slots_.size(); }
  /// Pages in [first, first + count) and keeps the pages in memory until the matching Release.
  /// Holds are counted per page. Returns false and holds nothing if no memory is left.
  bool Hold(uint64_t first, uint64_t count);
  void Release(uint64_t first, uint64_t count);
  /// Host physical page numbers; kAway for pages without a hold.
  static constexpr uint64_t kAway = ~uint64_t{0};
  const std::vector<uint64_t>& pfns() const { return pfns_; }

 private:
  struct Slot {
    unsigned holds = 0;
    std::vector<uint8_t> file;  // contents in the page file; empty if all zero
  };
  bool BringIn(uint64_t index);
  void TakeOut(uint64_t index);
  void Recharge();

  PageAllocator& pages_;
  hw::HostRam& ram_;
  std::string owner_, created_by_;
  const bool committed_;
  std::vector<Slot> slots_;
  std::vector<uint64_t> pfns_;
};

}  // namespace gmmu::os
