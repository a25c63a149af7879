// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "tb/sw/kmd/fake_kernel.h"

namespace gmmu::kmd::test {

/// A started driver on a fake kernel, with a process, a device and a context each for the system
/// and for one client.
class StartedDriver {
 public:
  /// With `preemption`, the device has two rings that support preemption.
  explicit StartedDriver(std::map<std::string, uint64_t> parameters = {}, bool preemption = false);
  ~StartedDriver();

  HANDLE CreateProcess(bool system);
  HANDLE CreateDevice(HANDLE process);
  HANDLE CreateContext(HANDLE device, bool system, NTSTATUS* status = nullptr);

  FakeKernel kernel;
  HANDLE system_process, system_device, system_context;
  HANDLE process, device, context;
};

}  // namespace gmmu::kmd::test
