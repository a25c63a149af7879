// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ddi/wdm_threads.h"
#include "os/kernel/kernel_objects.h"

namespace gmmu::os {

class Kernel;

/// The object that represents a system thread to a driver.
struct SystemThread : KernelObject {
  LONG priority = 8;
  uint64_t number = 0;  ///< the scheduler's number of the fibre
};

/// Threads that a driver creates (PsCreateSystemThread). Each is a fibre that does not keep a run
/// going. The ledger lists a thread (system_thread) until it exits. DriverLocks implements waits
/// for threads.
class SystemThreads {
 public:
  explicit SystemThreads(Kernel& kernel) : kernel_(kernel) {}

  SystemThread& Create(PKSTART_ROUTINE start, PVOID context);
  /// Ends the current thread. Does nothing if Create did not start it.
  void Terminate();
  /// Returns the current thread, even if Create did not start it.
  SystemThread& Current();
  /// Returns null if `thread` is not a system thread.
  SystemThread* Find(const void* thread) const;

 private:
  struct Ended {};

  Kernel& kernel_;
  std::vector<std::unique_ptr<SystemThread>> threads_;
  std::map<uint64_t, SystemThread*> by_number_;
};

}  // namespace gmmu::os
