// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ddi/ntdef.h"
#include "os/threads/scheduler.h"

namespace gmmu::os {

class RaceDetector;

/// The locks of a driver, and the objects for which its threads wait, identified by their
/// addresses. os/wdm/locks.cc and os/wdm/waits.cc implement the kernel routines.
///
/// Misuse triggers a bug check that names the object: an uninitialised object, a routine at a wrong
/// IRQL, a lock that its holder acquires again, a deadlock between two holders, a release by
/// another thread, a lock that is still held when an entry point returns or when the lock's memory
/// is freed, memory that is freed while a thread waits for an object in it, or a resource used
/// outside a critical region. A wait is bounded by kBoundNs, except in a driver's own thread, which
/// may be idle as long as the machine is on.
class DriverLocks {
 public:
  enum class Kind : uint8_t {
    kSpinLock,
    kFastMutex,
    kGuardedMutex,
    kMutex,
    kResource,
    kNotificationEvent,
    kSynchronizationEvent,
    kSemaphore,
    kNotificationTimer,
    kSynchronizationTimer,
    kThread,
  };
  enum class Access : uint8_t { kExclusive, kShared };  ///< only a resource can be shared
  static constexpr uint64_t kBoundNs = 1'000'000'000;   ///< simulated time limit of a wait without a timeout

  DriverLocks(Scheduler& scheduler, RaceDetector& races) : scheduler_(scheduler), races_(races) {}

  /// Registers `object` as a free object of this kind; an event starts in state `signalled`. If
  /// `name` is not empty, messages use it instead of the object's address.
  void Initialize(const void* object, Kind kind, bool signalled = false, const std::string& name = "");
  /// Registers a semaphore. Triggers a bug check unless 0 <= count <= limit and 0 < limit.
  void InitializeSemaphore(const void* object, LONG count, LONG limit);

  /// Returns the previous IRQL. If `raises` is true, raises the IRQL to DISPATCH_LEVEL; otherwise
  /// the caller must have done so.
  Irql AcquireSpinLock(const void* lock, bool raises);
  /// `to` is the IRQL after the release; nullopt leaves it unchanged.
  void ReleaseSpinLock(const void* lock, std::optional<Irql> to);
  void AcquireFastMutex(const void* mutex);
  bool TryFastMutex(const void* mutex);
  void ReleaseFastMutex(const void* mutex);
  /// Returns false if another thread holds the mutex and `waits` is false.
  bool AcquireGuardedMutex(const void* mutex, bool waits);
  void ReleaseGuardedMutex(const void* mutex);
  /// Call at DISPATCH_LEVEL or above. Returns false if another thread holds the lock.
  bool TrySpinLock(const void* lock);
  /// Runs `operation` on data that `lock` guards. This is for interlocked routines that acquire the
  /// lock themselves. No thread may already hold the lock, at any IRQL.
  void Interlocked(const void* lock, const char* routine, const std::function<void()>& operation);
  /// Returns true if the mutex is free afterwards.
  bool ReleaseMutex(const void* mutex);

  /// Returns false if `waits` is false and the thread would have to wait. A holder may acquire the
  /// resource again with the access that it already has.
  bool AcquireResource(const void* resource, Access access, bool waits);
  void ReleaseResource(const void* resource);
  /// Unregisters the resource. Triggers a bug check if a thread holds the resource or waits for it.
  void DeleteResource(const void* resource);
  /// Between EnterCriticalRegion and LeaveCriticalRegion, normal kernel APCs are disabled for the
  /// thread. They are also disabled while it holds a fast mutex or a mutex.
  void EnterCriticalRegion();
  void LeaveCriticalRegion();

  /// Returns the previous state.
  bool SetEvent(const void* event, bool signalled);
  bool IsSignalled(const void* event);
  /// Returns the previous count; triggers a bug check if the count would exceed its limit.
  LONG ReleaseSemaphore(const void* semaphore, LONG adjustment);
  LONG CountOf(const void* semaphore);
  /// Sets whether a timer or a thread is signalled.
  void Signal(const void* object, bool signalled);
  bool MutexIsFree(const void* mutex);
  bool TimerIsSignalled(const void* timer);
  /// If the object is not a timer, triggers a bug check that names `routine`.
  void RequireTimer(const void* timer, const char* routine);
  /// Waits for mutexes, events, semaphores, timers or threads: for all of them if `all` is true,
  /// otherwise for any one. Returns the index of the object that was acquired (0 if `all` is true),
  /// or nullopt after the timeout. If `timeout_ns` is nullopt, only kBoundNs limits the wait. If it
  /// is 0, the call does not wait and is permitted up to DISPATCH_LEVEL.
  std::optional<size_t> Wait(const std::vector<const void*>& objects, bool all, std::optional<uint64_t> timeout_ns,
                             const char* routine = "KeWaitForSingleObject");

