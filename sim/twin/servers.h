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

/// The wire of one direction of a link. What is asked for far ahead may be sent far ahead; who comes meanwhile waits for
/// what was ready before it, not for all that was asked for.
class Wire {
 public:
  explicit Wire(uint64_t bucket_ps) : calendar_(bucket_ps) {}

  /// Sends what takes `ps` and is ready at `at`. Returns when it is sent.
  uint64_t Send(uint64_t at, uint64_t ps) { return Note(at, calendar_.Take(at, ps)); }
  /// The same of what was not asked for ahead.
  uint64_t SendNow(uint64_t at, uint64_t ps) {
    uint64_t before = at;
    for (const Sent& sent : sent_)
      if (sent.ready_ps <= at) before = std::max(before, sent.end_ps);
    return Note(at, std::min(calendar_.Take(at, ps), before + ps));
  }

 private:
  struct Sent {
    uint64_t ready_ps = 0, end_ps = 0;
  };
  uint64_t Note(uint64_t ready_ps, uint64_t end_ps) {
    sent_[next_++ % sent_.size()] = {ready_ps, end_ps};
    return end_ps;
  }

  Calendar calendar_;
  std::array<Sent, 128> sent_{};
  size_t next_ = 0;
};

/// So many places, each of which is held until a time that is known when it is taken: bursts in flight,
/// tags, credits, walkers.
class Places {
 public:
  explicit Places(unsigned count) : count_(count) { ends_.reserve(count); }
  /// Takes a place. Returns when it can be had, at least `at`; End must follow. Of those that are free by then it is the
  /// one that becomes free last, so that who asks later but needs one earlier finds it.
  uint64_t Take(uint64_t at) {
    if (ends_.size() < count_) return at;
    auto place = std::upper_bound(ends_.begin(), ends_.end(), at);
    if (place != ends_.begin()) --place;
    const uint64_t begin = std::max(at, *place);
    ends_.erase(place);
    return begin;
  }
  /// Returns when a place could be had, at least `at`.
  uint64_t Free(uint64_t at) const { return ends_.size() < count_ ? at : std::max(at, ends_.front()); }
  /// Says until when the place is held that was taken last.
  void End(uint64_t ps) {
    if (ends_.empty() || ends_.back() <= ps) ends_.push_back(ps);
    else ends_.insert(std::upper_bound(ends_.begin(), ends_.end(), ps), ps);
  }

 private:
  size_t count_;
  std::vector<uint64_t> ends_;  // sorted
};

/// Places that are given back in the order in which they were taken: slots that are a reorder buffer.
class Window {
 public:
  explicit Window(unsigned count) : ends_(std::max(1u, count)) {}
  uint64_t count() const { return ends_.size(); }
  /// Returns when the next place is free, at least `at`; or the one behind `skip` others that are yet to be taken.
  uint64_t Free(uint64_t at, size_t skip = 0) const { return std::max(at, ends_[(next_ + skip) % ends_.size()]); }
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
