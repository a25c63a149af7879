// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>

#include "ddi/wdm_waits.h"

namespace gmmu::os {

class Kernel;

/// Timers of a driver (KTIMER), which are known by their addresses. A thread of the system, which the first timer starts,
/// waits until the next one is due, signals it and queues its deferred call.
///
/// Misuse is a bug check: a timer that was not initialised, or that is freed or initialised while it is set. Timers are also
/// objects of DriverLocks, which waits are for.
class DriverTimers {
 public:
  explicit DriverTimers(Kernel& kernel) : kernel_(kernel) {}

  void Initialize(KTIMER& timer, TIMER_TYPE type);
  /// `due_ns`: from now; `period_ms` 0: once. Returns whether it was set before.
  bool Set(KTIMER& timer, uint64_t due_ns, uint32_t period_ms, KDPC* dpc);
  bool Cancel(KTIMER& timer);
  /// [begin, begin + bytes) is freed.
  void Forget(const void* begin, size_t bytes);

 private:
  struct Entry {
    uint64_t due_ns;
    uint64_t order;  // of two that are due at once the one that was set first
    uint64_t period_ns;
    KDPC* dpc;
  };
  void Serve();
  /// The one that is due first; null: none is set.
  KTIMER* First() const;
  void Expire(KTIMER& timer);

  Kernel& kernel_;
  std::map<KTIMER*, Entry> set_;
  uint64_t changes_ = 0;
  bool serving_ = false;
};

}  // namespace gmmu::os
