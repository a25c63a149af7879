// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace gmmu::sim {

/// Divides by a constant (> 0) by multiplying by its inverse, which is faster; every burst divides
/// times and addresses. Dividend and divisor must be below 2^63.
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
  uint64_t by_, inverse_;  // 2^64 / by_, rounded up; 0 if by_ is 1
};

/// A server with one rate, such as a bus. A request occupies the earliest free time after its
/// arrival, in as many separate intervals as necessary.
///
/// Calls need not be in time order: a request can be booked long before it needs the bus. Times are
/// in picoseconds.
class Calendar {
 public:
  /// Reserves `ps` of the server's time, at or after `at`. Returns the end of the last reserved
  /// interval, which is at least `at + ps`.
  uint64_t Take(uint64_t at, uint64_t ps) {
    at = std::max(at, forgotten_ps_);
    if (ps == 0) return at;
    // The request uses all free time between `at` and the returned time, so all spans in between
    // merge into one.
    const auto first = std::lower_bound(spans_.begin(), spans_.end(), at,
                                        [](const Span& span, uint64_t ps_then) { return span.end < ps_then; });
    uint64_t end = at + ps;
    auto last = first;
    for (; last != spans_.end() && last->begin < end; ++last) end += last->end - std::max(last->begin, at);
    const bool touches = last != spans_.end() && last->begin == end;
    const uint64_t all = touches ? (last++)->end : end;
    if (first == last) {
      spans_.insert(first, {at, all});
      if (spans_.size() > kSpans) Forget();
      return end;
    }
    *first = {std::min(first->begin, at), all};
    spans_.erase(first + 1, last);
    return end;
  }

 private:
  struct Span {
    uint64_t begin = 0, end = 0;
  };
  static constexpr size_t kSpans = 1024;
  /// Drops the older half of the spans. A later request for a time before the end of the dropped
  /// spans starts at that end.
  void Forget() {
    forgotten_ps_ = spans_[kSpans / 2].end;
    spans_.erase(spans_.begin(), spans_.begin() + kSpans / 2 + 1);
  }

  std::vector<Span> spans_;  ///< reserved times, sorted; the time between spans is free
  uint64_t forgotten_ps_ = 0;
};

/// The wire in one direction of a link. A packet may be booked long before it is ready. A packet
/// that is sent without booking waits only for packets that were ready before it, not for all
/// booked packets.
class Wire {
 public:
  /// Books a packet that is ready at `at` and occupies the wire for `ps`. Returns the time at which
  /// the packet has been sent.
  uint64_t Send(uint64_t at, uint64_t ps) { return Note(at, calendar_.Take(at, ps)); }
  /// Sends a packet without booking: it waits only for packets that were ready before it.
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

/// A fixed number of slots, for example for bursts in flight, tags, credits or walkers. The time at
/// which an allocated slot becomes free is set by End and is then known in advance.
class Places {
 public:
  explicit Places(unsigned count) : count_(count) { ends_.reserve(2 * size_t{count} + 1); }
  /// Allocates a slot and returns the time, at least `at`, from which it is held; a call to End
  /// must follow. Among the slots free at that time it takes the most recently freed one, so that a
  /// later call with an earlier time still finds a slot. `open` is the number of allocated slots
  /// for which End has not been called yet.
  uint64_t Take(uint64_t at, size_t open = 0) {
    if (Held() + open < count_) return at;
    if (at < ends_[first_]) return ends_[first_++];
    if (at >= ends_.back()) {
      ends_.pop_back();
      return at;
    }
    const auto place = std::upper_bound(begin(), ends_.end(), at) - 1;
    ends_.erase(place);
    return at;
  }
  /// Returns the first time, at or after `at`, when a slot is free.
  uint64_t Free(uint64_t at) const { return Held() < count_ ? at : std::max(at, ends_[first_]); }
  /// Sets the time at which the most recently allocated slot becomes free.
  void End(uint64_t ps) {
    if (first_ > count_) {  // erase reused slots in batches, because each erase moves all others
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
  std::vector<uint64_t> ends_;  // sorted; the slots before first_ have been reused
  size_t first_ = 0;
};

/// The times at which slots were recently freed, for a request that overtakes others waiting for a
/// slot.
class RecentEnds {
 public:
  void Note(uint64_t ps) { ends_[next_++ % ends_.size()] = ps; }
  /// Removes and returns the earliest recorded time after `at`, not counting the first `skip` such
  /// times. Returns kNone if there are too few.
  uint64_t Next(uint64_t at, size_t skip = 0) {
    std::array<uint64_t, kMostSkipped + 1> first;  // the earliest times, sorted
    size_t count = 0;
    skip = std::min(skip, kMostSkipped);
    for (const uint64_t end : ends_) {
      if (end <= at || (count > skip && end >= first[skip])) continue;
      size_t place = std::min(count, skip);
      if (count <= skip) ++count;
      for (; place > 0 && first[place - 1] > end; --place) first[place] = first[place - 1];
      first[place] = end;
    }
    if (count <= skip) return kNone;
    *std::find(ends_.begin(), ends_.end(), first[skip]) = 0;
    return first[skip];
  }
  static constexpr uint64_t kNone = ~uint64_t{0};
  static constexpr size_t kMostSkipped = 7;

 private:
  std::array<uint64_t, 512> ends_{};
  size_t next_ = 0;
};

/// Slots that become free in the order in which they were allocated, such as those of a reorder
/// buffer.
class Window {
 public:
  explicit Window(unsigned count) : ends_(std::max(1u, count)) {}
  uint64_t count() const { return ends_.size(); }
  /// Returns the first time, at or after `at`, when a slot is free for a request that allocates
  /// after `skip` others.
  uint64_t Free(uint64_t at, size_t skip = 0) const { return std::max(at, ends_[(next_ + skip) % ends_.size()]); }
  /// Allocates the next slot until `ps`, or until the previously allocated slot becomes free if
  /// that is later.
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

}  // namespace gmmu::sim
