// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <csignal>

namespace gmmu::os {

class Kernel;

/// Makes a driver's plain loads and stores to views of device memory (MmioViews) reach the device.
///
/// A view is inaccessible, so the processor faults. The access is then performed like READ_REGISTER
/// or WRITE_REGISTER: loaded data is placed where the instruction reads it, the processor
/// single-steps the instruction, and stored data is sent to the device. This works only in a
/// guarded driver (DriverGuard::Install), and not under a debugger, which intercepts the single
/// steps. An instruction that accesses views twice, or that the decoder does not support, still
/// faults.
class DeviceAccesses {
 public:
  /// Only one object may exist at a time, as there is only one kernel.
  explicit DeviceAccesses(Kernel& kernel);
  ~DeviceAccesses();
  DeviceAccesses(const DeviceAccesses&) = delete;
  DeviceAccesses& operator=(const DeviceAccesses&) = delete;

  /// Call from a signal handler. Returns true if an access to a view caused the signal; resuming
  /// `context` then continues that access.
  static bool Take(int signal, const siginfo_t* info, void* context);
};

}  // namespace gmmu::os
