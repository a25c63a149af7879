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

/// A period in which Dxgkrnl has exclusive use of a device and its linked devices, to change the meaning of their bus
/// addresses (DxgkDdiBeginExclusiveAccess, DxgkDdiEndExclusiveAccess; documents only).
///
/// Before it begins, the scheduler is suspended and the driver's queued work has ended. Within it no driver entry is
/// called: callers wait, interrupts are held. The bus monitor at the device checks that the device sends nothing,
/// neither reads nor writes nor interrupt messages; a violation is reported as fault "not_silent".
class ExclusiveAccess {
 public:
  explicit ExclusiveAccess(LogicalAdapter& adapter) : adapter_(adapter) {}

  /// Runs `work`, which `what` names, in exclusive access. Call it on a fibre that is not in the driver. Throws OsError
  /// if the driver refuses, OsTimeout if its work does not end, DeviceFault if the device was not silent. In each case
  /// the driver's entries may be called again.
  void Run(const std::string& what, const std::function<void()>& work);

  /// runs is the number of successful runs, quiet_ns the time for which the device was quiet in the most recent one.
  uint64_t runs() const { return runs_; }
  uint64_t quiet_ns() const { return quiet_ns_; }
  /// How long the most recent run waited for the packets that the driver held.
  uint64_t drained_ns() const { return drained_ns_; }

 private:
  void RunSuspended(const std::string& what, const std::function<void()>& work);
  void DoInSilence(const std::string& what, const std::function<void()>& work);
  /// Bus request counts of each device.
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
