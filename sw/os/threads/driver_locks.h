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

/// The locks of a driver, and the objects that its threads wait for, which are known by their addresses (wdm_locks.cc and
/// wdm_waits.cc have the routines).
///
/// Misuse is a bug check that names the object: an object that was not initialised, an IRQL that the routine may not be
/// called at, a lock that its holder asks for again, two holders that wait for each other, a release by another thread,
/// a return from an entry point or a free of the memory with the lock held, a free of what a thread waits for, a resource
/// without a critical region. No wait lasts longer than kBoundNs, except of a thread that the driver made: that one may have
/// nothing to do for as long as the machine is on.
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
  enum class Access : uint8_t { kExclusive, kShared };  ///< only a resource is shared
  static constexpr uint64_t kBoundNs = 1'000'000'000;   ///< of the machine's time, for a wait without a timeout

  DriverLocks(Scheduler& scheduler, RaceDetector& races) : scheduler_(scheduler), races_(races) {}

  /// Registers `object` as a free object of this kind, or as an event with its state. `name` replaces its address in
  /// texts.
  void Initialize(const void* object, Kind kind, bool signalled = false, const std::string& name = "");
  /// Registers a semaphore. A bug check unless 0 <= count <= limit and 0 < limit.
  void InitializeSemaphore(const void* object, LONG count, LONG limit);

  /// Returns the IRQL before; `raises`: to DISPATCH_LEVEL, else the caller has raised it.
  Irql AcquireSpinLock(const void* lock, bool raises);
  /// `to`: the IRQL afterwards; none: it stays.
  void ReleaseSpinLock(const void* lock, std::optional<Irql> to);
  void AcquireFastMutex(const void* mutex);
  bool TryFastMutex(const void* mutex);
  void ReleaseFastMutex(const void* mutex);
  /// False: not without a wait, and `waits` is false.
  bool AcquireGuardedMutex(const void* mutex, bool waits);
  void ReleaseGuardedMutex(const void* mutex);
  /// At DISPATCH_LEVEL or above; false: another thread has it.
  bool TrySpinLock(const void* lock);
  /// An operation on what `lock` guards, by a routine that has it meanwhile: nobody may hold it, at any IRQL.
  void Interlocked(const void* lock, const char* routine, const std::function<void()>& operation);
  /// Returns whether it was free afterwards.
  bool ReleaseMutex(const void* mutex);

  /// False: it would have to wait, and `waits` is false. A holder acquires it again with the same access.
  bool AcquireResource(const void* resource, Access access, bool waits);
  void ReleaseResource(const void* resource);
  /// The memory is no longer a resource.
  void DeleteResource(const void* resource);
  /// Between the two the thread gets no normal kernel APC, as while it holds a fast mutex or a mutex.
  void EnterCriticalRegion();
  void LeaveCriticalRegion();

  /// Returns the state before.
  bool SetEvent(const void* event, bool signalled);
  bool IsSignalled(const void* event);
  /// Returns the count before; a bug check above its limit.
  LONG ReleaseSemaphore(const void* semaphore, LONG adjustment);
  LONG CountOf(const void* semaphore);
  /// Of a timer or a thread: whether waits for it end from now on.
  void Signal(const void* object, bool signalled);
  bool MutexIsFree(const void* mutex);
  bool TimerIsSignalled(const void* timer);
  /// The timer's kind; a bug check with `routine` for what is no timer.
  void RequireTimer(const void* timer, const char* routine);
  /// Of a mutex, an event, a semaphore, a timer or a thread; `all` of them, or the first that can be had, whose index is
  /// returned. `timeout_ns` none: no end but kBoundNs, and 0: no wait, at any IRQL up to DISPATCH_LEVEL. None: the time has
  /// passed.
  std::optional<size_t> Wait(const std::vector<const void*>& objects, bool all, std::optional<uint64_t> timeout_ns,
                             const char* routine = "KeWaitForSingleObject");

  /// Locks that the running thread holds, and critical regions that it is in.
  size_t held() const;
  /// A bug check when the thread holds more than `before`, with which it came into `entry`.
  void CheckReturn(const char* entry, size_t before) const;
  /// The threads have ended in an error: nobody holds anything, so that the driver can still be asked what happened.
  void Abandon();
  /// [begin, begin + bytes) is freed: a bug check when a held lock lies there, or what a thread waits for; objects in it are no
  /// more.
  void Forget(const void* begin, size_t bytes);

 private:
  struct Holder {
    const void* thread;
    std::string name;
    unsigned depth;  // of what its holder may have more than once
  };
  struct Object {
    Kind kind = Kind::kSpinLock;
    std::string name;           // "": its address
    bool signalled = false;     // of an event, a timer, a thread
    LONG count = 0, limit = 0;  // of a semaphore
    std::vector<Holder> holders;
    Access access = Access::kExclusive;  // of the holders; several share
    unsigned exclusive_waiters = 0;      // of a resource: threads that want to share it wait behind these
    Irql before = kPassive;              // of a fast mutex: the IRQL to go back to
    std::optional<Irql> taken_at;        // of a spin lock: DISPATCH_LEVEL or device level

    const Holder* HeldBy(const void* thread) const;
    std::string Names() const;  // of the holders
  };
  Object& Of(const void* object, Kind kind, const char* routine);
  /// It is signalled or not, and nobody holds it.
  static bool IsSignal(Kind kind);
  /// What can be waited for.
  Object& Waitable(const void* object, const char* routine);
  bool Free(const Object& object, Access access = Access::kExclusive) const;
  /// Waits, spinning or not, until the thread can have the object.
  void Await(const void* at, Object& object, bool spins, std::optional<uint64_t> timeout_ns,
             Access access = Access::kExclusive);
  /// Sleeps until `free`; the objects are those that the thread waits for meanwhile.
  void Sleep(const std::vector<const void*>& at, const std::function<bool()>& free, std::optional<uint64_t> timeout_ns,
             const std::string& what);
  void Take(const void* at, Object& object, Access access = Access::kExclusive);
  void Give(const void* at, Object& object);
  /// The waits from the object at `at` back to the running thread; "" when they do not lead there.
  std::string Cycle(const void* at, std::set<const void*>& seen) const;
  void RequireHolder(const void* at, const Object& object, const char* routine) const;
  /// One more object or region of the running thread, or one less.
  void Count(int change);
  /// The object of a kind that the running thread holds; null: none.
  const void* HeldOf(Kind kind) const;
  void RequireNoApcs(const std::string& routine) const;
  std::string Name(const void* at, const Object& object) const;

  Scheduler& scheduler_;
  RaceDetector& races_;
  std::map<const void*, Object> objects_;
  /// The running thread waits for them as long as this lives.
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
  std::map<const void*, Waits> waiting_;     // by thread
  std::map<const void*, size_t> held_by_;    // thread -> locks and regions
  std::map<const void*, unsigned> regions_;  // thread -> critical regions that it is in
};

}  // namespace gmmu::os
