// SPDX-License-Identifier: Apache-2.0
#include "kmd/build/table_source.h"

#include <algorithm>

#include "kmd/segments.h"

namespace gmmu::kmd {

// Flags.Use64KBPages is relevant for leaf tables only. Above level 0, each entry states the kind of
// table that it points to (Windows build 26100 does not set the flag when it updates an entry that
// points to a 64 KiB leaf table).
TableSource::TableSource(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& op, const Parameters& parameters, uint32_t own,
                         const HiddenPages& hidden, uint64_t system_page)
    : op_(op), own_(own), hidden_(hidden), system_page_(system_page) {
  const uint32_t level = op.PageTableLevel;
  if (level >= parameters.page_table_levels) return;
  uint32_t bits = parameters.page_table_bits[level];
  if (level == 0 && op.Flags.Use64KBPages) {
    if (!parameters.leaf_64k) return;
    form_ = EntryForm::kLeaf64k;
    bits -= kPagesOf64kLg2;
  } else if (level == 1 && parameters.leaf_64k && !parameters.dual_pte) {
    form_ = EntryForm::kSingle;
  }
  most_ = uint64_t{1} << bits;
  words_ = parameters.EntryWords(level);
}

bool TableSource::Convert(uint32_t i, regs::PteEntry* entry) const {
  const uint32_t at = op_.Flags.Repeat ? 0 : i / words_;
  const auto convert = [&](const DXGK_PTE& pte, uint32_t level, EntryForm form) {
    return ToHardware(pte, level, form, false, entry, own_, hidden_, system_page_);
  };
  if (words_ == 1) return convert(op_.pPageTableEntries[at], op_.PageTableLevel, form_);
  if (i % 2 == 0) return convert(op_.pPageTableEntries[at], 1, EntryForm::kHalf4k);
  return convert(op_.pPageTableEntries64KB[at], 1, EntryForm::kHalf64k);
}

regs::PteEntry TableSource::Plain(uint32_t i) const {
  regs::PteEntry entry;
  return Convert(i, &entry) ? entry : regs::PteEntry{};
}

bool TableSource::Legal() const {
  if (uint64_t{op_.StartIndex} + op_.NumPageTableEntries > most_ || op_.pPageTableEntries == nullptr) return false;
  if (words_ == 2 && op_.pPageTableEntries64KB == nullptr) return false;
  const uint32_t distinct = op_.Flags.Repeat ? std::min(words_, count()) : count();
  regs::PteEntry unused;
  for (uint32_t i = 0; i < distinct; ++i) {
    if (!Convert(i, &unused)) return false;
  }
  return true;
}

bool TableSource::IsContiguousBlock(uint32_t i) const {
  constexpr uint32_t kEntries = ContiguousBlocks::kEntries;
  if (!mark_ || i + kEntries > count()) return false;
  const regs::PteEntry first = Plain(i);
  if (!first.valid() || first.zero() || first.page() % kEntries != 0) return false;
  for (uint32_t k = 1; k < kEntries; ++k) {
    if (Plain(i + k).raw != first.raw + k * kNextPage) return false;
  }
  return true;
}

uint64_t TableSource::Entry(uint32_t i) const {
  regs::PteEntry entry = Plain(i);
  if (!mark_) return entry.raw;
  const uint32_t in_block = (op_.StartIndex + i) % ContiguousBlocks::kEntries;
  if (in_block > i) return entry.raw;  // not complete: the block starts before the call's entries
  const uint32_t block = i - in_block;
  if (block != judged_) {
    judged_ = block;
    verdict_ = IsContiguousBlock(block);
  }
  return entry.set_contiguous(verdict_).raw;
}

uint32_t TableSource::Run(uint32_t i, uint32_t most, uint64_t* step) const {
  *step = 0;
  if (op_.Flags.Repeat && (words_ == 1 || Entry(0) == Entry(1))) return std::min(most, count() - i);
  uint32_t length = 1;
  uint64_t last = Entry(i);
  while (length < most && i + length < count()) {
    const uint64_t next = Entry(i + length);
    if (length == 1) *step = next - last;
    else if (next - last != *step) break;
    last = next;
    ++length;
  }
  return length;
}

}  // namespace gmmu::kmd
