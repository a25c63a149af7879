// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/driver_locks.h"

#include <algorithm>

#include "os/kernel/bug_check.h"
#include "os/kernel/race_detector.h"
#include "os/kernel/stack_meter.h"

namespace gmmu::os {
namespace {

const char* NameOf(DriverLocks::Kind kind) {
  switch (kind) {
    case DriverLocks::Kind::kSpinLock: return "spin lock";
    case DriverLocks::Kind::kFastMutex: return "fast mutex";
    case DriverLocks::Kind::kMutex: return "mutex";
    default: return "event";
  }
}

bool IsEvent(DriverLocks::Kind kind) {
  return kind == DriverLocks::Kind::kNotificationEvent || kind == DriverLocks::Kind::kSynchronizationEvent;
}

std::string At(Irql irql) { return " at IRQL " + std::to_string(irql); }

}  // namespace

std::string DriverLocks::Name(const void* at, const Object& object) const {
  return std::string("the ") + NameOf(object.kind) + " at " + races_.NameOf(at);
}

void DriverLocks::Initialize(const void* object, Kind kind, bool signalled) {
  const auto found = objects_.find(object);
  if (found != objects_.end() && found->second.holder != nullptr)
    throw BugCheck(Name(object, found->second) + " is initialised while " + found->second.holder_name + " holds it");
  Object made;
  made.kind = kind;
  made.signalled = signalled;
  objects_[object] = made;
}

DriverLocks::Object& DriverLocks::Of(const void* object, Kind kind, const char* routine) {
  const auto found = objects_.find(object);
  if (found == objects_.end()) {
    throw BugCheck(std::string(routine) + ": the " + NameOf(kind) + " at " + races_.NameOf(object) +
                   " was not initialised");
  }
  const bool same = found->second.kind == kind || (IsEvent(kind) && IsEvent(found->second.kind));
  if (!same) throw BugCheck(std::string(routine) + ": " + Name(object, found->second) + " is no " + NameOf(kind));
  return found->second;
}

bool DriverLocks::Free(const Object& object) const {
  if (IsEvent(object.kind)) return object.signalled;
  return object.holder == nullptr || (object.kind == Kind::kMutex && object.holder == scheduler_.thread());
}

void DriverLocks::RefuseCycle(const void* at) const {
  const void* const self = scheduler_.thread();
  std::string chain;
  for (const void* object = at; object != nullptr;) {
    const Object& next = objects_.at(object);
    if (next.holder == nullptr) return;
    chain += (chain.empty() ? " waits for " : ", who waits for ") + Name(object, next) + ", which ";
    if (next.holder == self) throw BugCheck("deadlock: " + scheduler_.current() + chain + "it holds itself");
    chain += next.holder_name + " holds";
    const auto wait = waiting_.find(next.holder);
    object = wait == waiting_.end() ? nullptr : wait->second;
  }
}

void DriverLocks::Await(const void* at, Object& object, bool spins, std::optional<uint64_t> timeout_ns) {
  scheduler_.Preempt();
  if (Free(object)) return;
  RefuseCycle(at);
  const void* const self = scheduler_.thread();
  const std::string what = Name(at, object) +
                           (object.holder == nullptr ? "" : ", which " + object.holder_name + " holds");
  waiting_[self] = at;
  struct Waiting {
    ~Waiting() { waiting.erase(self); }
    std::map<const void*, const void*>& waiting;
    const void* self;
  } const waits{waiting_, self};
  const auto free = [&] { return Free(object); };
  if (spins) return scheduler_.Spin(free, what);
  StackMeter::Off([&] { scheduler_.WaitExactly(free, timeout_ns.value_or(scheduler_.Bound(kBoundNs)), what); });
}

void DriverLocks::Take(const void* at, Object& object) {
  races_.Acquire(at);
  if (object.kind == Kind::kSynchronizationEvent) object.signalled = false;
  if (IsEvent(object.kind)) return;
  object.holder = scheduler_.thread();
  object.holder_name = scheduler_.current();
  if (++object.depth == 1) ++held_by_[object.holder];
}

void DriverLocks::Give(const void* at, Object& object) {
  races_.Release(at);
  if (--object.depth != 0) return;
  if (--held_by_[object.holder] == 0) held_by_.erase(object.holder);
  object.holder = nullptr;
}

void DriverLocks::RequireHolder(const void* at, const Object& object, const char* routine) const {
  if (object.holder == scheduler_.thread()) return;
  throw BugCheck(std::string(routine) + ": " + Name(at, object) + " is released by " + scheduler_.current() + ", " +
                 (object.holder == nullptr ? "and nobody holds it" : "and " + object.holder_name + " holds it"));
}

Irql DriverLocks::AcquireSpinLock(const void* lock, bool raises) {
  const char* const routine = raises ? "KeAcquireSpinLock" : "KeAcquireSpinLockAtDpcLevel";
  Object& object = Of(lock, Kind::kSpinLock, routine);
  const Irql irql = scheduler_.irql();
  if (raises && irql > kDispatch)
    throw BugCheck(std::string(routine) + At(irql) + ": above DISPATCH_LEVEL only DxgkCbSynchronizeExecution locks");
  if (!raises && irql < kDispatch) throw BugCheck(std::string(routine) + At(irql) + ": below DISPATCH_LEVEL");
  const Irql level = std::max(irql, kDispatch);
  if (object.taken_at.value_or(level) != level) {
    throw BugCheck(std::string(routine) + At(irql) + ": " + Name(lock, object) + " was taken at IRQL " +
                   std::to_string(*object.taken_at) +
                   " before, so an interrupt may wait for the thread that it interrupts");
  }
  object.taken_at = level;
  if (raises) scheduler_.Raise(kDispatch);
  Await(lock, object, /*spins=*/true, std::nullopt);
  Take(lock, object);
  return irql;
}

void DriverLocks::ReleaseSpinLock(const void* lock, std::optional<Irql> to) {
  const char* const routine = to ? "KeReleaseSpinLock" : "KeReleaseSpinLockFromDpcLevel";
  Object& object = Of(lock, Kind::kSpinLock, routine);
  RequireHolder(lock, object, routine);
  if (scheduler_.irql() < kDispatch)
    throw BugCheck(std::string(routine) + At(scheduler_.irql()) + ": below DISPATCH_LEVEL");
  Give(lock, object);
  if (!to) return scheduler_.Preempt();
  if (*to < kDispatch) {
    for (const auto& [at, other] : objects_) {
      if (other.kind == Kind::kSpinLock && other.holder == scheduler_.thread())
        throw BugCheck("KeReleaseSpinLock lowers the IRQL to " + std::to_string(*to) + " while " + Name(at, other) +
                       " is held");
    }
  }
  scheduler_.Lower(*to);
}

void DriverLocks::AcquireFastMutex(const void* mutex) {
  Object& object = Of(mutex, Kind::kFastMutex, "ExAcquireFastMutex");
  if (scheduler_.irql() > kApc) throw BugCheck("ExAcquireFastMutex" + At(scheduler_.irql()) + ": above APC_LEVEL");
  const Irql before = scheduler_.Raise(kApc);
  Await(mutex, object, /*spins=*/false, std::nullopt);
  object.before = before;
  Take(mutex, object);
}

bool DriverLocks::TryFastMutex(const void* mutex) {
  Object& object = Of(mutex, Kind::kFastMutex, "ExTryToAcquireFastMutex");
  if (scheduler_.irql() > kApc) throw BugCheck("ExTryToAcquireFastMutex" + At(scheduler_.irql()) + ": above APC_LEVEL");
  scheduler_.Preempt();
  if (!Free(object)) return false;
  object.before = scheduler_.Raise(kApc);
  Take(mutex, object);
  return true;
}

void DriverLocks::ReleaseFastMutex(const void* mutex) {
  Object& object = Of(mutex, Kind::kFastMutex, "ExReleaseFastMutex");
  RequireHolder(mutex, object, "ExReleaseFastMutex");
  if (scheduler_.irql() != kApc) throw BugCheck("ExReleaseFastMutex" + At(scheduler_.irql()) + ": not at APC_LEVEL");
  const Irql before = object.before;
  Give(mutex, object);
  scheduler_.Lower(before);
}

bool DriverLocks::ReleaseMutex(const void* mutex) {
  Object& object = Of(mutex, Kind::kMutex, "KeReleaseMutex");
  RequireHolder(mutex, object, "KeReleaseMutex");
  Give(mutex, object);
  const bool free = object.holder == nullptr;
  scheduler_.Preempt();
  return free;
}

bool DriverLocks::SetEvent(const void* event, bool signalled) {
  Object& object = Of(event, Kind::kNotificationEvent, signalled ? "KeSetEvent" : "KeClearEvent");
  if (scheduler_.irql() > kDispatch) throw BugCheck("KeSetEvent" + At(scheduler_.irql()) + ": above DISPATCH_LEVEL");
  if (signalled) races_.Release(event);
  const bool before = std::exchange(object.signalled, signalled);
  scheduler_.Preempt();
  return before;
}

bool DriverLocks::IsSignalled(const void* event) {
  return Of(event, Kind::kNotificationEvent, "KeReadStateEvent").signalled;
}

bool DriverLocks::Wait(const void* at, std::optional<uint64_t> timeout_ns) {
  const auto found = objects_.find(at);
  const Kind kind = found == objects_.end() || found->second.kind != Kind::kMutex ? Kind::kNotificationEvent
                                                                                  : Kind::kMutex;
  Object& object = Of(at, kind, "KeWaitForSingleObject");
  const bool waits = timeout_ns != std::optional<uint64_t>(0);
  if (scheduler_.irql() > (waits ? kApc : kDispatch)) {
    throw BugCheck("KeWaitForSingleObject" + At(scheduler_.irql()) + " for " + Name(at, object) + ": a wait" +
                   (waits ? " is for IRQL below DISPATCH_LEVEL; only a timeout of 0 is not"
                          : ", even with a timeout of 0, is not for IRQL above DISPATCH_LEVEL"));
  }
  try {
    if (waits) Await(at, object, /*spins=*/false, timeout_ns);
  } catch (const OsTimeout&) {
    if (!timeout_ns) throw;
  }
  if (!Free(object)) return false;
  Take(at, object);
  return true;
}

size_t DriverLocks::held() const {
  if (held_by_.empty()) return 0;
  const auto found = held_by_.find(scheduler_.thread());
  return found == held_by_.end() ? 0 : found->second;
}

void DriverLocks::CheckReturn(const char* entry, size_t before) const {
  if (held() <= before) return;
  for (const auto& [at, object] : objects_) {
    if (object.holder == scheduler_.thread())
      throw BugCheck(std::string(entry) + " returned and holds " + Name(at, object));
  }
}

void DriverLocks::Abandon() {
  for (auto& [at, object] : objects_) {
    object.holder = nullptr;
    object.depth = 0;
  }
  held_by_.clear();
}

void DriverLocks::Forget(const void* begin, size_t bytes) {
  const auto* const from = static_cast<const char*>(begin);
  for (auto it = objects_.lower_bound(from); it != objects_.end() && it->first < from + bytes;) {
    if (it->second.holder != nullptr)
      throw BugCheck(Name(it->first, it->second) + " is freed while " + it->second.holder_name + " holds it");
    it = objects_.erase(it);
  }
}

}  // namespace gmmu::os
