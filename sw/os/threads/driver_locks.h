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

/// The locks of a driver, and the objects that its threads wait for, identified by their addresses (os/wdm/locks.cc and
/// os/wdm/waits.cc have the routines).
///
/// Misuse is a bug check that names the object: an uninitialised object, a routine at a wrong IRQL, a lock that its
/// holder acquires again, two holders that wait for each other, a release by another thread, a lock held at the return
/// from an entry point or when its memory is freed, memory freed while a thread waits for an object in it, a resource
/// outside of a critical region. A wait is bounded by kBoundNs, except in a thread that the driver made: such a thread
/// may have no work for as long as the machine is on.
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
  static constexpr uint64_t kBoundNs = 1'000'000'000;   ///< simulated time, for a wait without a timeout

  DriverLocks(Scheduler& scheduler, RaceDetector& races) : scheduler_(scheduler), races_(races) {}

  /// Registers `object` as a free object of this kind, or as an event with its state. `name` replaces its address in
  /// texts.
  void Initialize(const void* object, Kind kind, bool signalled = false, const std::string& name = "");
  /// Registers a semaphore. A bug check unless 0 <= count <= limit and 0 < limit.
  void InitializeSemaphore(const void* object, LONG count, LONG limit);

  /// Returns the IRQL before; `raises`: raise it to DISPATCH_LEVEL, otherwise the caller has raised it.
  Irql AcquireSpinLock(const void* lock, bool raises);
  /// `to`: the IRQL afterwards; nullopt: unchanged.
  void ReleaseSpinLock(const void* lock, std::optional<Irql> to);
  void AcquireFastMutex(const void* mutex);
  bool TryFastMutex(const void* mutex);
  void ReleaseFastMutex(const void* mutex);
  /// False: the mutex is held by another thread, and `waits` is false.
  bool AcquireGuardedMutex(const void* mutex, bool waits);
  void ReleaseGuardedMutex(const void* mutex);
  /// Call at DISPATCH_LEVEL or above. False: another thread holds it.
  bool TrySpinLock(const void* lock);
  /// Runs `operation` on data that `lock` guards, for an interlocked routine that acquires the lock itself. No thread
  /// may hold the lock, at any IRQL.
  void Interlocked(const void* lock, const char* routine, const std::function<void()>& operation);
  /// Returns whether the mutex is free afterwards.
  bool ReleaseMutex(const void* mutex);

  /// False: the thread would have to wait, and `waits` is false. A holder acquires it again with the same access.
  bool AcquireResource(const void* resource, Access access, bool waits);
  void ReleaseResource(const void* resource);
  /// Call when the memory is no longer a resource.
  void DeleteResource(const void* resource);
  /// Between Enter and Leave the thread gets no normal kernel APC, as while it holds a fast mutex or a mutex.
  void EnterCriticalRegion();
  void LeaveCriticalRegion();

  /// Returns the previous state.
  bool SetEvent(const void* event, bool signalled);
  bool IsSignalled(const void* event);
  /// Returns the previous count; a bug check when the count exceeds its limit.
  LONG ReleaseSemaphore(const void* semaphore, LONG adjustment);
  LONG CountOf(const void* semaphore);
  /// Sets whether waits for a timer or a thread end from now on.
  void Signal(const void* object, bool signalled);
  bool MutexIsFree(const void* mutex);
  bool TimerIsSignalled(const void* timer);
  /// Returns the timer's kind; a bug check with the name `routine` if the object is not a timer.
  void RequireTimer(const void* timer, const char* routine);
  /// Waits for mutexes, events, semaphores, timers or threads: for `all` of them, or for the first available one, whose
  /// index is returned. `timeout_ns` nullopt: bounded by kBoundNs only; 0: no wait, allowed up to DISPATCH_LEVEL.
  /// Returns nullopt after the timeout.
  std::optional<size_t> Wait(const std::vector<const void*>& objects, bool all, std::optional<uint64_t> timeout_ns,
                             const char* routine = "KeWaitForSingleObject");

  /// Locks that the running thread holds, and critical regions that it is in.
  size_t held() const;
  /// A bug check when the thread holds more than `before`, which it held when it entered `entry`.
  void CheckReturn(const char* entry, size_t before) const;
  /// Call when an error has ended the threads: releases everything, so that the driver can still be
  /// queried.
  void Abandon();
  /// Call when [begin, begin + bytes) is freed: forgets the objects there. A bug check when it has a held lock, or an
  /// object for which a thread waits.
  void Forget(const void* begin, size_t bytes);

 private:
  struct Holder {
    const void* thread;
    std::string name;
    unsigned depth;  // acquisitions of an object that its holder may acquire again
  };
  struct Object {
    Kind kind = Kind::kSpinLock;
    std::string name;           // "": the object is named by its address
    bool signalled = false;     // event, timer, thread
    LONG count = 0, limit = 0;  // semaphore
    std::vector<Holder> holders;
    Access access = Access::kExclusive;  // mode of the holders; several if shared
    unsigned exclusive_waiters = 0;      // resource: shared acquisitions wait behind these waiters
    Irql before = kPassive;              // fast mutex: the IRQL to restore
    std::optional<Irql> taken_at;        // spin lock: DISPATCH_LEVEL or device level

    const Holder* HeldBy(const void* thread) const;
    std::string Names() const;  // names of the holders
  };
  Object& Of(const void* object, Kind kind, const char* routine);
  /// True for kinds that are signalled or not and have no holder.
  static bool IsSignal(Kind kind);
  /// Finds an object that can be waited for.
  Object& Waitable(const void* object, const char* routine);
  bool Free(const Object& object, Access access = Access::kExclusive) const;
  /// Waits, spinning or not, until the thread can acquire the object.
  void Await(const void* at, Object& object, bool spins, std::optional<uint64_t> timeout_ns,
             Access access = Access::kExclusive);
  /// Sleeps until `free`; meanwhile the thread counts as waiting for these objects.
  void Sleep(const std::vector<const void*>& at, const std::function<bool()>& free, std::optional<uint64_t> timeout_ns,
             const std::string& what);
  void Take(const void* at, Object& object, Access access = Access::kExclusive);
  void Give(const void* at, Object& object);
  /// The chain of waits from the object at `at` back to the running thread; "" if there is none.
  std::string Cycle(const void* at, std::set<const void*>& seen) const;
  void RequireHolder(const void* at, const Object& object, const char* routine) const;
  /// Counts one more, or one less, object or region of the running thread.
  void Count(int change);
  /// The object of a kind that the running thread holds; null: none.
  const void* HeldOf(Kind kind) const;
  void RequireNoApcs(const std::string& routine) const;
  std::string Name(const void* at, const Object& object) const;

  Scheduler& scheduler_;
  RaceDetector& races_;
  std::map<const void*, Object> objects_;
  /// While an object exists, the running thread counts as waiting for the objects.
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
  std::map<const void*, Waits> waiting_;     // objects that each thread waits for
  std::map<const void*, size_t> held_by_;    // number of locks and regions of each thread
  std::map<const void*, unsigned> regions_;  // depth of critical regions of each thread
};

}  // namespace gmmu::os
