// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/work_items.h"

#include "os/base/bug_check.h"
#include "os/kernel/driver_routines.h"
#include "os/kernel/kernel.h"

namespace gmmu::os {

std::string WorkItems::Name(const void* item) const { return "the work item at " + kernel_.races().NameOf(item); }

void WorkItems::Queue(const void* item, const char* call, const void* routine, const std::function<void()>& work) {
  kernel_.scheduler().RequireIrql(call, kDispatch);
  RequireIdle(item, call);
  const std::string name = RoutineName("work item", routine);
  const auto ticket = kernel_.ledger().Open("work_item", name, "driver", call);
  queued_[item] = ticket;
  kernel_.races().Release(item);
  kernel_.scheduler().SpawnWork(name, [=] {
    queued_.erase(item);
    kernel_.races().Acquire(item);
    CallDriverRoutine(kernel_, "work item", routine, kPassive, work);
    kernel_.ledger().Close(ticket);
  });
  kernel_.scheduler().Preempt();
}

void WorkItems::RequireIdle(const void* item, const char* call) const {
  if (queued_.count(item) != 0) throw BugCheck(std::string(call) + ": " + Name(item) + " is queued");
}

void WorkItems::Forget(const void* begin, size_t bytes) const {
  const auto first = queued_.lower_bound(begin);
  if (first != queued_.end() && first->first < static_cast<const char*>(begin) + bytes)
    throw BugCheck(Name(first->first) + " is freed while it is queued");
}

}  // namespace gmmu::os
