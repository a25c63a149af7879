// SPDX-License-Identifier: Apache-2.0
#include "events/histogram.h"

#include <algorithm>

namespace gmmu::events {
namespace {

constexpr unsigned kHalfLg2 = 6;  // log2 of the number of buckets per power of two
constexpr uint64_t kHalf = uint64_t{1} << kHalfLg2;

unsigned ShiftOf(uint64_t value) {
  return value < 2 * kHalf ? 0 : 63 - static_cast<unsigned>(__builtin_clzll(value)) - kHalfLg2;
}

size_t IndexOf(uint64_t value) {
  const unsigned shift = ShiftOf(value);
  return kHalf * shift + (value >> shift);
}

uint64_t FirstOf(size_t index) {
  const uint64_t shift = index < 2 * kHalf ? 0 : index / kHalf - 1;
  return (index - kHalf * shift) << shift;
}

}  // namespace

void Histogram::Add(uint64_t value, uint64_t times) {
  if (times == 0) return;
  const size_t index = IndexOf(value);
  if (index >= counts_.size()) counts_.resize(index + 1);
  counts_[index] += times;
  count_ += times;
  sum_ += value * times;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
}

uint64_t Histogram::Quantile(unsigned permyriad) const {
  if (count_ == 0) return 0;
  const uint64_t wanted =
      std::max<uint64_t>(1, count_ / 10'000 * permyriad + (count_ % 10'000 * permyriad + 9'999) / 10'000);
  uint64_t seen = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= wanted) return std::min(FirstOf(i + 1) - 1, max_);
  }
  return max_;
}

std::vector<Histogram::Bucket> Histogram::buckets() const {
  std::vector<Bucket> held;
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] != 0) held.push_back({FirstOf(i), FirstOf(i + 1) - 1, counts_[i]});
  }
  return held;
}

}  // namespace gmmu::events
