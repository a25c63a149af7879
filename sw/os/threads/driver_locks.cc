// SPDX-License-Identifier: Apache-2.0
#include "os/threads/driver_locks.h"

#include <algorithm>

#include "os/base/bug_check.h"
#include "os/threads/race_detector.h"
#include "os/guard/driver_guard.h"
#include "os/guard/stack_meter.h"

namespace gmmu::os {
namespace {

const char* NameOf(DriverLocks::Kind kind) {
  switch (kind) {
    case DriverLocks::Kind::kSpinLock: return "spin lock";
    case DriverLocks::Kind::kFastMutex: return "fast mutex";
    case DriverLocks::Kind::kGuardedMutex: return "guarded mutex";
    case DriverLocks::Kind::kMutex: return "mutex";
    case DriverLocks::Kind::kResource: return "resource";
    case DriverLocks::Kind::kSemaphore: return "semaphore";
    case DriverLocks::Kind::kNotificationTimer:
    case DriverLocks::Kind::kSynchronizationTimer: return "timer";
    case DriverLocks::Kind::kThread: return "thread";
    default: return "event";
  }
}

bool IsEvent(DriverLocks::Kind kind) {
  return kind == DriverLocks::Kind::kNotificationEvent || kind == DriverLocks::Kind::kSynchronizationEvent;
}

bool IsTimer(DriverLocks::Kind kind) {
  return kind == DriverLocks::Kind::kNotificationTimer || kind == DriverLocks::Kind::kSynchronizationTimer;
}

std::string At(Irql irql) { return " at IRQL " + std::to_string(irql) + DriverGuard::CallSite(); }

}  // namespace

bool DriverLocks::IsSignal(Kind kind) {
  return IsEvent(kind) || IsTimer(kind) || kind == Kind::kSemaphore || kind == Kind::kThread;
}

std::string DriverLocks::Name(const void* at, const Object& object) const {
  if (!object.name.empty()) return object.name;
  return std::string("the ") + NameOf(object.kind) + " at " + races_.NameOf(at);
}

void DriverLocks::Initialize(const void* object, Kind kind, bool signalled, const std::string& name) {
  const auto found = objects_.find(object);
  if (found != objects_.end() && !found->second.holders.empty())
    throw BugCheck(Name(object, found->second) + " is initialised while " + found->second.Names() + " holds it");
  Object made;
  made.kind = kind;
  made.name = name;
  made.signalled = signalled;
  objects_[object] = made;
}

DriverLocks::Object& DriverLocks::Of(const void* object, Kind kind, const char* routine) {
  const auto found = objects_.find(object);
  if (found == objects_.end()) {
    throw BugCheck(std::string(routine) + ": the " + NameOf(kind) + " at " + races_.NameOf(object) +
                   " was not initialised");
  }
  const Kind is = found->second.kind;
  const bool same = is == kind || (IsEvent(kind) && IsEvent(is)) || (IsTimer(kind) && IsTimer(is));
  if (!same) throw BugCheck(std::string(routine) + ": " + Name(object, found->second) + " is no " + NameOf(kind));
  return found->second;
}

const DriverLocks::Holder* DriverLocks::Object::HeldBy(const void* thread) const {
  const auto found = std::find_if(holders.begin(), holders.end(),
                                  [thread](const Holder& holder) { return holder.thread == thread; });
  return found == holders.end() ? nullptr : &*found;
}

std::string DriverLocks::Object::Names() const {
  std::string names;
  for (const Holder& holder : holders) names += (names.empty() ? "" : " and ") + holder.name;
  return names;
}

bool DriverLocks::Free(const Object& object, Access access) const {
  if (object.kind == Kind::kSemaphore) return object.count > 0;
  if (IsSignal(object.kind)) return object.signalled;
  if (object.holders.empty() && (access == Access::kExclusive || object.exclusive_waiters == 0)) return true;
  const bool own = object.HeldBy(scheduler_.thread()) != nullptr;
  if (object.kind == Kind::kMutex) return own;
  if (object.kind != Kind::kResource) return false;
  if (own) return access == Access::kShared || object.access == Access::kExclusive;
  return access == Access::kShared && object.access == Access::kShared && object.exclusive_waiters == 0;
}

std::string DriverLocks::Cycle(const void* at, std::set<const void*>& seen) const {
  if (!seen.insert(at).second) return "";
  const Object& object = objects_.at(at);
  const std::string link = " waits for " + Name(at, object) + ", which ";
  if (object.HeldBy(scheduler_.thread()) != nullptr) return link + "it holds itself";
  for (const Holder& holder : object.holders) {
    const auto wait = waiting_.find(holder.thread);
    const bool one = wait != waiting_.end() && wait->second.objects.size() == 1;
    const std::string rest = one ? Cycle(wait->second.objects[0], seen) : "";
    if (!rest.empty()) return link + holder.name + " holds, who" + rest;
  }
  return "";
}

void DriverLocks::Await(const void* at, Object& object, bool spins, std::optional<uint64_t> timeout_ns, Access access) {
  scheduler_.Preempt();
  if (Free(object, access)) return;
  std::set<const void*> seen;
  const std::string cycle = Cycle(at, seen);
  if (!cycle.empty()) throw BugCheck("deadlock: " + scheduler_.current() + cycle);
  const std::string what = Name(at, object) + (object.holders.empty() ? "" : ", which " + object.Names() + " holds");
  struct Exclusive {
    Exclusive(unsigned& waiters, bool one) : waiters_(waiters), one_(one) { waiters_ += one_; }
    ~Exclusive() { waiters_ -= one_; }
    unsigned& waiters_;
    const bool one_;
  } const exclusive(object.exclusive_waiters, access == Access::kExclusive);
  const auto free = [&] { return Free(object, access); };
  if (!spins) return Sleep({at}, free, timeout_ns, what);
  const Waiting waits(*this, {at});
  scheduler_.Spin(free, what);
}

void DriverLocks::Count(int change) {
  const void* const self = scheduler_.thread();
  if ((held_by_[self] += static_cast<size_t>(change)) == 0) held_by_.erase(self);
}

// For race detection, threads that share a resource are not ordered with each other. They therefore
// release a second address, one byte higher, which only an exclusive acquisition acquires.
void DriverLocks::Take(const void* at, Object& object, Access access) {
  races_.Acquire(at);
  if (object.kind == Kind::kResource && access == Access::kExclusive) races_.Acquire(static_cast<const char*>(at) + 1);
  if (object.kind == Kind::kSynchronizationEvent || object.kind == Kind::kSynchronizationTimer)
    object.signalled = false;
  if (object.kind == Kind::kSemaphore) --object.count;
  if (IsSignal(object.kind)) return;
  if (const Holder* own = object.HeldBy(scheduler_.thread()); own != nullptr) {
    ++const_cast<Holder*>(own)->depth;
    return;
  }
  object.holders.push_back({scheduler_.thread(), scheduler_.current(), 1});
  object.access = access;
  Count(1);
}

void DriverLocks::Give(const void* at, Object& object) {
  races_.Release(object.access == Access::kShared ? static_cast<const char*>(at) + 1 : at);
  const auto own = std::find_if(object.holders.begin(), object.holders.end(),
                                [this](const Holder& holder) { return holder.thread == scheduler_.thread(); });
  if (--own->depth != 0) return;
  object.holders.erase(own);
  Count(-1);
}

void DriverLocks::RequireHolder(const void* at, const Object& object, const char* routine) const {
  if (object.HeldBy(scheduler_.thread()) != nullptr) return;
  throw BugCheck(std::string(routine) + ": " + Name(at, object) + " is released by " + scheduler_.current() + ", " +
                 (object.holders.empty() ? "and nobody holds it" : "and " + object.Names() + " holds it"));
}

const void* DriverLocks::HeldOf(Kind kind) const {
  for (const auto& [at, object] : objects_) {
    if (object.kind == kind && object.HeldBy(scheduler_.thread()) != nullptr) return at;
  }
  return nullptr;
}

Irql DriverLocks::AcquireSpinLock(const void* lock, bool raises) {
  const char* const routine = raises ? "KeAcquireSpinLock" : "KeAcquireSpinLockAtDpcLevel";
  Object& object = Of(lock, Kind::kSpinLock, routine);
  const Irql irql = scheduler_.irql();
  if (raises && irql > kDispatch)
    throw BugCheck(std::string(routine) + At(irql) + ": above DISPATCH_LEVEL only DxgkCbSynchronizeExecution locks");
  if (!raises) scheduler_.RequireIrql(routine, kHigh, kDispatch);
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

bool DriverLocks::TrySpinLock(const void* lock) {
  const char* const routine = "KeTryToAcquireSpinLockAtDpcLevel";
  Object& object = Of(lock, Kind::kSpinLock, routine);
  scheduler_.RequireIrql(routine, kHigh, kDispatch);
  scheduler_.Preempt();
  if (!Free(object)) return false;
  Take(lock, object);
  return true;
}

void DriverLocks::Interlocked(const void* lock, const char* routine, const std::function<void()>& operation) {
  const Object& object = Of(lock, Kind::kSpinLock, routine);
  scheduler_.Preempt();
  if (object.HeldBy(scheduler_.thread()) != nullptr)
    throw BugCheck("deadlock: " + scheduler_.current() + " calls " + routine + " with " + Name(lock, object) +
                   ", which it holds itself");
  if (!object.holders.empty())
    throw BugCheck(std::string(routine) + ": " + Name(lock, object) + " is held by " + object.Names() +
                   "; a lock of this routine is for interlocked lists only");
  races_.Acquire(lock);
  operation();
  races_.Release(lock);
}

void DriverLocks::ReleaseSpinLock(const void* lock, std::optional<Irql> to) {
  const char* const routine = to ? "KeReleaseSpinLock" : "KeReleaseSpinLockFromDpcLevel";
  Object& object = Of(lock, Kind::kSpinLock, routine);
  RequireHolder(lock, object, routine);
  scheduler_.RequireIrql(routine, kHigh, kDispatch);
  Give(lock, object);
  if (!to) return scheduler_.Preempt();
  if (*to < kDispatch) {
    if (const void* const other = HeldOf(Kind::kSpinLock); other != nullptr) {
      throw BugCheck("KeReleaseSpinLock lowers the IRQL to " + std::to_string(*to) + " while " +
                     Name(other, objects_.at(other)) + " is held");
    }
  }
  scheduler_.Lower(*to);
}

void DriverLocks::AcquireFastMutex(const void* mutex) {
  Object& object = Of(mutex, Kind::kFastMutex, "ExAcquireFastMutex");
  scheduler_.RequireApc("ExAcquireFastMutex");
  const Irql before = scheduler_.Raise(kApc);
  Await(mutex, object, /*spins=*/false, std::nullopt);
  object.before = before;
  Take(mutex, object);
}

bool DriverLocks::TryFastMutex(const void* mutex) {
  Object& object = Of(mutex, Kind::kFastMutex, "ExTryToAcquireFastMutex");
  scheduler_.RequireApc("ExTryToAcquireFastMutex");
  scheduler_.Preempt();
  if (!Free(object)) return false;
  object.before = scheduler_.Raise(kApc);
  Take(mutex, object);
  return true;
}

void DriverLocks::ReleaseFastMutex(const void* mutex) {
  Object& object = Of(mutex, Kind::kFastMutex, "ExReleaseFastMutex");
  RequireHolder(mutex, object, "ExReleaseFastMutex");
  scheduler_.RequireIrql("ExReleaseFastMutex", kApc, kApc);
  const Irql before = object.before;
  Give(mutex, object);
  scheduler_.Lower(before);
}

bool DriverLocks::AcquireGuardedMutex(const void* mutex, bool waits) {
  const char* const routine = waits ? "KeAcquireGuardedMutex" : "KeTryToAcquireGuardedMutex";
  Object& object = Of(mutex, Kind::kGuardedMutex, routine);
  scheduler_.RequireApc(routine);
  if (waits) Await(mutex, object, /*spins=*/false, std::nullopt);
  else scheduler_.Preempt();
  if (!Free(object)) return false;
  Take(mutex, object);
  return true;
}

void DriverLocks::ReleaseGuardedMutex(const void* mutex) {
  constexpr const char* kRoutine = "KeReleaseGuardedMutex";
  Object& object = Of(mutex, Kind::kGuardedMutex, kRoutine);
  RequireHolder(mutex, object, kRoutine);
  scheduler_.RequireApc(kRoutine);
  Give(mutex, object);
  scheduler_.Preempt();
}

bool DriverLocks::ReleaseMutex(const void* mutex) {
  Object& object = Of(mutex, Kind::kMutex, "KeReleaseMutex");
  RequireHolder(mutex, object, "KeReleaseMutex");
  Give(mutex, object);
  const bool free = object.holders.empty();
  scheduler_.Preempt();
  return free;
}

void DriverLocks::EnterCriticalRegion() {
  scheduler_.RequireApc("KeEnterCriticalRegion");
  ++regions_[scheduler_.thread()];
  Count(1);
}

void DriverLocks::LeaveCriticalRegion() {
  scheduler_.RequireApc("KeLeaveCriticalRegion");
  const auto found = regions_.find(scheduler_.thread());
  if (found == regions_.end())
    throw BugCheck("KeLeaveCriticalRegion: " + scheduler_.current() + " is in no critical region");
  if (--found->second == 0) regions_.erase(found);
  Count(-1);
  if (const void* const held = HeldOf(Kind::kResource); held != nullptr)
    RequireNoApcs("KeLeaveCriticalRegion while " + Name(held, objects_.at(held)) + " is held");
}

void DriverLocks::RequireNoApcs(const std::string& routine) const {
  if (scheduler_.irql() >= kApc || regions_.count(scheduler_.thread()) != 0 || HeldOf(Kind::kMutex) != nullptr ||
      HeldOf(Kind::kGuardedMutex) != nullptr)
    return;
  throw BugCheck(routine + At(scheduler_.irql()) +
                 ": normal kernel APCs are not disabled (KeEnterCriticalRegion), and one may suspend the holder");
}

bool DriverLocks::AcquireResource(const void* resource, Access access, bool waits) {
  const char* const routine = access == Access::kShared ? "ExAcquireResourceSharedLite"
                                                        : "ExAcquireResourceExclusiveLite";
  Object& object = Of(resource, Kind::kResource, routine);
  scheduler_.RequireApc(routine);
  RequireNoApcs(routine);
  if (waits) Await(resource, object, /*spins=*/false, std::nullopt, access);
  else scheduler_.Preempt();
  if (!Free(object, access)) return false;
  Take(resource, object, access);
  return true;
}

void DriverLocks::ReleaseResource(const void* resource) {
  constexpr const char* kRoutine = "ExReleaseResourceLite";
  Object& object = Of(resource, Kind::kResource, kRoutine);
  RequireHolder(resource, object, kRoutine);
  scheduler_.RequireIrql(kRoutine, kDispatch);
  RequireNoApcs(kRoutine);
  Give(resource, object);
  scheduler_.Preempt();
}

void DriverLocks::DeleteResource(const void* resource) {
  const Object& object = Of(resource, Kind::kResource, "ExDeleteResourceLite");
  if (!object.holders.empty())
    throw BugCheck("ExDeleteResourceLite: " + Name(resource, object) + " is deleted while " + object.Names() +
                   " holds it");
  for (const auto& [thread, waits] : waiting_) {
    if (waits.objects.front() == resource)
      throw BugCheck("ExDeleteResourceLite: " + Name(resource, object) + " is deleted while " + waits.thread +
                     " waits for it");
  }
  objects_.erase(resource);
}

size_t DriverLocks::held() const {
  if (held_by_.empty()) return 0;
  const auto found = held_by_.find(scheduler_.thread());
  return found == held_by_.end() ? 0 : found->second;
}

void DriverLocks::CheckReturn(const char* entry, size_t before) const {
  if (held() <= before) return;
  for (const auto& [at, object] : objects_) {
    if (object.HeldBy(scheduler_.thread()) != nullptr)
      throw BugCheck(std::string(entry) + " returned and holds " + Name(at, object));
  }
  throw BugCheck(std::string(entry) + " returned in a critical region (KeEnterCriticalRegion)");
}

void DriverLocks::Abandon() {
  for (auto& [at, object] : objects_) object.holders.clear();
  waiting_.clear();
  held_by_.clear();
  regions_.clear();
}

void DriverLocks::Forget(const void* begin, size_t bytes) {
  const auto* const from = static_cast<const char*>(begin);
  for (auto it = objects_.lower_bound(from); it != objects_.end() && it->first < from + bytes;) {
    if (!it->second.holders.empty())
      throw BugCheck(Name(it->first, it->second) + " is freed while " + it->second.Names() + " holds it");
    for (const auto& [thread, waits] : waiting_) {
      if (std::count(waits.objects.begin(), waits.objects.end(), it->first) != 0)
        throw BugCheck(Name(it->first, it->second) + " is freed while " + waits.thread + " waits for it");
    }
    it = objects_.erase(it);
  }
}

}  // namespace gmmu::os
