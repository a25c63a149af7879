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

/// A driver's kernel objects, except locks and memory. Kernel::driver() returns the only instance.
struct DriverObjects {
  explicit DriverObjects(Kernel& kernel);

  /// Call when the driver calls a routine that GPU isolation forbids. After Forbid, this triggers a
  /// bug check.
  void NoteForbidden(const char* routine);
  /// Call when a driver that supports GPU isolation has started.
  void Forbid() { forbids_ = true; }
  /// Call when [begin, begin + bytes) of driver memory is freed. Triggers a bug check if an object there is in use.
  void Forget(const void* begin, size_t bytes);

  DriverDpcs dpcs;
  DriverTimers timers;
  SystemThreads threads;
  WorkItems work_items;
  KernelObjects objects;  ///< handles and references
  Registry registry;
  DeviceAccesses device_accesses;
  /// The first forbidden routine that the driver called, or null if it called none.
  const char* forbidden_routine = nullptr;

 private:
  bool forbids_ = false;
};

}  // namespace gmmu::os
