// SPDX-License-Identifier: Apache-2.0
#include "os/threads/interrupt_lock.h"

#include "os/base/bug_check.h"
#include "os/threads/race_detector.h"

namespace gmmu::os {

void InterruptLock::Run(const std::function<void()>& work) {
  // The lock's holder may be suspended deeper on this stack; waiting for it would deadlock.
  if (scheduler_.on_another_processor()) return work();
  const void* const self = scheduler_.thread();
  if (holder_ == self) {
    throw BugCheck("deadlock: " + scheduler_.current() +
                   " asks for the interrupt lock (DxgkCbSynchronizeExecution) and holds it already");
  }
  scheduler_.Spin([this] { return holder_ == nullptr; }, "the interrupt lock");
  struct Hold {
    ~Hold() { lock.holder_ = nullptr; }
    InterruptLock& lock;
  } const hold{*this};
  holder_ = self;
  races_.Acquire(this);
  work();
  races_.Release(this);
}

}  // namespace gmmu::os
