// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/driver_dpcs.h"

#include <algorithm>
#include <string>
#include <utility>

#include "os/base/bug_check.h"
#include "os/kernel/driver_routines.h"
#include "os/kernel/kernel.h"

namespace gmmu::os {
namespace {
constexpr uint64_t kFlushNs = 1'000'000'000;
}

void DriverDpcs::Initialize(KDPC& dpc, PKDEFERRED_ROUTINE routine, PVOID context) {
  const auto found = queued_.find(&dpc);
  if (found != queued_.end() && found->second)
    throw BugCheck("KeInitializeDpc: the deferred call at " + kernel_.races().NameOf(&dpc) + " is queued");
  dpc = {};
  dpc.Importance = MediumImportance;
  dpc.DeferredRoutine = routine;
  dpc.DeferredContext = context;
  queued_[&dpc] = false;
}

void DriverDpcs::Require(const KDPC& dpc, const char* routine) const {
  if (queued_.count(&dpc) != 0) return;
  throw BugCheck(std::string(routine) + ": the deferred call at " + kernel_.races().NameOf(&dpc) +
                 " was not initialised (KeInitializeDpc)");
}

bool DriverDpcs::Insert(KDPC& dpc, PVOID argument1, PVOID argument2) {
  Require(dpc, "KeInsertQueueDpc");
  if (std::exchange(queued_[&dpc], true)) return false;
  dpc.SystemArgument1 = argument1;
  dpc.SystemArgument2 = argument2;
  kernel_.races().Release(&dpc);
  kernel_.scheduler().QueueDpc([this, at = &dpc] {
    const auto found = queued_.find(at);
    if (found != queued_.end() && std::exchange(found->second, false)) Run(*at);
  });
  return true;
}

void DriverDpcs::Run(KDPC& dpc) {
  ++at_work_;
  kernel_.races().Acquire(&dpc);
  // The routine may requeue or free the object, so a copy is used.
  const KDPC given = dpc;
  CallDriverRoutine(kernel_, "deferred routine", reinterpret_cast<const void*>(given.DeferredRoutine), kDispatch, [&] {
    given.DeferredRoutine(&dpc, given.DeferredContext, given.SystemArgument1, given.SystemArgument2);
  });
  --at_work_;
}

bool DriverDpcs::Remove(KDPC& dpc) {
  Require(dpc, "KeRemoveQueueDpc");
  return std::exchange(queued_[&dpc], false);
}

void DriverDpcs::Flush() {
  kernel_.scheduler().RequireIrql("KeFlushQueuedDpcs", kPassive);
  const auto done = [this] {
    return at_work_ == 0 && std::none_of(queued_.begin(), queued_.end(), [](const auto& each) { return each.second; });
  };
  kernel_.scheduler().Wait(done, kFlushNs, "the deferred calls that are queued, in KeFlushQueuedDpcs");
}

void DriverDpcs::Forget(const void* begin, size_t bytes) {
  const auto* const from = static_cast<const char*>(begin);
  for (auto it = queued_.lower_bound(reinterpret_cast<const KDPC*>(from));
       it != queued_.end() && reinterpret_cast<const char*>(it->first) < from + bytes;) {
    if (it->second)
      throw BugCheck("the deferred call at " + kernel_.races().NameOf(it->first) + " is freed while it is queued");
    it = queued_.erase(it);
  }
}

}  // namespace gmmu::os
