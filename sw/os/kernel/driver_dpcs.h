// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <map>

#include "ddi/wdm_waits.h"

namespace gmmu::os {

class Kernel;

/// Deferred procedure calls that a driver queues itself (KDPC), identified by their addresses. Like
/// the scheduler's own DPCs, they run at DISPATCH_LEVEL, one after another, on the processor that
/// has the DPC queue.
///
/// Using an uninitialised object triggers a bug check, as does freeing or initialising one while it
/// is queued.
class DriverDpcs {
 public:
  explicit DriverDpcs(Kernel& kernel) : kernel_(kernel) {}

  void Initialize(KDPC& dpc, PKDEFERRED_ROUTINE routine, PVOID context);
  /// If Initialize was not called for the object, triggers a bug check that names `routine`.
  void Require(const KDPC& dpc, const char* routine) const;
  /// Queues the DPC. Returns false if it is already queued. If the IRQL is below DISPATCH_LEVEL and
  /// preemption is off, the DPC's routine has run when Insert returns.
  bool Insert(KDPC& dpc, PVOID argument1, PVOID argument2);
  /// Removes the DPC from the queue. Returns false if it was not queued.
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
