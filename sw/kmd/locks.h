// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

#include "ddi/wdm.h"

namespace gmmu::kmd {

/// Mutual exclusion of threads and DPCs, at DISPATCH_LEVEL. Hold it for a few accesses only, and
/// never while waiting. Data shared with the interrupt routine needs Adapter::AtDeviceLevel
/// instead. The object must not be moved.
class SpinLock {
 public:
  SpinLock() { KeInitializeSpinLock(&lock_); }
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;

  /// Runs `work` with the lock held and returns its result.
  template <typename Work>
  auto With(const Work& work) {
    KIRQL before;
    KeAcquireSpinLock(&lock_, &before);
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      KeReleaseSpinLock(&lock_, before);
    } else {
      const auto result = work();
      KeReleaseSpinLock(&lock_, before);
      return result;
    }
  }

 private:
  KSPIN_LOCK lock_;
};

/// Mutual exclusion of threads, at APC_LEVEL. It may be held while polling registers, but not
/// during a Dxgkrnl callback that may call into the driver on another thread.
class FastMutex {
 public:
  FastMutex() { ExInitializeFastMutex(&mutex_); }
  FastMutex(const FastMutex&) = delete;
  FastMutex& operator=(const FastMutex&) = delete;

  template <typename Work>
  auto With(const Work& work) {
    ExAcquireFastMutex(&mutex_);
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      ExReleaseFastMutex(&mutex_);
    } else {
      const auto result = work();
      ExReleaseFastMutex(&mutex_);
      return result;
    }
  }

 private:
  FAST_MUTEX mutex_;
};

/// A lock for threads. Its holder stays at PASSIVE_LEVEL, so it may call every callback.
class Mutex {
 public:
  Mutex() { KeInitializeMutex(&mutex_, 0); }
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  template <typename Work>
  auto With(const Work& work) {
    KeWaitForSingleObject(&mutex_, Executive, KernelMode, FALSE, nullptr);
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      KeReleaseMutex(&mutex_, FALSE);
    } else {
      const auto result = work();
      KeReleaseMutex(&mutex_, FALSE);
      return result;
    }
  }

 private:
  KMUTEX mutex_;
};

}  // namespace gmmu::kmd
