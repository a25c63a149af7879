// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hw/platform.h"
#include "os/base/errors.h"
#include "os/memory/system_buffer.h"

namespace gmmu::os {

class Kernel;
class VidMm;

/// A run's view of the machine: threads, memory and faults. It is a copyable reference. A wait without its own bound
/// throws OsTimeout after kBoundNs of machine time.
class Host {
 public:
  static constexpr uint64_t kBoundNs = 1'000'000'000;

  Host(Kernel& kernel) : kernel_(&kernel) {}
  Host(VidMm& vidmm);

  /// The machine: time, RAM, firmware, instruments.
  hw::Platform& platform() const;
  void Spawn(const std::string& name, const std::function<void()>& body) const;
  /// Wait calls Scheduler::Wait. WaitOrFault also throws DeviceFault as soon as a device reports a fault.
  void Wait(const std::function<bool()>& condition, const std::string& what, uint64_t poll_ns = 0) const;
  void WaitOrFault(const std::function<bool()>& condition, const std::string& what, uint64_t poll_ns,
                   uint64_t bound_ns = kBoundNs) const;
  /// Same as Scheduler::Bound.
  uint64_t Bound(uint64_t ns) const;
  /// Number of interrupt messages that were served.
  uint64_t interrupts() const;
  /// Reports the fault and throws DeviceFault.
  void Fail(const Fault& fault) const;

  /// Allocates physical pages anywhere. Throws OsError if there are too few.
  std::vector<uint64_t> TakePages(uint64_t count, const std::string& owner, const std::string& what) const;
  void FreePages(const std::vector<uint64_t>& pages) const;
  /// Deliberate fault: returns true once if the caller must leak an object of this kind.
  bool LeakNow(const std::string& kind) const;
  /// Records that the deliberate fault of this [inject] key has been injected.
  void Injected(const std::string& key) const;

 private:
  Kernel* kernel_;
};

/// Allocates scattered host memory that belongs to an application and is accessible to the GPU, at host physical
/// addresses of `lowest` or above.
SystemBuffer MakeHostMemory(VidMm& vidmm, uint64_t bytes, uint64_t lowest = 0);

}  // namespace gmmu::os