  /// Number of locks that the current thread holds, plus the number of critical regions that it is
  /// in.
  size_t held() const;
  /// Triggers a bug check if the thread holds more locks than `before`, the value of held() when
  /// `entry` was called.
  void CheckReturn(const char* entry, size_t before) const;
  /// Call after an error has ended all threads. Releases all locks, so that the driver can still be queried.
  void Abandon();
  /// Call when [begin, begin + bytes) is freed. Unregisters the objects there. Triggers a bug check if one of these
  /// objects is a held lock, or if a thread waits for one.
  void Forget(const void* begin, size_t bytes);

 private:
  struct Holder {
    const void* thread;
    std::string name;
    unsigned depth;  // recursion depth
  };
  struct Object {
    Kind kind = Kind::kSpinLock;
    std::string name;           // used in messages; if empty, the address is used
    bool signalled = false;     // for events, timers and threads
    LONG count = 0, limit = 0;  // for semaphores
    std::vector<Holder> holders;
    Access access = Access::kExclusive;  // kShared: several threads may hold it
    unsigned exclusive_waiters = 0;      // for resources: block new shared acquisitions
    Irql before = kPassive;              // for fast mutexes: IRQL to restore on release
    std::optional<Irql> taken_at;        // for spin locks: IRQL of earlier acquisitions

    const Holder* HeldBy(const void* thread) const;
    std::string Names() const;  // names of the holders
  };
  Object& Of(const void* object, Kind kind, const char* routine);
  /// True for kinds that have a signalled state and no holder.
  static bool IsSignal(Kind kind);
  /// Returns the object at this address. Triggers a bug check if threads cannot wait for its kind.
  Object& Waitable(const void* object, const char* routine);
  bool Free(const Object& object, Access access = Access::kExclusive) const;
  /// Waits until the current thread can acquire the object. If `spins` is true, it spins instead of
  /// sleeping.
  void Await(const void* at, Object& object, bool spins, std::optional<uint64_t> timeout_ns,
             Access access = Access::kExclusive);
  /// Sleeps until `free` returns true. Meanwhile, the thread is recorded as a waiter for the
  /// objects `at`.
  void Sleep(const std::vector<const void*>& at, const std::function<bool()>& free, std::optional<uint64_t> timeout_ns,
             const std::string& what);
  void Take(const void* at, Object& object, Access access = Access::kExclusive);
  void Give(const void* at, Object& object);
  /// Detects a deadlock: describes the chain of waits from the object at `at` back to the current
  /// thread, or returns "" if there is none.
  std::string Cycle(const void* at, std::set<const void*>& seen) const;
  void RequireHolder(const void* at, const Object& object, const char* routine) const;
  /// Adds `change` to the current thread's number of locks and critical regions.
  void Count(int change);
  /// Returns an object of this kind that the current thread holds, or null.
  const void* HeldOf(Kind kind) const;
  void RequireNoApcs(const std::string& routine) const;
  std::string Name(const void* at, const Object& object) const;

  Scheduler& scheduler_;
  RaceDetector& races_;
  std::map<const void*, Object> objects_;
  /// While a Waiting exists, the current thread is recorded as a waiter for the objects passed to
  /// the constructor.
  class Waiting {
   public:
    Waiting(DriverLocks& locks, const std::vector<const void*>& objects);
    ~Waiting();
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    DriverLocks& locks_;
    const void* const thread_;
  };
  struct Waits {
    std::string thread;
    std::vector<const void*> objects;
  };
  std::map<const void*, Waits> waiting_;     // by thread: the objects for which it waits
  std::map<const void*, size_t> held_by_;    // by thread: number of its locks and critical regions
  std::map<const void*, unsigned> regions_;  // by thread: nesting depth of its critical regions
};

}  // namespace gmmu::os
