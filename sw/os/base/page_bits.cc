// SPDX-License-Identifier: Apache-2.0
#include "os/base/page_bits.h"

#include <algorithm>

namespace gmmu::os {

PageBits::PageBits(uint64_t pages)
    : pages_(pages), words_((pages + kGroup - 1) / kGroup * kWordsOfAGroup), full_(groups() / kWord + 1) {}

uint64_t PageBits::Set(uint64_t first, uint64_t end, bool free) {
  uint64_t changed = 0;
  for (uint64_t at = first; at < end;) {
    const uint64_t next = std::min(end, (at / kWord + 1) * kWord);
    const uint64_t pages = kAllFree >> (kWord - (next - at)) << at % kWord;
    uint64_t& word = words_[at / kWord];
    const uint64_t change = pages & (free ? ~word : word);
    changed += static_cast<uint64_t>(__builtin_popcountll(change));
    word ^= change;
    at = next;
  }
  for (uint64_t group = first / kGroup; group * kGroup < end; ++group) {
    const auto from = words_.begin() + static_cast<ptrdiff_t>(group * kWordsOfAGroup);
    const bool whole = std::all_of(from, from + kWordsOfAGroup, [](uint64_t word) { return word == kAllFree; });
    const uint64_t bit = uint64_t{1} << group % kWord;
    full_[group / kWord] = whole ? full_[group / kWord] | bit : full_[group / kWord] & ~bit;
  }
  return changed;
}

uint64_t PageBits::RunFrom(uint64_t page, uint64_t most) const {
  if (page >= pages_) return 0;
  const uint64_t end = most < pages_ - page ? page + most : pages_;
  for (uint64_t at = page; at < end;) {
    const uint64_t group = at / kGroup;
    const uint64_t whole = at % kGroup == 0 ? LowOnes(full_[group / kWord] >> group % kWord) : 0;
    if (whole != 0) {
      at += whole * kGroup;
      continue;
    }
    const uint64_t run = LowOnes(words_[at / kWord] >> at % kWord);
    at += run;
    if (run == 0 || at % kWord != 0) return std::min(at, end) - page;
  }
  return end - page;
}

uint64_t PageBits::RunBefore(uint64_t page) const {
  uint64_t at = page;
  while (at > 0) {
    if (at % kGroup == 0 && full(at / kGroup - 1)) {
      at -= kGroup;
      continue;
    }
    const uint64_t last = at - 1;
    const uint64_t run = HighOnes(words_[last / kWord] << (kWord - 1 - last % kWord));
    at -= run;
    if (run == 0 || at % kWord != 0) break;
  }
  return page - at;
}

}  // namespace gmmu::os
