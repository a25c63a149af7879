// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace gmmu::sim::twin {

/// A server of one rate, such as a bus: who asks for it takes the first of its time that is free, from
/// the moment at which it needs it.
///
/// Calls need not come in the order of their times, since what asks early may need the bus late: time
/// is kept in buckets, each of which has room for its own length. Inside a bucket the order is that of the
/// calls. Times are in picoseconds.
class Calendar {
 public:
  explicit Calendar(uint64_t bucket_ps) : bucket_ps_(bucket_ps), used_(kBuckets) {}

  /// Takes `ps`, not before `at`. Returns when the last of it is over, at least `at + ps`.
  uint64_t Take(uint64_t at, uint64_t ps) {
    uint64_t bucket = at / bucket_ps_;
    if (bucket < first_) {
      bucket = first_;
      at = bucket * bucket_ps_;
    }
    for (uint64_t left = ps;; ++bucket) {
      if (bucket >= full_from_ && bucket < full_to_) bucket = full_to_;
      if (bucket >= first_ + kBuckets) Forget(bucket + 1 - kBuckets);
      const uint64_t start = bucket * bucket_ps_;
      uint64_t& used = used_[bucket % kBuckets];
      const uint64_t taken = std::min(left, bucket_ps_ - used);
      const uint64_t begin = std::max(used, at > start ? at - start : 0);
      used += taken;
      left -= taken;
      if (left == 0) return std::max(at + ps, start + begin + taken);
      if (bucket == full_to_) ++full_to_;
      else if (bucket < full_from_ || bucket > full_to_) full_from_ = bucket, full_to_ = bucket + 1;
    }
  }

 private:
  static constexpr uint64_t kBuckets = 4096;
  /// Drops what lies in front of bucket `first`.
  void Forget(uint64_t first) {
    for (uint64_t b = first_; b < std::min(first, first_ + kBuckets); ++b) used_[b % kBuckets] = 0;
    first_ = first;
  }

  const uint64_t bucket_ps_;
  std::vector<uint64_t> used_;
  uint64_t first_ = 0;                    ///< oldest bucket that is remembered
  uint64_t full_from_ = 0, full_to_ = 0;  ///< these have no room
};

/// So many places, each of which is held until a time that is known when it is taken: bursts in flight,
/// tags, credits, walkers.
class Places {
 public:
  explicit Places(unsigned count) : count_(count), ends_(RingOf(count)) {}
  /// Takes a place. Returns when it can be had, at least `at`; End must follow.
  uint64_t Take(uint64_t at) {
    if (held_ < count_) return at;
    --held_;
    return std::max(at, ends_[first_++ & (ends_.size() - 1)]);
  }
  /// Returns when a place could be had, at least `at`.
  uint64_t Free(uint64_t at) const { return held_ < count_ ? at : std::max(at, ends_[first_ & (ends_.size() - 1)]); }
  /// Says until when the place is held that was taken last.
  void End(uint64_t ps) {
    const size_t mask = ends_.size() - 1;
    size_t to = first_ + held_++;
    for (; to != first_ && ends_[(to - 1) & mask] > ps; --to) ends_[to & mask] = ends_[(to - 1) & mask];
    ends_[to & mask] = ps;
  }

 private:
  static size_t RingOf(size_t count) {
    size_t ring = 1;
    while (ring < count) ring *= 2;
    return ring;
  }

  unsigned count_;
  std::vector<uint64_t> ends_;  // a ring, sorted, the earliest at first_: most ends come in their order
  size_t first_ = 0, held_ = 0;
};

/// Places that are given back in the order in which they were taken: slots that are a reorder buffer.
class Window {
 public:
  explicit Window(unsigned count) : ends_(std::max(1u, count)) {}
  uint64_t count() const { return ends_.size(); }
  /// Returns when the next place is free, at least `at`.
  uint64_t Free(uint64_t at) const { return std::max(at, ends_[next_]); }
  /// Takes it until `ps`, or until the place before it is given back if that is later.
  void Take(uint64_t ps) {
    last_ = std::max(last_, ps);
    ends_[next_] = last_;
    next_ = next_ + 1 == ends_.size() ? 0 : next_ + 1;
  }

 private:
  std::vector<uint64_t> ends_;
  size_t next_ = 0;
  uint64_t last_ = 0;
};

}  // namespace gmmu::sim::twin
