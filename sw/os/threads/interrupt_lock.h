// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include "os/threads/scheduler.h"

namespace gmmu::os {

class RaceDetector;

/// The lock of an interrupt object. On all processors, it excludes the interrupt service routine
/// and the routines of DxgkCbSynchronizeExecution from each other.
class InterruptLock {
 public:
  InterruptLock(Scheduler& scheduler, RaceDetector& races) : scheduler_(scheduler), races_(races) {}
  InterruptLock(const InterruptLock&) = delete;
  InterruptLock& operator=(const InterruptLock&) = delete;

  /// Runs `work` at device level with the lock held. Triggers a bug check if the caller already holds the lock.
  void Run(const std::function<void()>& work);

 private:
  Scheduler& scheduler_;
  RaceDetector& races_;
  const void* holder_ = nullptr;  // the fibre that holds the lock; null if free
};

}  // namespace gmmu::os
