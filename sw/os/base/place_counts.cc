// SPDX-License-Identifier: Apache-2.0
#include "os/base/place_counts.h"

#include <algorithm>

namespace gmmu::os {
namespace {

constexpr uint64_t kAll = PageBits::kAllFree, kWord = PageBits::kWord, kGroup = PageBits::kGroup;
constexpr size_t kWordsOfAGroup = PageBits::kWordsOfAGroup;

uint64_t Ones(uint64_t word) { return static_cast<uint64_t>(__builtin_popcountll(word)); }

}  // namespace

PlaceCounts::PlaceCounts(const PageBits& bits, uint64_t size, uint64_t alignment)
    : bits_(&bits),
      size_(size),
      alignment_(alignment),
      multiples_(alignment < kWord ? kAll / ((uint64_t{1} << alignment) - 1) : 1),
      counts_(bits.groups()),
      sums_(bits.groups() + 1),
      marked_(bits.groups()) {
  for (size_t group = 0; group < bits.groups(); ++group) Mark(group);
}

void PlaceCounts::Mark(size_t group) {
  if (marked_[group]) return;
  marked_[group] = true;
  to_count_.push_back(static_cast<uint32_t>(group));
}

void PlaceCounts::Changed(uint64_t first, uint64_t end) {
  for (size_t group = first / kGroup; group * kGroup < end; ++group) Mark(group);
  // A place that starts in a lower group is affected if it extends to `first`, which requires that all groups in
  // between are free.
  for (size_t group = first / kGroup; group > 0 && first + 1 - group * kGroup < size_;) {
    Mark(--group);
    if (!bits_->full(group)) break;
  }
}

// Returns a bit for each page of `word`, set if a place begins at the page; `after` free pages follow the word.
uint64_t PlaceCounts::PlacesOf(uint64_t word, uint64_t after) const {
  if (size_ == 1) return word;
  if (size_ > kWord) {  // a place can begin only in the free run at the word's end
    const uint64_t run = PageBits::HighOnes(word);
    if (run == 0 || run + after < size_) return 0;
    const uint64_t last = std::min(kWord - 1, kWord + after - size_);
    return kAll << (kWord - run) & kAll >> (kWord - 1 - last);
  }
  // Bit i of `low` is set if the `length` pages that start at page i are free; `high` is the same
  // for the next word.
  uint64_t low = word, high = after >= kWord ? kAll : (uint64_t{1} << after) - 1;
  for (uint64_t length = 1; length < size_;) {
    const uint64_t step = std::min(length, size_ - length);  // less than kWord
    low &= low >> step | high << (kWord - step);
    high &= high >> step;
    length += step;
  }
  return low;
}

PlaceCounts::Words PlaceCounts::PlacesOf(size_t group) const {
  Words places;
  uint64_t after = size_ == 1 ? 0 : bits_->RunFrom((group + 1) * kGroup, size_);
  for (size_t i = kWordsOfAGroup; i-- > 0;) {
    const size_t index = group * kWordsOfAGroup + i;
    const uint64_t word = bits_->word(index);
    places[i] = (index * kWord & (alignment_ - 1)) == 0 || alignment_ < kWord ? PlacesOf(word, after) & multiples_ : 0;
    after = PageBits::LowOnes(word) + (word == kAll ? after : 0);
  }
  return places;
}

void PlaceCounts::Refresh() {
  for (const uint32_t group : to_count_) {
    uint64_t count = 0;
    for (const uint64_t word : PlacesOf(group)) count += Ones(word);
    const auto more = static_cast<uint32_t>(count - counts_[group]);  // modulo 2^32
    counts_[group] = static_cast<uint16_t>(count);
    marked_[group] = false;
    if (more == 0) continue;
    for (size_t i = group + 1; i < sums_.size(); i += i & -i) sums_[i] += more;
  }
  to_count_.clear();
}

uint64_t PlaceCounts::Below(uint64_t page) {
  Refresh();
  const size_t group = std::min<uint64_t>(page / kGroup, bits_->groups());
  uint64_t below = 0;
  for (size_t i = group; i > 0; i -= i & -i) below += sums_[i];
  if (group == bits_->groups() || page % kGroup == 0) return below;
  const Words places = PlacesOf(group);
  const uint64_t words = page % kGroup / kWord;
  for (uint64_t i = 0; i < words; ++i) below += Ones(places[i]);
  return below + Ones(places[words] & ((uint64_t{1} << page % kWord) - 1));
}

uint64_t PlaceCounts::Start(uint64_t place) {
  Refresh();
  size_t group = 0, step = 1;
  while (step * 2 < sums_.size()) step *= 2;
  for (; step > 0; step /= 2) {
    if (group + step >= sums_.size() || sums_[group + step] > place) continue;
    group += step;
    place -= sums_[group];
  }
  const Words places = PlacesOf(group);
  size_t i = 0;
  for (; Ones(places[i]) <= place; ++i) place -= Ones(places[i]);
  uint64_t word = places[i];
  for (; place > 0; --place) word &= word - 1;
  return group * kGroup + i * kWord + static_cast<uint64_t>(__builtin_ctzll(word));
}

}  // namespace gmmu::os
