// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>

#include "os/miniport/geometry.h"
#include "os/tables/table_update.h"

namespace gmmu::os {

/// Which entries of 4 KiB are in use, by block of 64 KiB. With entries of level 1 in pairs only: there the 64 KiB
/// entry of a block or its sixteen 4 KiB entries may be in use, never both.
class SmallPages {
 public:
  explicit SmallPages(const Geometry& geometry) : geometry_(geometry) {}

  bool AnyIn(uint64_t block) const { return blocks_.count(block) != 0; }
  /// An update of 4 KiB entries is done.
  void Note(const TableUpdate& update);
  /// Every entry of the leaf table is in use.
  void NoteAll(uint64_t leaf) {
    if (!geometry_.dual) return;
    for (uint64_t block = leaf * BlocksOfLeaf(); block < (leaf + 1) * BlocksOfLeaf(); ++block) blocks_[block] = 0xFFFF;
  }
  /// The leaf table is gone.
  void Forget(uint64_t leaf) {
    blocks_.erase(blocks_.lower_bound(leaf * BlocksOfLeaf()), blocks_.lower_bound((leaf + 1) * BlocksOfLeaf()));
  }
  void Clear() { blocks_.clear(); }

 private:
  uint64_t BlocksOfLeaf() const { return geometry_.Coverage(0) / kBytesOf64k; }

  const Geometry& geometry_;
  std::map<uint64_t, uint16_t> blocks_;  // a bit for each page; no block without a bit set
};

}  // namespace gmmu::os
