// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace gmmu::events {

/// Counts values in buckets whose size grows with the value: one for each value below 128, then 64 for each doubling.
/// The bucket of a value therefore exceeds it by at most 1/64 (the scheme of HdrHistogram). Any value fits.
class Histogram {
 public:
  struct Bucket {
    uint64_t first = 0, last = 0;  ///< smallest and largest value of the bucket
    uint64_t count = 0;
  };

  void Add(uint64_t value, uint64_t times = 1);
  uint64_t count() const { return count_; }
  /// The exact smallest and largest value, or 0 if there are no values.
  uint64_t min() const { return count_ == 0 ? 0 : min_; }
  uint64_t max() const { return max_; }
  double mean() const { return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_); }
  /// Returns the smallest value that at least `permyriad` of every ten thousand values do not exceed, rounded up to the
  /// end of its bucket, or 0 if there are no values.
  uint64_t Quantile(unsigned permyriad) const;
  /// Returns the buckets that are not empty, ascending.
  std::vector<Bucket> buckets() const;

 private:
  std::vector<uint64_t> counts_;
  uint64_t count_ = 0, sum_ = 0, min_ = ~uint64_t{0}, max_ = 0;
};

}  // namespace gmmu::events
