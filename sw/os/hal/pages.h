// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hw/host_ram.h"
#include "hw/platform.h"
#include "os/base/ledger.h"
#include "os/base/random.h"

namespace gmmu::os {

/// Allocates physical pages at pseudo-random places in all of the machine's RAM.
///
/// Pages are host physical page numbers. The first MiB belongs to firmware and is never allocated.
/// Bounds are byte addresses, [low, high). If `ram` is given, reused pages are filled with zeros
/// unless set_zeroing is off; otherwise they contain their previous owner's data.
class PageAllocator {
 public:
  /// `instruments`, which may be null, is notified when a page is allocated or freed.
  PageAllocator(std::vector<hw::Range> installed, uint64_t seed, Ledger& ledger, hw::HostRam* ram = nullptr,
                hw::Instruments* instruments = nullptr);

  /// Adds memory, which must be above all installed memory. It counts as installed from then on.
  void Add(const hw::Range& bytes);

  /// Allocates `count` pages at random places, or in blocks (set_block). Returns nullopt and
  /// changes nothing if there are too few free pages.
  std::optional<std::vector<uint64_t>> AllocateScattered(size_t count, uint64_t low, uint64_t high,
                                                         const std::string& owner, const std::string& created_by);
  /// Makes AllocateScattered allocate consecutive pages in aligned blocks of `pages` (a power of
  /// two) at random places, as long as it finds free blocks. If `pages` is 1, each page is placed
  /// at random.
  void set_block(uint64_t pages) { block_pages_ = pages; }
  /// Sets whether reused pages are filled with zeros or keep their previous owner's data
  /// (MM_DONT_ZERO_ALLOCATION).
  void set_zeroing(bool on) { zeroing_ = on; }
  /// True if memory may contain old data, that is, if a page was freed and has not been filled with
  /// zeros since.
  bool used_before() const { return !dirty_.empty(); }
  /// Allocates `count` consecutive pages, and returns the first page number, a multiple of
  /// `alignment`. The range never crosses a multiple of `boundary` (bytes, a power of two, 0:
  /// none).
  std::optional<uint64_t> AllocateContiguous(size_t count, uint64_t low, uint64_t high, uint64_t boundary,
                                             const std::string& owner, const std::string& created_by,
                                             uint64_t alignment = 1);
  /// Allocates one page at a random place. Throws OsError if no page is free.
  uint64_t AllocatePage(const std::string& owner, const std::string& created_by);

  /// Sets the commit limit to the installed memory plus a page file of `pages` pages.
  void set_page_file(uint64_t pages) { page_file_ = pages; }
  /// Commits `pages` that are not in memory: they count as used, although no page is allocated yet.
  /// Returns false if the total would exceed the commit limit. Discharge them when they are brought
  /// into memory or are no longer needed.
  [[nodiscard]] bool Charge(uint64_t pages);
  void Discharge(uint64_t pages) { charged_ -= pages; }

  /// Frees the page. Triggers a bug check if it is not allocated or is still pinned.
  void Free(uint64_t pfn);
  void Free(const std::vector<uint64_t>& pfns);

  /// A pinned page cannot be freed; pins nest.
  void Pin(uint64_t pfn, const std::string& owner, const std::string& created_by);
  void Unpin(uint64_t pfn);

  bool Allocated(uint64_t pfn) const { return pages_.count(pfn) != 0; }
  /// Returns the owner for which the page was allocated, or "" if it is not allocated.
  std::string OwnerOf(uint64_t pfn) const;

  uint64_t installed_pages() const { return total_; }
  size_t allocated() const { return pages_.size(); }
  const std::vector<hw::Range>& ranges() const { return ram_; }  ///< page ranges from which pages are allocated
  /// Returns the address after the highest installed byte.
  uint64_t end() const;

 private:
  struct Page {
    Ledger::Ticket ticket;
    std::vector<Ledger::Ticket> pins;
  };
  /// Returns the usable ranges within [low, high), in pages.
  std::vector<hw::Range> Candidates(uint64_t low, uint64_t high) const;
  std::optional<uint64_t> NextOfBlock(const std::vector<hw::Range>& ranges);
  std::optional<std::vector<uint64_t>> Draw(size_t count, uint64_t low, uint64_t high, bool blocks,
                                            const std::string& owner, const std::string& created_by);
  uint64_t committable() const { return total_ + page_file_ - charged_ - pages_.size(); }
  void Take(uint64_t pfn, const std::string& owner, const std::string& created_by);

  std::vector<hw::Range> ram_;  // pages
  uint64_t total_ = 0;
  uint64_t page_file_ = 0, charged_ = 0;
  uint64_t block_pages_ = 1;
  hw::Range open_block_{0, 0};  ///< pages that are left in the current block
  std::unordered_map<uint64_t, Page> pages_;
  std::unordered_set<uint64_t> dirty_;  // freed pages that have not been filled with zeros
  bool zeroing_ = true;
  Random random_;
  Ledger& ledger_;
  hw::HostRam* memory_;
  hw::Instruments* instruments_;
};

}  // namespace gmmu::os
