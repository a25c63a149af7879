// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace gmmu::sim::twin {

/// Divides by a number above 0 that is known beforehand, by a multiplication, since times and addresses are divided
/// for every burst. Both are below 2^63.
class Divisor {
 public:
  explicit Divisor(uint64_t by) : by_(by), inverse_(by == 1 ? 0 : ~uint64_t{0} / by + 1) {}
  uint64_t Quotient(uint64_t of) const {
    if (inverse_ == 0) return of;
    const auto most = static_cast<uint64_t>((static_cast<unsigned __int128>(of) * inverse_) >> 64);
    return most * by_ > of ? most - 1 : most;  // the inverse is rounded up
  }
  uint64_t Rest(uint64_t of) const { return of - Quotient(of) * by_; }

 private:
  uint64_t by_, inverse_;  // the latter is 2^64 / by_; 0: by_ is 1
};

/// A server of one rate, such as a bus: who asks for it takes the first of its time that is free, from
/// the moment at which it needs it.
///
/// Calls need not come in the order of their times, since what asks early may need the bus late: time
/// is kept in buckets, each of which has room for its own length. Inside a bucket the order is that of the
/// calls. Times are in picoseconds.
class Calendar {
 public:
  explicit Calendar(uint64_t bucket_ps) : bucket_ps_(bucket_ps), buckets_(bucket_ps), used_(kBuckets) {}

  /// Takes `ps`, not before `at`. Returns when the last of it is over, at least `at + ps`.
  uint64_t Take(uint64_t at, uint64_t ps) {
    uint64_t bucket = buckets_.Quotient(at);
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

  uint64_t bucket_ps_;
  Divisor buckets_;
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
  explicit Places(unsigned count) : count_(count) { ends_.reserve(2 * size_t{count} + 1); }
  /// Takes a place. Returns when it can be had, at least `at`; End must follow. Of those that are free by then it is the
  /// one that becomes free last, so that who asks later but needs one earlier finds it.
  uint64_t Take(uint64_t at) {
    if (Held() < count_) return at;
    if (at < ends_[first_]) return ends_[first_++];
    if (at >= ends_.back()) {
      ends_.pop_back();
      return at;
    }
    const auto place = std::upper_bound(begin(), ends_.end(), at) - 1;
    ends_.erase(place);
    return at;
  }
  /// Returns when a place could be had, at least `at`.
  uint64_t Free(uint64_t at) const { return Held() < count_ ? at : std::max(at, ends_[first_]); }
  /// Says until when the place is held that was taken last.
  void End(uint64_t ps) {
    if (first_ > count_) {  // now and then, so that what was given back in front costs no move each time
      ends_.erase(ends_.begin(), begin());
      first_ = 0;
    }
    if (Held() == 0 || ends_.back() <= ps) ends_.push_back(ps);
    else ends_.insert(std::upper_bound(begin(), ends_.end(), ps), ps);
  }

 private:
  std::vector<uint64_t>::iterator begin() { return ends_.begin() + static_cast<ptrdiff_t>(first_); }
  size_t Held() const { return ends_.size() - first_; }

  size_t count_;
  std::vector<uint64_t> ends_;  // sorted from first_ on; those before it were given back
  size_t first_ = 0;
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
