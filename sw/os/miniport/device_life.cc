// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/device_life.h"

#include "os/miniport/driver_calls.h"

namespace gmmu::os {

void DeviceLife::AddDevice(PDEVICE_OBJECT device) {
  life_.push_back({"DxgkDdiAddDevice", calls_.units()});
  PVOID context = nullptr;
  DriverCalls::Require(calls_.Call(GMMU_DRIVER(calls_, AddDevice), kPassive, device, &context), "DxgkDdiAddDevice");
  calls_.AddContext(context);
}

LINKED_DEVICE DeviceLife::LinkDevice(PDEVICE_OBJECT device, unsigned unit) {
  LINKED_DEVICE link{0, 1, TRUE};
  if (calls_.table().DxgkDdiLinkDevice == nullptr) return link;
  life_.push_back({"DxgkDdiLinkDevice", unit});
  DriverCalls::Require(calls_.Call(GMMU_DRIVER(calls_, LinkDevice), kPassive, device, calls_.context(unit), &link), "DxgkDdiLinkDevice");
  return link;
}

void DeviceLife::StartDevice(DXGK_START_INFO& start, DXGKRNL_INTERFACE& interface, unsigned unit) {
  life_.push_back({"DxgkDdiStartDevice", unit});
  ULONG sources = 0, children = 0;
  DriverCalls::Require(calls_.Call(GMMU_DRIVER(calls_, StartDevice), kPassive, calls_.context(unit), &start, &interface, &sources, &children),
          "DxgkDdiStartDevice");
  if (unit == calls_.lead_unit()) started_ = true;
}

void DeviceLife::StopDevice(unsigned unit) {
  life_.push_back({"DxgkDdiStopDevice", unit});
  if (unit == calls_.lead_unit()) started_ = false;
  DriverCalls::Require(calls_.Call(GMMU_DRIVER(calls_, StopDevice), kPassive, calls_.context(unit)), "DxgkDdiStopDevice");
}

void DeviceLife::RemoveDevice(unsigned unit) {
  life_.push_back({"DxgkDdiRemoveDevice", unit});
  DriverCalls::Require(calls_.Call(GMMU_DRIVER(calls_, RemoveDevice), kPassive, calls_.context(unit)), "DxgkDdiRemoveDevice");
  calls_.ForgetContext(unit);
}

void DeviceLife::SetPowerState(DEVICE_POWER_STATE state, POWER_ACTION action, unsigned unit) {
  life_.push_back({"DxgkDdiSetPowerState", unit, state});
  DriverCalls::Require(calls_.Call(GMMU_DRIVER(calls_, SetPowerState), kPassive, calls_.context(unit), ULONG{0}, state, action),
          "DxgkDdiSetPowerState");
}

}  // namespace gmmu::os
