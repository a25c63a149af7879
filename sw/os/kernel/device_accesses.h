// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <csignal>

namespace gmmu::os {

class Kernel;

/// Makes loads and stores of a driver to views of device memory (MmioViews) reach the device.
///
/// A view is inaccessible, so the processor faults. The access is then done as READ_REGISTER and WRITE_REGISTER do it:
/// loaded data is put where the instruction reads it, the processor single-steps the instruction, and stored data is
/// sent to the device. This works only in a guarded driver (DriverGuard::Install), and not under a debugger, which
/// takes the single steps for its own. An instruction with two accesses to views, or one that the decoder does not
/// know, still faults.
class DeviceAccesses {
 public:
  /// At most one object exists, because there is one kernel.
  explicit DeviceAccesses(Kernel& kernel);
  ~DeviceAccesses();
  DeviceAccesses(const DeviceAccesses&) = delete;
  DeviceAccesses& operator=(const DeviceAccesses&) = delete;

  /// Call in a signal handler. Returns true, with `context` set up to continue, if such an access caused the signal.
  static bool Take(int signal, const siginfo_t* info, void* context);
};

}  // namespace gmmu::os
