// SPDX-License-Identifier: Apache-2.0
// The part of DriverLocks that implements signalled objects and waits for them.
#include <algorithm>
#include <string>
#include <utility>

#include "os/base/bug_check.h"
#include "os/threads/driver_locks.h"
#include "os/threads/race_detector.h"
#include "os/guard/driver_guard.h"
#include "os/guard/stack_meter.h"

namespace gmmu::os {
namespace {
std::string At(Irql irql) { return " at IRQL " + std::to_string(irql) + DriverGuard::CallSite(); }
}  // namespace

void DriverLocks::InitializeSemaphore(const void* object, LONG count, LONG limit) {
  if (limit <= 0 || count < 0 || count > limit) {
    throw BugCheck("KeInitializeSemaphore with the count " + std::to_string(count) + " and the limit " +
                   std::to_string(limit));
  }
  Initialize(object, Kind::kSemaphore);
  objects_[object].count = count;
  objects_[object].limit = limit;
}

DriverLocks::Waiting::Waiting(DriverLocks& locks, const std::vector<const void*>& objects)
    : locks_(locks), thread_(locks.scheduler_.thread()) {
  locks_.waiting_[thread_] = {locks.scheduler_.current(), objects};
}

DriverLocks::Waiting::~Waiting() { locks_.waiting_.erase(thread_); }

void DriverLocks::Sleep(const std::vector<const void*>& at, const std::function<bool()>& free,
                        std::optional<uint64_t> timeout_ns, const std::string& what) {
  const Waiting waits(*this, at);
  const uint64_t bound = scheduler_.serves() ? Scheduler::kWhileOn : scheduler_.Bound(kBoundNs);
  StackMeter::Off([&] { scheduler_.WaitExactly(free, timeout_ns.value_or(bound), what); });
}

bool DriverLocks::SetEvent(const void* event, bool signalled) {
  const char* const routine = signalled ? "KeSetEvent" : "KeClearEvent";
  Object& object = Of(event, Kind::kNotificationEvent, routine);
  scheduler_.RequireIrql(routine, kDispatch);
  if (signalled) races_.Release(event);
  const bool before = std::exchange(object.signalled, signalled);
  scheduler_.Preempt();
  return before;
}

bool DriverLocks::IsSignalled(const void* event) {
  return Of(event, Kind::kNotificationEvent, "KeReadStateEvent").signalled;
}

LONG DriverLocks::ReleaseSemaphore(const void* semaphore, LONG adjustment) {
  constexpr const char* kRoutine = "KeReleaseSemaphore";
  Object& object = Of(semaphore, Kind::kSemaphore, kRoutine);
  scheduler_.RequireIrql(kRoutine, kDispatch);
  const LONG before = object.count;
  if (adjustment < 0 || adjustment > object.limit - before) {
    throw BugCheck(std::string(kRoutine) + " adds " + std::to_string(adjustment) + " to " + std::to_string(before) +
                   " of " + Name(semaphore, object) + ", whose limit is " + std::to_string(object.limit));
  }
  races_.Release(semaphore);
  object.count += adjustment;
  scheduler_.Preempt();
  return before;
}

LONG DriverLocks::CountOf(const void* semaphore) {
  return Of(semaphore, Kind::kSemaphore, "KeReadStateSemaphore").count;
}

void DriverLocks::Signal(const void* object, bool signalled) {
  if (signalled) races_.Release(object);
  objects_.at(object).signalled = signalled;
}

bool DriverLocks::MutexIsFree(const void* mutex) { return Free(Of(mutex, Kind::kMutex, "KeReadStateMutex")); }

bool DriverLocks::TimerIsSignalled(const void* timer) {
  return Of(timer, Kind::kNotificationTimer, "KeReadStateTimer").signalled;
}

void DriverLocks::RequireTimer(const void* timer, const char* routine) { Of(timer, Kind::kNotificationTimer, routine); }

DriverLocks::Object& DriverLocks::Waitable(const void* at, const char* routine) {
  const auto found = objects_.find(at);
  const bool other = found != objects_.end() && (IsSignal(found->second.kind) || found->second.kind == Kind::kMutex);
  return Of(at, other ? found->second.kind : Kind::kNotificationEvent, routine);
}

std::optional<size_t> DriverLocks::Wait(const std::vector<const void*>& at, bool all,
                                        std::optional<uint64_t> timeout_ns, const char* routine) {
  std::vector<Object*> objects;
  for (const void* each : at) objects.push_back(&Waitable(each, routine));
  const bool waits = timeout_ns != std::optional<uint64_t>(0);
  std::string names;
  for (size_t i = 0; i < at.size(); ++i) names += (i == 0 ? "" : all ? " and " : " or ") + Name(at[i], *objects[i]);
  if (scheduler_.irql() > (waits ? kApc : kDispatch)) {
    throw BugCheck(routine + At(scheduler_.irql()) + " for " + names + ": a wait" +
                   (waits ? " is for IRQL below DISPATCH_LEVEL; only a timeout of 0 is not"
                          : ", even with a timeout of 0, is not for IRQL above DISPATCH_LEVEL"));
  }
  const auto first = [&] {
    return static_cast<size_t>(
        std::find_if(objects.begin(), objects.end(), [&](const Object* object) { return Free(*object) != all; }) -
        objects.begin());
  };
  const auto ready = [&] { return (first() == objects.size()) == all; };
  try {
    if (waits && at.size() == 1) Await(at[0], *objects[0], /*spins=*/false, timeout_ns);
    else if (at.size() > 1) scheduler_.Preempt();
    if (waits && !ready()) Sleep(at, ready, timeout_ns, names);
  } catch (const OsTimeout&) {
    if (!timeout_ns) throw;
  }
  if (!ready()) return std::nullopt;
  const size_t index = all ? 0 : first();
  for (size_t i = 0; i < at.size(); ++i) {
    if (all || i == index) Take(at[i], *objects[i]);
  }
  return index;
}

}  // namespace gmmu::os
