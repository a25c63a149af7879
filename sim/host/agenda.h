// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace gmmu::sim {

/// A queue of future events (callbacks) that runs them in time order. Events with equal times run
/// in the order in which they were added, so the same sequence of calls gives the same run.
class Agenda {
 public:
  using Act = std::function<void()>;

  uint64_t now() const { return now_; }
  /// Schedules `act` at `ps`, or at the current time if `ps` has passed.
  void At(uint64_t ps, Act act) {
    queue_.push_back({std::max(ps, now_), order_++, std::move(act)});
    std::push_heap(queue_.begin(), queue_.end(), Later);
  }
  bool empty() const { return queue_.empty(); }
  /// Returns the time of the next event. Call it only while the agenda is not empty.
  uint64_t next() const { return queue_.front().ps; }
  /// Runs all events up to and including time `ps`, including those that the events add, and then
  /// sets the time to `ps`.
  void RunUntil(uint64_t ps) {
    while (!queue_.empty() && queue_.front().ps <= ps) {
      std::pop_heap(queue_.begin(), queue_.end(), Later);
      const Entry entry = std::move(queue_.back());
      queue_.pop_back();
      now_ = entry.ps;
      ++acts_;
      entry.act();
    }
    now_ = std::max(now_, ps);
  }
  /// Returns the number of events that have run.
  uint64_t acts() const { return acts_; }

 private:
  struct Entry {
    uint64_t ps;
    uint64_t order;
    Act act;
  };
  static bool Later(const Entry& a, const Entry& b) { return a.ps != b.ps ? a.ps > b.ps : a.order > b.order; }

  uint64_t now_ = 0;
  uint64_t order_ = 0;
  uint64_t acts_ = 0;
  std::vector<Entry> queue_;  // a min-heap by time
};

}  // namespace gmmu::sim
