// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include <systemc>

namespace gmmu::sim {

/// A queue of future actions of the machine around the GPUs. One process runs all of them, so
/// results do not depend on the order in which SystemC runs processes at the same time.
///
/// Actions at the same time run in the order of their sources, and then in call order. An action
/// may add actions only at later times. Times that coincide with a GPU clock edge (a multiple of
/// the period) are moved by a picosecond.
class ScAgenda : public sc_core::sc_module {
 public:
  enum Source : uint8_t { kPlatform, kGpu, kCpu = kGpu + 4, kSources };
  /// Returns the source number of GPU `unit`. At equal times, the GPUs act in unit order.
  static Source GpuSource(unsigned unit) { return static_cast<Source>(kGpu + unit); }

  ScAgenda(sc_core::sc_module_name name, uint64_t period_ps) : sc_module(name), period_ps_(period_ps) {
    SC_HAS_PROCESS(ScAgenda);
    SC_METHOD(Run);
    sensitive << due_;
    dont_initialize();
  }

  /// Schedules `action` for `time_ps`, or for the earliest possible time if `time_ps` is not in the future.
  void At(uint64_t time_ps, std::function<void()> action, Source source = kPlatform) {
    const uint64_t now = Now();
    if (time_ps <= now) time_ps = now + 1;
    time_ps = OffEdge(time_ps);
    entries_.push({time_ps, source, next_[source]++, std::move(action)});
    due_.notify(sc_core::sc_time::from_value(entries_.top().time_ps - now));
  }
  uint64_t OffEdge(uint64_t time_ps) const { return time_ps % period_ps_ == 0 ? time_ps + 1 : time_ps; }

  static uint64_t Now() { return sc_core::sc_time_stamp().value(); }

 private:
  struct Entry {
    uint64_t time_ps;
    Source source;
    uint64_t order;
    std::function<void()> action;
    bool operator<(const Entry& o) const {  // std::priority_queue serves the greatest entry first
      if (time_ps != o.time_ps) return time_ps > o.time_ps;
      if (source != o.source) return source > o.source;
      return order > o.order;
    }
  };
  void Run() {
    const uint64_t now = Now();
    while (!entries_.empty() && entries_.top().time_ps <= now) {
      const auto action = std::move(const_cast<Entry&>(entries_.top()).action);
      entries_.pop();
      action();
    }
    if (!entries_.empty()) due_.notify(sc_core::sc_time::from_value(entries_.top().time_ps - now));
  }

  const uint64_t period_ps_;
  std::priority_queue<Entry> entries_;
  uint64_t next_[kSources] = {};
  sc_core::sc_event due_;
};

}  // namespace gmmu::sim
