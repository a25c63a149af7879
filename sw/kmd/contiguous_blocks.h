// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "hw/gmmu_regs.h"

namespace gmmu::kmd {

/// Records which aligned blocks of sixteen leaf entries carry the contiguous bit.
///
/// The bit is valid only if it is set in all sixteen entries, so an update of some of them must
/// first clear the bit in all sixteen. Tables cannot be read while paging buffers are built,
/// because earlier updates may still be queued. This record follows the build order, which is also
/// the execution order. A block is identified by the address of its first entry. The first entry
/// determines the block's other entries: entry k maps the page that is k pages further.
class ContiguousBlocks {
 public:
  static constexpr uint32_t kEntries = 16;

  struct Block {
    regs::Target target;
    uint64_t address;  ///< address of the block's first entry
  };

  void Mark(Block block, regs::PteEntry first) { marked_[Key(block)] = first.raw; }
  void Forget(Block block) { marked_.erase(Key(block)); }
  void ForgetAll() { marked_.clear(); }
  /// Returns the first entry of a marked block, with the contiguous bit set.
  std::optional<regs::PteEntry> Find(Block block) const {
    const auto found = marked_.find(Key(block));
    if (found == marked_.end()) return std::nullopt;
    regs::PteEntry entry;
    entry.raw = found->second;
    return entry;
  }

 private:
  static uint64_t Key(Block block) { return block.address | static_cast<uint64_t>(block.target); }
  std::unordered_map<uint64_t, uint64_t> marked_;
};

}  // namespace gmmu::kmd
