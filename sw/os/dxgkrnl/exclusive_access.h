// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hw/platform.h"

namespace gmmu::os {

class LogicalAdapter;
class PhysicalAdapter;

/// Gives Dxgkrnl exclusive use of a device and its linked devices, so that it can change the
/// meaning of their bus addresses (DxgkDdiBeginExclusiveAccess, DxgkDdiEndExclusiveAccess). The
/// behaviour comes from the documentation; it was not observed on Windows.
///
/// Before exclusive access begins, the scheduler is suspended and the driver's queued work has
/// completed. During exclusive access, no entry point of the driver is called: callers wait, and
/// interrupts are held back. The bus monitor checks that the devices send no reads, writes or
/// interrupt messages; a violation is reported as the fault "not_silent".
class ExclusiveAccess {
 public:
  explicit ExclusiveAccess(LogicalAdapter& adapter) : adapter_(adapter) {}

  /// Runs `work` with exclusive access; `what` is its name in messages. The calling fibre must not
  /// be inside the driver. Throws OsError if the driver fails the request, OsTimeout if the
  /// driver's work does not complete in time, and DeviceFault if the device accesses the bus
  /// meanwhile. In all cases, exclusive access has ended on return.
  void Run(const std::string& what, const std::function<void()>& work);

  /// runs: number of successful Run calls. quiet_ns: how long the device was quiet in the most
  /// recent one.
  uint64_t runs() const { return runs_; }
  uint64_t quiet_ns() const { return quiet_ns_; }
  /// How long the most recent Run call waited until the driver held no packets.
  uint64_t drained_ns() const { return drained_ns_; }

 private:
  void RunSuspended(const std::string& what, const std::function<void()>& work);
  void DoInSilence(const std::string& what, const std::function<void()>& work);
  /// Returns the bus request counts of each device.
  std::vector<hw::BusCounts> BusAccesses();
  void RequireSilence(const std::vector<hw::BusCounts>& before, const std::string& what);
  void RequireSilence(PhysicalAdapter& gpu, const hw::BusCounts& before, const std::string& what);
  void LetTimePass();
  void BeNoisy(hw::Stray kind);  // injects a fault

  LogicalAdapter& adapter_;
  uint64_t runs_ = 0;
  uint64_t quiet_ns_ = 0;
  uint64_t drained_ns_ = 0;
};

}  // namespace gmmu::os
