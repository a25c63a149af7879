// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <map>

#include "ddi/wdm_waits.h"

namespace gmmu::os {

class Kernel;

/// Deferred procedure calls that a driver queues itself (KDPC), identified by their addresses. Like the scheduler's
/// deferred calls, their routines run at DISPATCH_LEVEL, one after the other on the queue's processor.
///
/// An uninitialised object, or one that is freed or initialised while it is queued, triggers a bug check.
class DriverDpcs {
 public:
  explicit DriverDpcs(Kernel& kernel) : kernel_(kernel) {}

  void Initialize(KDPC& dpc, PKDEFERRED_ROUTINE routine, PVOID context);
  /// Triggers a bug check that names `routine` if Initialize did not make the object.
  void Require(const KDPC& dpc, const char* routine) const;
  /// Returns false if it is already queued. Below DISPATCH_LEVEL and without preemption, its routine has run on return.
  bool Insert(KDPC& dpc, PVOID argument1, PVOID argument2);
  /// Returns false if it was not queued.
  bool Remove(KDPC& dpc);
  /// Waits until no deferred call is queued or running. Call at PASSIVE_LEVEL.
  void Flush();
  /// Call when [begin, begin + bytes) is freed. Triggers a bug check if a DPC there is queued.
  void Forget(const void* begin, size_t bytes);

 private:
  void Run(KDPC& dpc);

  Kernel& kernel_;
  std::map<const KDPC*, bool> queued_;  // every initialised DPC, and whether it is queued
  unsigned at_work_ = 0;
};

}  // namespace gmmu::os
