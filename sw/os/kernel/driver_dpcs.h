// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <map>

#include "ddi/wdm_waits.h"

namespace gmmu::os {

class Kernel;

/// Deferred procedure calls that a driver queues itself (KDPC), which are known by their addresses. Their routines run as the
/// scheduler's deferred calls do: at DISPATCH_LEVEL, on the queue's processor one after the other.
///
/// Misuse is a bug check: an object that was not initialised, or that is freed or initialised while it is queued.
class DriverDpcs {
 public:
  explicit DriverDpcs(Kernel& kernel) : kernel_(kernel) {}

  void Initialize(KDPC& dpc, PKDEFERRED_ROUTINE routine, PVOID context);
  /// A bug check with `routine`'s name for what Initialize did not make.
  void Require(const KDPC& dpc, const char* routine) const;
  /// False: it is queued already. Below DISPATCH_LEVEL, without preemption, its routine has run on return.
  bool Insert(KDPC& dpc, PVOID argument1, PVOID argument2);
  /// False: it was not queued.
  bool Remove(KDPC& dpc);
  /// Returns when none is queued or under way. At PASSIVE_LEVEL.
  void Flush();
  /// [begin, begin + bytes) is freed.
  void Forget(const void* begin, size_t bytes);

 private:
  void Run(KDPC& dpc);

  Kernel& kernel_;
  std::map<const KDPC*, bool> queued_;  // those that are initialised
  unsigned at_work_ = 0;
};

}  // namespace gmmu::os
