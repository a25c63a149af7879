// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <csignal>

namespace gmmu::os {

class Kernel;

/// Loads and stores of a driver to views of device memory (MmioViews), as if they reached the device.
///
/// A view cannot be touched, so the processor faults. The access is then made as READ_REGISTER and WRITE_REGISTER make it:
/// a load's data are put where the instruction finds them, the processor takes this one instruction, and what a store left
/// there goes to the device. In a driver that is guarded (DriverGuard::Install) only, and not under a debugger, which takes the
/// single steps for its own. An instruction with two accesses to views, or one that the decoder does not know, is a fault as before.
class DeviceAccesses {
 public:
  /// Of the one kernel that lives.
  explicit DeviceAccesses(Kernel& kernel);
  ~DeviceAccesses();
  DeviceAccesses(const DeviceAccesses&) = delete;
  DeviceAccesses& operator=(const DeviceAccesses&) = delete;

  /// In a signal's handler. True: the signal was such an access' and `context` says what goes on.
  static bool Take(int signal, const siginfo_t* info, void* context);
};

}  // namespace gmmu::os
