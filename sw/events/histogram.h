// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace gmmu::events {

/// Counts values in buckets whose size grows with the value: one bucket per value below 128, then
/// 64 buckets per doubling (the scheme of HdrHistogram). The end of a bucket exceeds its values by
/// at most 1/64. Any 64-bit value fits.
class Histogram {
 public:
  struct Bucket {
    uint64_t first = 0, last = 0;  ///< smallest and largest value of the bucket
    uint64_t count = 0;
  };

  void Add(uint64_t value, uint64_t times = 1);
  uint64_t count() const { return count_; }
  /// The exact minimum and maximum, or 0 if there are no values.
  uint64_t min() const { return count_ == 0 ? 0 : min_; }
  uint64_t max() const { return max_; }
  double mean() const { return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_); }
  /// Returns the quantile `permyriad` / 10,000: the smallest value that at least this share of the
  /// values does not exceed, rounded up to the end of its bucket. Returns 0 if there are no values.
  uint64_t Quantile(unsigned permyriad) const;
  /// Returns the nonempty buckets in ascending order.
  std::vector<Bucket> buckets() const;

 private:
  std::vector<uint64_t> counts_;
  uint64_t count_ = 0, sum_ = 0, min_ = ~uint64_t{0}, max_ = 0;
};

}  // namespace gmmu::events
