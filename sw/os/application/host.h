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

/// A copyable reference with which a run accesses the machine: threads, memory and faults. A wait
/// without its own bound throws OsTimeout after kBoundNs of machine time.
class Host {
 public:
  static constexpr uint64_t kBoundNs = 1'000'000'000;

  Host(Kernel& kernel) : kernel_(&kernel) {}
  Host(VidMm& vidmm);

  /// The machine model: time, RAM, firmware, instruments.
  hw::Platform& platform() const;
  void Spawn(const std::string& name, const std::function<void()>& body) const;
  /// Wait calls Scheduler::Wait. WaitOrFault also throws DeviceFault as soon as a device reports a fault.
  void Wait(const std::function<bool()>& condition, const std::string& what, uint64_t poll_ns = 0) const;
  void WaitOrFault(const std::function<bool()>& condition, const std::string& what, uint64_t poll_ns,
                   uint64_t bound_ns = kBoundNs) const;
  /// Same as Scheduler::Bound.
  uint64_t Bound(uint64_t ns) const;
  /// Attaches the current thread to a process (0: the system process), as KeStackAttachProcess does.
  /// Returns the previous process.
  uint64_t AttachProcess(uint64_t process) const;
  /// Number of interrupt messages that were served.
  uint64_t interrupts() const;
  /// Reports the fault and throws DeviceFault.
  void Fail(const Fault& fault) const;

  /// Allocates physical pages at any address. Throws OsError if there are not enough.
  std::vector<uint64_t> TakePages(uint64_t count, const std::string& owner, const std::string& what) const;
  void FreePages(const std::vector<uint64_t>& pages) const;
  /// Injects a fault: if inject.leak names this kind of object, returns true at the first call; the
  /// caller must then leak the object.
  bool LeakNow(const std::string& kind) const;
  /// Records that the fault selected by this [inject] key has been injected.
  void Injected(const std::string& key) const;

 private:
  Kernel* kernel_;
};

/// Allocates scattered host memory for an application, at host physical addresses of at least
/// `lowest`. The GPU can access it.
SystemBuffer MakeHostMemory(VidMm& vidmm, uint64_t bytes, uint64_t lowest = 0);

}  // namespace gmmu::os
