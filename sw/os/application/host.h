// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hw/platform.h"
#include "os/base/errors.h"

namespace gmmu::os {

class Kernel;
class SystemBuffer;
class VideoMemory;

/// A run's view of the machine: threads, memory and faults. It is a copyable reference. A wait without its own bound
/// throws OsTimeout after kBoundNs of machine time.
class Host {
 public:
  static constexpr uint64_t kBoundNs = 1'000'000'000;

  Host(Kernel& kernel) : kernel_(&kernel) {}
  Host(const VideoMemory& memory);

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
  /// Records that the deliberate fault of this [inject] key has happened.
  void Injected(const std::string& key) const;

 private:
  Kernel* kernel_;
};

/// Scattered pages of host memory that belong to an application and that a GPU may reach (SystemBuffer).
///
/// Release() must be called; the destructor frees nothing.
class HostMemory {
 public:
  /// Creates an object without pages. Its Release() does nothing.
  HostMemory();
  /// Allocates pages for the GPU with this video memory, at host physical addresses of `lowest` or above.
  HostMemory(const VideoMemory& of, uint64_t bytes, uint64_t lowest = 0);
  HostMemory(HostMemory&& other) noexcept;
  HostMemory& operator=(HostMemory&& other) noexcept;
  ~HostMemory();
  void Release();

  uint64_t bytes() const;
  /// page() returns a page number as the GPU sees it; logical() returns the GPU's address of the first byte.
  uint64_t page(uint64_t index) const;
  uint64_t logical() const;
  /// Host physical page numbers.
  const std::vector<uint64_t>& host_pages() const;
  /// Deliberate fault "wrong ADL": makes page(index) return `page` from now on.
  void Falsify(uint64_t index, uint64_t page);

  /// Maps a CPU view of [offset, offset + size). Only one view may exist at a time.
  uint8_t* Map(uint64_t offset, uint64_t size);
  void Unmap();

  SystemBuffer& buffer() const { return *buffer_; }

 private:
  std::unique_ptr<SystemBuffer> buffer_;
};

}  // namespace gmmu::os
