// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/d3dkmddi_paging.h"
#include "kmd/contiguous_blocks.h"
#include "kmd/build/entry_format.h"
#include "kmd/parameters.h"

namespace gmmu::kmd {

/// Converts the entries of one UPDATE_PAGE_TABLE on demand, because the abstract entries are
/// readable only during the call and the caller's stack is small.
class TableSource {
 public:
  /// See ToHardware for `own`, `hidden` and `system_page`.
  TableSource(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& op, const Parameters& parameters, uint32_t own = 0,
              const HiddenPages& hidden = {}, uint64_t system_page = 0);

  /// True if all entries are within the table and each has a hardware form.
  [[nodiscard]] bool Legal() const;
  /// The number of 8-byte words. An entry occupies one word; a pair occupies two (the 4 KiB half first).
  uint32_t count() const { return op_.NumPageTableEntries * words_; }
  /// The index of the call's first word in the table.
  uint32_t start() const { return op_.StartIndex * words_; }
  /// True if the table is a leaf table of 4 KiB entries.
  bool has_pages_of_4k() const { return op_.PageTableLevel == 0 && form_ == EntryForm::kPlain; }
  /// Returns word i of the call, 0 <= i < count.
  uint64_t Entry(uint32_t i) const;
  /// Returns the length of the run that starts at word i, at most `most`. Each word of a run
  /// exceeds the previous one by `*step`.
  uint32_t Run(uint32_t i, uint32_t most, uint64_t* step) const;

  /// Makes later calls to Entry set the contiguous bit in leaf entries of contiguous blocks.
  void MarkContiguous() { mark_ = has_pages_of_4k() && !op_.Flags.Repeat; }
  /// True if entry i of the call starts an aligned block of sixteen that is completely inside the
  /// call and contiguous: valid pages with equal attributes in one aligned 64 KiB.
  bool IsContiguousBlock(uint32_t i) const;

 private:
  /// Converts entry i to the hardware's format; returns false if the hardware has no such entry.
  bool Convert(uint32_t i, regs::PteEntry* entry) const;
  regs::PteEntry Plain(uint32_t i) const;

  const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& op_;
  uint64_t most_ = 0;  ///< number of entries of the table; 0: there is no such table
  uint32_t words_ = 1;
  EntryForm form_ = EntryForm::kPlain;
  const uint32_t own_;
  const HiddenPages hidden_;
  const uint64_t system_page_;
  bool mark_ = false;
  mutable uint32_t judged_ = ~0u;  ///< first entry of the block to which verdict_ applies
  mutable bool verdict_ = false;
};

}  // namespace gmmu::kmd
