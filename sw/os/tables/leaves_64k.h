// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "os/miniport/geometry.h"
#include "os/tables/page_table.h"

namespace gmmu::os {

class TableMemory;

/// A leaf table of 64 KiB entries and a copy of its entries.
struct Leaf64k {
  PageTable table;
  std::vector<HeldEntry> entries;
};

/// One process's leaf tables of 64 KiB entries, keyed by leaf index (va / coverage). If level-1
/// entries are single, a leaf index has either such a table or a table of 4 KiB entries. If level-1
/// entries are pairs, it can have both.
class Leaves64k {
 public:
  Leaves64k(const Geometry& geometry, TableMemory& memory) : geometry_(geometry), memory_(memory) {}

  /// True if the page at `va` has a 64 KiB entry or, if level-1 entries are single, is covered by a
  /// leaf table of 64 KiB entries.
  bool Is64k(uint64_t va) const;
  /// True if Is64k is true for any of the pages.
  bool Any64k(uint64_t va, uint64_t pages) const;

  /// Returns the table with index `leaf`, or null if it does not exist.
  const Leaf64k* Find(uint64_t leaf) const;
  /// True if a table with an index in [first, end) exists.
  bool AnyIn(uint64_t first, uint64_t end) const;
  const std::map<uint64_t, Leaf64k>& all() const { return leaves_; }

  /// Allocates the table, which must not exist yet. Its contents are undefined until Initialise is
  /// called.
  const Leaf64k& Make(uint64_t leaf);
  /// Allocates the table, which must not exist yet, and records `entries` as its entries.
  const Leaf64k& Make(uint64_t leaf, std::vector<HeldEntry> entries);
  /// Installs `table` at index `leaf` and returns the previous table.
  PageTable Replace(uint64_t leaf, PageTable table) { return std::exchange(leaves_.at(leaf).table, std::move(table)); }
  /// Removes the table and returns it.
  Leaf64k Take(uint64_t leaf);

  /// Sends an update that makes all entries of the new table invalid.
  void Initialise(uint64_t leaf, const UpdateSink& sink) const;
  /// Writes 64 KiB entries. `update` contains the equivalent 4 KiB entries and must cover whole 64
  /// KiB blocks.
  void Put(TableUpdate update, const UpdateSink& sink);

 private:
  const Geometry& geometry_;
  TableMemory& memory_;
  std::map<uint64_t, Leaf64k> leaves_;
};

/// Records which 4 KiB entries of each 64 KiB block are in use. It is needed only if level-1
/// entries are pairs. Either the 64 KiB entry of a block or its sixteen 4 KiB entries may be in
/// use, never both.
class SmallPages {
 public:
  explicit SmallPages(const Geometry& geometry) : geometry_(geometry) {}

  bool AnyIn(uint64_t block) const { return blocks_.count(block) != 0; }
  /// Records an update of 4 KiB entries.
  void Note(const TableUpdate& update);
  /// Records that every entry of the leaf table is in use.
  void NoteAll(uint64_t leaf) {
    if (!geometry_.dual) return;
    for (uint64_t block = leaf * BlocksOfLeaf(); block < (leaf + 1) * BlocksOfLeaf(); ++block) blocks_[block] = 0xFFFF;
  }
  /// Removes the record of the leaf table.
  void Forget(uint64_t leaf) {
    blocks_.erase(blocks_.lower_bound(leaf * BlocksOfLeaf()), blocks_.lower_bound((leaf + 1) * BlocksOfLeaf()));
  }
  void Clear() { blocks_.clear(); }

 private:
  uint64_t BlocksOfLeaf() const { return geometry_.Coverage(0) / kBytesOf64k; }

  const Geometry& geometry_;
  std::map<uint64_t, uint16_t> blocks_;  // one bit per page; blocks without a set bit are erased
};

}  // namespace gmmu::os
