// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "os/kernel/scheduler.h"

namespace gmmu::os {

class RaceDetector;

/// The locks and events of a driver, which are known by their addresses (wdm_locks.cc has the routines).
///
/// Misuse is a bug check that names the object: an object that was not initialised, an IRQL that the routine may not be
/// called at, a lock that its holder asks for again, two holders that wait for each other, a release by another thread,
/// a return from an entry point or a free of the memory with the lock held. No wait lasts longer than kBoundNs.
class DriverLocks {
 public:
  enum class Kind : uint8_t { kSpinLock, kFastMutex, kMutex, kNotificationEvent, kSynchronizationEvent };
  static constexpr uint64_t kBoundNs = 1'000'000'000;  ///< of the machine's time, for a wait without a timeout

  DriverLocks(Scheduler& scheduler, RaceDetector& races) : scheduler_(scheduler), races_(races) {}

  /// From now on `object` is one of this kind: free, or an event that is signalled or not.
  void Initialize(const void* object, Kind kind, bool signalled = false);

  /// Returns the IRQL before; `raises`: to DISPATCH_LEVEL, else the caller has raised it.
  Irql AcquireSpinLock(const void* lock, bool raises);
  /// `to`: the IRQL afterwards; none: it stays.
  void ReleaseSpinLock(const void* lock, std::optional<Irql> to);
  void AcquireFastMutex(const void* mutex);
  bool TryFastMutex(const void* mutex);
  void ReleaseFastMutex(const void* mutex);
  /// Returns whether it was free afterwards.
  bool ReleaseMutex(const void* mutex);

  /// Returns the state before.
  bool SetEvent(const void* event, bool signalled);
  bool IsSignalled(const void* event);
  /// Of a mutex or an event. `timeout_ns` none: no end but kBoundNs, and 0: no wait, at any IRQL up to DISPATCH_LEVEL.
  /// False: the time has passed.
  bool Wait(const void* object, std::optional<uint64_t> timeout_ns);

  /// Locks that the running thread holds.
  size_t held() const;
  /// A bug check when the thread holds more than `before`, with which it came into `entry`.
  void CheckReturn(const char* entry, size_t before) const;
  /// The threads have ended in an error: nobody holds anything, so that the driver can still be asked what happened.
  void Abandon();
  /// [begin, begin + bytes) is freed: a bug check when a held lock lies there; objects in it are no more.
  void Forget(const void* begin, size_t bytes);

 private:
  struct Object {
    Kind kind = Kind::kSpinLock;
    bool signalled = false;        // of an event
    const void* holder = nullptr;  // thread
    std::string holder_name;
    unsigned depth = 0;            // of a mutex that its holder has more than once
    Irql before = kPassive;        // of a fast mutex: the IRQL to go back to
    std::optional<Irql> taken_at;  // of a spin lock: DISPATCH_LEVEL or device level
  };
  Object& Of(const void* object, Kind kind, const char* routine);
  bool Free(const Object& object) const;
  /// Waits, spinning or not, until the thread can have the object.
  void Await(const void* at, Object& object, bool spins, std::optional<uint64_t> timeout_ns);
  void Take(const void* at, Object& object);
  void Give(const void* at, Object& object);
  void RefuseCycle(const void* at) const;
  void RequireHolder(const void* at, const Object& object, const char* routine) const;
  std::string Name(const void* at, const Object& object) const;

  Scheduler& scheduler_;
  RaceDetector& races_;
  std::map<const void*, Object> objects_;
  std::map<const void*, const void*> waiting_;  // thread -> object
  std::map<const void*, size_t> held_by_;       // thread -> locks
};

}  // namespace gmmu::os
