// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/d3dkmddi_paging.h"
#include "kmd/contiguous_blocks.h"
#include "kmd/entry_format.h"

namespace gmmu::kmd {

/// The hardware entries that one UPDATE_PAGE_TABLE writes, made one by one (the abstract ones are
/// readable during the call only, and the caller's stack is small).
class TableSource {
 public:
  explicit TableSource(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& op) : op_(op) {}

  uint32_t count() const { return op_.NumPageTableEntries; }
  /// Every entry has a hardware form.
  [[nodiscard]] bool Legal() const;
  /// Entry i of the call, 0 <= i < count.
  uint64_t Entry(uint32_t i) const;
  /// Entries from i on, at most `most`, of which each adds the same `*step` to the one before.
  uint32_t Run(uint32_t i, uint32_t most, uint64_t* step) const;

  /// Leaf entries of blocks that qualify get the contiguous bit from now on.
  void MarkContiguous() { mark_ = op_.PageTableLevel == 0 && !op_.Flags.Repeat; }
  /// The aligned block of sixteen whose first entry is entry i of the call lies in the call and is
  /// contiguous: valid pages of equal attributes in one aligned 64 KiB.
  bool IsContiguousBlock(uint32_t i) const;

 private:
  const DXGK_PTE& Pte(uint32_t i) const { return op_.pPageTableEntries[op_.Flags.Repeat ? 0 : i]; }
  regs::PteEntry Plain(uint32_t i) const;

  const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& op_;
  bool mark_ = false;
  mutable uint32_t judged_ = ~0u;  ///< first entry of the block judged last
  mutable bool verdict_ = false;
};

}  // namespace gmmu::kmd
