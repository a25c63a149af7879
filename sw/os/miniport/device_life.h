// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>
#include <string>
#include <vector>

#include "ddi/dispmprt.h"

namespace gmmu::os {

class DriverCalls;

/// The driver calls that add, start, power, stop and remove devices. `unit` is the index of a device in the order in
/// which the AddDevice calls were made. All calls throw OsError if the driver returns a failure.
class DeviceLife {
 public:
  explicit DeviceLife(DriverCalls& calls) : calls_(calls) {}

  void AddDevice(PDEVICE_OBJECT device);
  /// If the driver's table lacks the entry point, returns a device without links.
  LINKED_DEVICE LinkDevice(PDEVICE_OBJECT device, unsigned unit);
  void StartDevice(DXGK_START_INFO& start, DXGKRNL_INTERFACE& interface, unsigned unit = 0);
  void StopDevice(unsigned unit = 0);
  void RemoveDevice(unsigned unit = 0);
  void SetPowerState(DEVICE_POWER_STATE state, POWER_ACTION action, unsigned unit = 0);

  /// True between StartDevice and StopDevice of the lead adapter.
  bool started() const;
  /// True between StartDevice and StopDevice of the device `unit`.
  bool started(unsigned unit) const { return started_.count(unit) != 0; }
  /// The calls made so far, in order.
  struct LifeCall {
    std::string entry;
    unsigned unit = 0;
    DEVICE_POWER_STATE state = PowerDeviceUnspecified;  ///< last state set by DxgkDdiSetPowerState
  };
  const std::vector<LifeCall>& life() const { return life_; }

 private:
  DriverCalls& calls_;
  std::vector<LifeCall> life_;
  std::set<unsigned> started_;
};

}  // namespace gmmu::os
