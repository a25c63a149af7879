// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>

#include "ddi/wdm_waits.h"

namespace gmmu::os {

class Kernel;

/// Timers of a driver (KTIMER), identified by their addresses. A system thread, started with the
/// first timer, waits until the next timer is due, signals it and queues its DPC.
///
/// Using an uninitialised timer triggers a bug check, as does freeing or initialising one while it
/// is set. DriverLocks implements waits for timers.
class DriverTimers {
 public:
  explicit DriverTimers(Kernel& kernel) : kernel_(kernel) {}

  void Initialize(KTIMER& timer, TIMER_TYPE type);
  /// `due_ns` is relative to the current time. If `period_ms` is 0, the timer expires once. Returns
  /// whether the timer was already set.
  bool Set(KTIMER& timer, uint64_t due_ns, uint32_t period_ms, KDPC* dpc);
  bool Cancel(KTIMER& timer);
  /// Call when [begin, begin + bytes) is freed. Triggers a bug check if a timer there is set.
  void Forget(const void* begin, size_t bytes);

 private:
  struct Entry {
    uint64_t due_ns;
    uint64_t order;  // timers due at the same time expire in the order of their Set calls
    uint64_t period_ns;
    KDPC* dpc;
  };
  void Serve();
  /// The timer that is due next, or null if none is set.
  KTIMER* First() const;
  void Expire(KTIMER& timer);

  Kernel& kernel_;
  std::map<KTIMER*, Entry> set_;
  uint64_t changes_ = 0;
  bool serving_ = false;
};

}  // namespace gmmu::os
