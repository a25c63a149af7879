// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
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
/// the moment at which it needs it, in as many pieces as it takes.
///
/// Calls need not come in the order of their times, since what asks early may need the bus late. Times are in
/// picoseconds.
class Calendar {
 public:
  /// Takes `ps`, not before `at`. Returns when the last of it is over, at least `at + ps`.
  uint64_t Take(uint64_t at, uint64_t ps) {
    at = std::max(at, forgotten_ps_);
    if (ps == 0) return at;
    // All that is free from `at` to the end of it is taken, so one span remains of those that it touches.
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
  /// Drops the older half.
  void Forget() {
    forgotten_ps_ = spans_[kSpans / 2].end;
    spans_.erase(spans_.begin(), spans_.begin() + kSpans / 2 + 1);
  }

  std::vector<Span> spans_;  ///< what is taken, in its order; between two of them there is free time
  uint64_t forgotten_ps_ = 0;
};

/// The wire of one direction of a link. What is asked for far ahead may be sent far ahead; who comes meanwhile waits for
/// what was ready before it, not for all that was asked for.
class Wire {
 public:
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
  /// one that becomes free last, so that who asks later but needs one earlier finds it. `open` are taken whose End is yet
  /// to follow.
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

/// When the last places were given back, for who passes those that wait for one.
class RecentEnds {
 public:
  void Note(uint64_t ps) { ends_[next_++ % ends_.size()] = ps; }
  /// Returns the first of them behind `at`, or the one behind `skip` others, that was not returned before; kNone: there are
  /// fewer.
  uint64_t Next(uint64_t at, size_t skip = 0) {
    std::array<uint64_t, kMostSkipped + 1> first;  // the earliest, in their order
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
