// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "twin/policy.h"

namespace gmmu::sim::twin {

/// A TLB shared by all ports. A set consists of blocks; a block has one tag and up to sixteen 4 KiB
/// pages. The class records which pages would be present, not their translations.
class SharedTlb {
 public:
  struct Block {
    uint16_t present = 0;
    unsigned space = 0;
    uint64_t block = 0;
    bool has(unsigned page) const { return (present >> page & 1) != 0; }
  };
  /// The lookup or walk that enters a page.
  struct Filler {
    unsigned port = 0;
    bool prefetch = false;
    uint64_t now_ps = 0;
  };

  /// Constructs a TLB for `entries` pages, in sets of `ways` blocks of `block_pages` pages.
  SharedTlb(unsigned level, unsigned entries, unsigned ways, unsigned block_pages);
  unsigned block_pages() const { return block_pages_; }
  size_t blocks() const { return blocks_.size(); }
  /// Returns the index of the page in its block.
  unsigned Page(uint64_t vpn) const { return static_cast<unsigned>(vpn % block_pages_); }
  /// Returns the block whose tag matches the page, or null.
  Block* Search(unsigned space, uint64_t vpn);
  /// Records a lookup that hit the block.
  void Used(const Block& block, uint64_t now_ps);
  /// Returns the block of the page or, if it is absent, the victim that the policy chooses, or null
  /// if the page must not be entered. Adds the number of replaced pages to `evicted`.
  Block* Place(unsigned space, uint64_t vpn, const Filler& filler, Policy& policy, uint64_t& evicted);
  template <typename Overlaps>
  void Drop(Overlaps overlaps) {
    for (Block& block : blocks_)
      if (overlaps(block.space, block.block * block_pages_)) block.present = 0;
  }

 private:
  uint64_t SetOf(unsigned space, uint64_t vpn) const { return ((vpn / block_pages_) ^ space) & (sets_ - 1); }

  const unsigned level_, block_pages_, sets_, ways_;
  std::vector<Block> blocks_;
  std::vector<TlbLine> lines_;  ///< one per block, with equal index
  unsigned turn_ = 0;           ///< way to replace next
};

}  // namespace gmmu::sim::twin
