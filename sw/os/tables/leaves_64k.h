// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "os/tables/page_table.h"

namespace gmmu::os {

class TableMemory;

/// A leaf table of 64 KiB entries and what they say.
struct Leaf64k {
  PageTable table;
  std::vector<HeldEntry> entries;
};

/// The leaf tables of 64 KiB entries of one process, by the index of the leaf table (va / coverage). With single
/// entries of level 1 such a table stands in the place of one of 4 KiB entries, with pairs it may stand beside one.
class Leaves64k {
 public:
  Leaves64k(const Geometry& geometry, TableMemory& memory) : geometry_(geometry), memory_(memory) {}

  /// The page at `va` has, or is to have, an entry of 64 KiB.
  bool Is64k(uint64_t va) const;
  /// One of these pages has.
  bool Any64k(uint64_t va, uint64_t pages) const;

  /// Null: there is none.
  const Leaf64k* Find(uint64_t leaf) const;
  /// There is one with an index of [first, end).
  bool AnyIn(uint64_t first, uint64_t end) const;
  const std::map<uint64_t, Leaf64k>& all() const { return leaves_; }

  /// Makes the table, which is missing; its memory has no contents yet (Initialise).
  const Leaf64k& Make(uint64_t leaf);
  /// The same for one that must say `entries`.
  const Leaf64k& Make(uint64_t leaf, std::vector<HeldEntry> entries);
  /// Puts the table elsewhere; returns the old one.
  PageTable Replace(uint64_t leaf, PageTable table) { return std::exchange(leaves_.at(leaf).table, std::move(table)); }
  /// Takes the table out.
  Leaf64k Take(uint64_t leaf);

  /// Makes all entries of a new table invalid.
  void Initialise(uint64_t leaf, const UpdateSink& sink) const;
  /// Does an update of whole blocks, given as one of 4 KiB entries, with the 64 KiB entries of their table.
  void Put(TableUpdate update, const UpdateSink& sink);

 private:
  const Geometry& geometry_;
  TableMemory& memory_;
  std::map<uint64_t, Leaf64k> leaves_;
};

}  // namespace gmmu::os
