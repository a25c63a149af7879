// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <map>

#include "ddi/wdm_waits.h"

namespace gmmu::os {

class Kernel;

/// Deferred procedure calls that a driver queues itself (KDPC), identified by their addresses. Their routines run as
/// the scheduler's deferred calls do: at DISPATCH_LEVEL, one after the other on the queue's processor.
///
/// Misuse is a bug check: an uninitialised object, or one that is freed or initialised while it is queued.
class DriverDpcs {
 public:
  explicit DriverDpcs(Kernel& kernel) : kernel_(kernel) {}

  void Initialize(KDPC& dpc, PKDEFERRED_ROUTINE routine, PVOID context);
  /// A bug check with the name of `routine` for an object that Initialize did not make.
  void Require(const KDPC& dpc, const char* routine) const;
  /// False: it is already queued. Below DISPATCH_LEVEL and without preemption, its routine has run on return.
  bool Insert(KDPC& dpc, PVOID argument1, PVOID argument2);
  /// False: it was not queued.
  bool Remove(KDPC& dpc);
  /// Returns when none is queued or running. Call at PASSIVE_LEVEL.
  void Flush();
  /// Call when [begin, begin + bytes) is freed.
  void Forget(const void* begin, size_t bytes);

 private:
  void Run(KDPC& dpc);

  Kernel& kernel_;
  std::map<const KDPC*, bool> queued_;  // every initialised DPC, and whether it is queued
  unsigned at_work_ = 0;
};

}  // namespace gmmu::os
