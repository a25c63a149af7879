// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/driver_timers.h"

#include <algorithm>
#include <tuple>

#include "os/base/bug_check.h"
#include "os/kernel/driver_objects.h"
#include "os/kernel/kernel.h"

namespace gmmu::os {

void DriverTimers::Initialize(KTIMER& timer, TIMER_TYPE type) {
  if (set_.count(&timer) != 0)
    throw BugCheck("KeInitializeTimer: the timer at " + kernel_.races().NameOf(&timer) + " is set");
  timer = {};
  kernel_.locks().Initialize(&timer, type == NotificationTimer ? DriverLocks::Kind::kNotificationTimer
                                                               : DriverLocks::Kind::kSynchronizationTimer);
}

bool DriverTimers::Set(KTIMER& timer, uint64_t due_ns, uint32_t period_ms, KDPC* dpc) {
  kernel_.locks().RequireTimer(&timer, "KeSetTimer");
  kernel_.scheduler().RequireIrql("KeSetTimer", kDispatch);
  if (dpc != nullptr) kernel_.driver().dpcs.Require(*dpc, "KeSetTimer");
  const bool before = set_.count(&timer) != 0;
  kernel_.locks().Signal(&timer, false);
  set_[&timer] = {kernel_.hal().NowNs() + due_ns, ++changes_, uint64_t{period_ms} * 1'000'000, dpc};
  if (!std::exchange(serving_, true)) kernel_.scheduler().SpawnServer("timers", [this] { Serve(); });
  kernel_.scheduler().Preempt();
  return before;
}

bool DriverTimers::Cancel(KTIMER& timer) {
  kernel_.locks().RequireTimer(&timer, "KeCancelTimer");
  kernel_.scheduler().RequireIrql("KeCancelTimer", kDispatch);
  ++changes_;
  const bool before = set_.erase(&timer) != 0;
  kernel_.scheduler().Preempt();
  return before;
}

KTIMER* DriverTimers::First() const {
  const auto earlier = [](const auto& a, const auto& b) {
    return std::tie(a.second.due_ns, a.second.order) < std::tie(b.second.due_ns, b.second.order);
  };
  const auto first = std::min_element(set_.begin(), set_.end(), earlier);
  return first == set_.end() ? nullptr : first->first;
}

void DriverTimers::Serve() {
  struct Serving {
    ~Serving() { serving = false; }
    bool& serving;
  } const until_it_ends{serving_};
  while (true) {
    const uint64_t seen = changes_, now = kernel_.hal().NowNs();
    KTIMER* const first = First();
    if (first != nullptr && set_.at(first).due_ns <= now) {
      Expire(*first);
      continue;
    }
    const uint64_t due = first == nullptr ? ~uint64_t{0} : set_.at(first).due_ns;
    const uint64_t left = std::min(due - now, Scheduler::kWhileOn);
    kernel_.scheduler().WaitExactly([&] { return changes_ != seen || kernel_.hal().NowNs() >= due; }, left,
                                    "the next timer of the driver");
  }
}

void DriverTimers::Expire(KTIMER& timer) {
  Entry& entry = set_.at(&timer);
  KDPC* const dpc = entry.dpc;
  if (entry.period_ns != 0) entry.due_ns += entry.period_ns;
  else set_.erase(&timer);
  kernel_.locks().Signal(&timer, true);
  if (dpc != nullptr) kernel_.driver().dpcs.Insert(*dpc, nullptr, nullptr);
}

void DriverTimers::Forget(const void* begin, size_t bytes) {
  const auto* const from = static_cast<const char*>(begin);
  for (const auto& [timer, entry] : set_) {
    const auto* const at = reinterpret_cast<const char*>(timer);
    if (at >= from && at < from + bytes)
      throw BugCheck("the timer at " + kernel_.races().NameOf(timer) + " is freed while it is set");
  }
}

}  // namespace gmmu::os
