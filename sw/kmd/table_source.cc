// SPDX-License-Identifier: Apache-2.0
#include "kmd/table_source.h"

#include <algorithm>

namespace gmmu::kmd {

regs::PteEntry TableSource::Plain(uint32_t i) const {
  regs::PteEntry entry;
  const bool legal = ToHardware(Pte(i), op_.PageTableLevel, false, &entry);
  return legal ? entry : regs::PteEntry{};
}

bool TableSource::Legal() const {
  const uint32_t distinct = op_.Flags.Repeat ? std::min(1u, count()) : count();
  regs::PteEntry unused;
  for (uint32_t i = 0; i < distinct; ++i) {
    if (!ToHardware(Pte(i), op_.PageTableLevel, false, &unused)) return false;
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
  if (in_block > i) return entry.raw;  // the block begins before the call
  const uint32_t block = i - in_block;
  if (block != judged_) {
    judged_ = block;
    verdict_ = IsContiguousBlock(block);
  }
  return entry.set_contiguous(verdict_).raw;
}

uint32_t TableSource::Run(uint32_t i, uint32_t most, uint64_t* step) const {
  *step = 0;
  if (op_.Flags.Repeat) return std::min(most, count() - i);
  uint32_t length = 1;
  uint64_t last = Entry(i);
  while (length < most && i + length < count()) {
    const uint64_t next = Entry(i + length);
    if (length == 1)
      *step = next - last;
    else if (next - last != *step)
      break;
    last = next;
    ++length;
  }
  return length;
}

}  // namespace gmmu::kmd
