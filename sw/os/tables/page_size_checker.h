// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "os/miniport/geometry.h"
#include "os/tables/leaf_changes.h"

namespace gmmu::os {

/// Checks the updates that VidMm sends for one process's tables against the rules for 64 KiB pages.
/// The rules come from the documentation of GPU virtual addresses ("64 KB pages"); they have not
/// been observed on Windows. "pairs" and "single" refer to the level-1 entries:
///   pairs   In a 64 KiB block, either the 64 KiB entry or 4 KiB entries are in use, never both.
///           The block is flushed between the invalidation of entries of one size and the writing
///           of entries of the other size (docs/page-tables.md).
///   single  A level-1 entry changes from a 64 KiB leaf table to a 4 KiB leaf table only while the
///           process's contexts are suspended, and only if, for each block whose 64 KiB entry is in
///           use, all sixteen entries of the new table are in use. It never changes back.
///   both    A conversion or a move writes the level-1 entry last. If an entry maps an allocation
///           in a memory segment with 64 KiB pages, the low 16 bits of the virtual and the physical
///           address are equal.
/// An entry is in use if Valid or Zero is set in it. Breaking a rule is a bug in VidMm and triggers
/// a bug check that names the rule.
class PageSizeChecker {
 public:
  /// `segments`: bit n is set if segment n is a memory segment with 64 KiB pages.
  PageSizeChecker(const Geometry& geometry, uint64_t segments, std::string name)
      : geometry_(geometry), segments_(segments), name_(std::move(name)) {}

  // Call at the start and at the end of a change between 64 KiB pages and 4 KiB pages (LeafChanges::Hooks).
  void Begin(LeafChange change);
  void End() { changing_ = false; }
  /// Call when the process's contexts have been suspended (true) or resumed (false).
  void set_suspended(bool suspended) { suspended_ = suspended; }
  /// Call with each update, in the order in which VidMm sends them.
  void Note(const TableUpdate& update);
  /// Call with each FLUSH_TLB of [start, end). If both are 0, it flushes all addresses.
  void NoteFlush(uint64_t start, uint64_t end);

 private:
  void NoteLeaf(const TableUpdate& update);
  void NoteLink(uint64_t slot, const DXGK_PTE& entry, const DXGK_PTE& entry_64k, bool initial);
  void Convert(uint64_t slot);
  /// Forgets the entries of `count` blocks, starting at `block`: their 4 KiB entries if `small` is
  /// true, and their 64 KiB entries if `large` is true.
  void Forget(uint64_t block, uint64_t count, bool small, bool large);
  [[noreturn]] void Broken(const std::string& rule, uint64_t va) const;
  uint64_t BlocksOfLeaf() const { return geometry_.Entries(0) / kPagesOf64k; }

  const Geometry& geometry_;
  const uint64_t segments_;
  const std::string name_;
  bool suspended_ = false;
  bool changing_ = false;
  LeafChange change_ = LeafChange::kMove;
  bool upper_written_ = false;          // level 1 has been written since Begin
  std::map<uint64_t, uint16_t> small_;  // by block: a bit per page, set if its 4 KiB entry is used
  std::set<uint64_t> large_;            // blocks whose 64 KiB entry is in use
  // Like small_ and large_, for entries that are no longer in use but have not been flushed yet.
  std::map<uint64_t, uint16_t> was_small_;
  std::set<uint64_t> was_large_;
  // By leaf, if level-1 entries are single: true if the table has 64 KiB entries.
  std::map<uint64_t, bool> kinds_;
};

}  // namespace gmmu::os
