// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

#include "ddi/wdm.h"

namespace gmmu::kmd {

/// Keeps threads and deferred calls apart, at DISPATCH_LEVEL: for a few accesses, without a wait. What the interrupt
/// routine shares is for Adapter::AtDeviceLevel. The object stays where it is made.
class SpinLock {
 public:
  SpinLock() { KeInitializeSpinLock(&lock_); }
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;

  /// Returns what `work` does.
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

/// Keeps threads apart, at APC_LEVEL: also while registers are polled. No callback of Dxgkrnl is called with it that
/// may have the driver called on another thread.
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

/// Keeps threads apart at PASSIVE_LEVEL, where every callback may be called.
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
