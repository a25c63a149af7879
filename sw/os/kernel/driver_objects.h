// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "os/kernel/device_accesses.h"
#include "os/kernel/driver_dpcs.h"
#include "os/kernel/driver_timers.h"
#include "os/kernel/kernel_objects.h"
#include "os/kernel/registry.h"
#include "os/kernel/system_threads.h"
#include "os/kernel/work_items.h"

namespace gmmu::os {

/// What a driver has of the kernel beside locks and memory. Kernel::driver() is the one of a machine.
struct DriverObjects {
  explicit DriverObjects(Kernel& kernel);

  /// The driver calls such a routine: a bug check from Forbid on.
  void NoteForbidden(const char* routine);
  /// The driver has started, and supports GPU isolation.
  void Forbid() { forbids_ = true; }
  /// [begin, begin + bytes) of the driver's memory is freed: a bug check when something in it is in use.
  void Forget(const void* begin, size_t bytes);

  DriverDpcs dpcs;
  DriverTimers timers;
  SystemThreads threads;
  WorkItems work_items;
  KernelObjects objects;  ///< handles and references
  Registry registry;
  DeviceAccesses device_accesses;
  /// The first routine that the driver called of those that GPU isolation forbids; null: none.
  const char* forbidden_routine = nullptr;

 private:
  bool forbids_ = false;
};

}  // namespace gmmu::os
