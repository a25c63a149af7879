// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "iommu/vtd/types.h"

namespace gmmu::sim {

/// A decoded context entry. In caching mode it may be an entry that faults; then `reason` is not
/// kNone and `did` is 0.
struct VtdContext {
  uint16_t sid = 0;
  uint16_t did = 0;
  uint64_t table = 0;   ///< top paging table
  unsigned levels = 0;  ///< 3, 4 or 5
  bool pass_through = false;
  bool fpd = false;
  VtdReason reason = VtdReason::kNone;
};

/// Caches context entries by SID. The cache is fully associative and replaces the least recently used entry.
class VtdContextCache {
 public:
  explicit VtdContextCache(unsigned entries) : capacity_(entries) {}
  const VtdContext* Find(uint16_t sid);
  void Fill(const VtdContext& context);
  size_t DropAll();
  size_t DropDomain(uint16_t did);
  /// Drops the entries of `did` whose SID equals `sid`, ignoring the low bits selected by
  /// `function_mask` (0..3). Every Drop function returns the number of dropped entries.
  size_t DropDevice(uint16_t did, uint16_t sid, unsigned function_mask);

 private:
  const size_t capacity_;
  std::vector<VtdContext> entries_;  ///< most recently used first
};

/// A completed translation. In caching mode it may be a failed one; then `reason` is not kNone, and
/// the entry covers one 4 KiB page and one kind of access.
struct VtdTlbEntry {
  uint16_t did = 0;
  uint8_t level = 1;  ///< 1: 4 KiB, 2: 2 MiB, 3: 1 GiB
  uint64_t page = 0;  ///< first IOVA
  uint64_t hpa = 0;   ///< first host address
  bool read = false, write = false, snoop = false;
  VtdReason reason = VtdReason::kNone;
};

/// The IOTLB, tagged by DID. It is set-associative; for each page size, the page number is the
/// index. A set replaces its least recently used entry.
class VtdIotlb {
 public:
  VtdIotlb(unsigned sets, unsigned ways);
  /// Finds the entry for the access: a translation of any page size, with any permissions, or else
  /// a cached failure for this kind of access. Returns null if there is none.
  const VtdTlbEntry* Find(uint16_t did, uint64_t iova, bool write);
  void Fill(const VtdTlbEntry& entry);
  size_t DropAll();
  size_t DropDomain(uint16_t did);
  /// Drops the entries of `did` that overlap the 2^address_mask pages at `iova`. If `larger` is
  /// false, pages larger than that range are kept.
  size_t DropPages(uint16_t did, uint64_t iova, unsigned address_mask, bool larger);

 private:
  struct Slot {
    bool valid = false;
    uint64_t used = 0;
    VtdTlbEntry entry;
  };
  size_t SetOf(uint16_t did, uint64_t iova, unsigned level) const;
  const VtdTlbEntry* Probe(uint16_t did, uint64_t iova, unsigned level, bool failure, bool write);
  template <typename Condition>
  size_t DropIf(Condition condition);

  const unsigned sets_, ways_;
  std::vector<Slot> slots_;
  uint64_t clock_ = 0;
};

/// A non-leaf entry: the address of the level-`level` table for all IOVAs that share the address
/// bits above that table's index.
struct VtdTableEntry {
  uint16_t did = 0;
  uint8_t level = 1;   ///< level of the table that it points to: 1 .. levels - 1
  uint64_t start = 0;  ///< first IOVA that the table covers
  uint64_t table = 0;
  bool read = false, write = false;  ///< permissions of this and all higher entries, ANDed
};

/// Paging-structure caches, one per table level. Each is fully associative and replaces its least recently used
/// entry.
class VtdTableCache {
 public:
  explicit VtdTableCache(unsigned entries_a_level) : capacity_(entries_a_level) {}
  /// Finds the lowest-level cached table for `iova` that is below level `levels`.
  std::optional<VtdTableEntry> Find(uint16_t did, uint64_t iova, unsigned levels);
  void Fill(const VtdTableEntry& entry);
  size_t DropAll();
  size_t DropDomain(uint16_t did);
  size_t DropPages(uint16_t did, uint64_t iova, unsigned address_mask);

 private:
  const size_t capacity_;
  std::vector<VtdTableEntry> levels_[4];  ///< [level - 1], most recently used first
};

}  // namespace gmmu::sim
