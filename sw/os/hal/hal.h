// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "hw/platform.h"
#include "os/base/ledger.h"
#include "os/threads/scheduler.h"

namespace gmmu::os {

/// The hardware abstraction layer: the kernel's accesses to the machine. After every access,
/// pending interrupts are served.
class Hal {
 public:
  Hal(hw::Platform& platform, Scheduler& scheduler) : platform_(platform), scheduler_(scheduler) {}

  uint64_t Read(uint64_t address, unsigned size);
  /// Uncached stores, which first drain the write-combining buffers.
  void Write(uint64_t address, unsigned size, uint64_t value);
  void ReadBlock(uint64_t address, void* to, size_t size);
  void WriteBlock(uint64_t address, const void* from, size_t size);
  uint32_t ConfigRead(hw::Bdf bdf, uint16_t offset, unsigned size);
  void ConfigWrite(hw::Bdf bdf, uint16_t offset, unsigned size, uint32_t value);

  /// Lets time advance until NowNs() reaches `end_ns`. Call at any IRQL; interrupts are served if
  /// the IRQL permits.
  void StallUntil(uint64_t end_ns);

  /// Allocates an interrupt message whose arrival calls `isr`, and returns the message (see
  /// Scheduler::ConnectInterrupt).
  hw::Message ConnectInterrupt(std::string name, std::function<void()> isr);
  void DisconnectInterrupt(const hw::Message& message);

  hw::Platform& platform() { return platform_; }
  hw::HostRam& ram() { return platform_.ram(); }
  Scheduler& scheduler() { return scheduler_; }
  uint64_t NowNs() { return platform_.NowNs(); }

 private:
  hw::Platform& platform_;
  Scheduler& scheduler_;
  std::set<uint32_t> vectors_;
};

/// Kernel virtual addresses of device registers.
///
/// Drivers get a pointer into an inaccessible region; READ_REGISTER_* and WRITE_REGISTER_* resolve
/// it to a physical address. A plain load or store faults. In a loaded driver, the faulting access
/// is then performed on the device (device_accesses.h). A user view belongs to the process that is
/// current when it is mapped; accesses from other processes trigger a bug check.
class MmioViews {
 public:
  MmioViews(Ledger& ledger, const Scheduler& scheduler);
  ~MmioViews();
  MmioViews(const MmioViews&) = delete;
  MmioViews& operator=(const MmioViews&) = delete;

  /// Returns a pointer that represents the registers at [physical, physical + size), or null if no
  /// address space is left. `user` maps a user view in the current process.
  void* Map(uint64_t physical, size_t size, const std::string& owner, const std::string& created_by, bool user = false);
  /// Removes the view. Triggers a bug check if Map did not return `view`, or if it is another
  /// process's user view.
  void Unmap(void* view);
  /// Returns the physical address that `pointer` represents. Triggers a bug check if [pointer,
  /// pointer + size) is not within a single view.
  uint64_t Resolve(const volatile void* pointer, size_t size) const;
  bool Contains(const volatile void* pointer) const;

 private:
  struct View {
    uint64_t physical;
    size_t size;
    std::optional<uint64_t> process;  // set for a user view: its process
    Ledger::Ticket ticket;
  };
  void RequireReachable(const View& view) const;
  uint8_t* base_ = nullptr;
  uint64_t next_ = 0;
  std::map<uint64_t, View> views_;  // keyed by offset from base_
  Ledger& ledger_;
  const Scheduler& scheduler_;
};

}  // namespace gmmu::os
