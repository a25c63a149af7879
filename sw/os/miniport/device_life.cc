// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/device_life.h"

#include "os/miniport/driver_calls.h"

namespace gmmu::os {
namespace {
void Require(NTSTATUS status, const std::string& what) { DriverCalls::Require(status, what); }
}  // namespace

#define DRIVER(entry) GMMU_DRIVER(calls_, entry)

void DeviceLife::AddDevice(PDEVICE_OBJECT device) {
  life_.push_back({"DxgkDdiAddDevice", calls_.units()});
  PVOID context = nullptr;
  Require(calls_.Call(DRIVER(AddDevice), kPassive, device, &context), "DxgkDdiAddDevice");
  calls_.AddContext(context);
}

LINKED_DEVICE DeviceLife::LinkDevice(PDEVICE_OBJECT device, unsigned unit) {
  LINKED_DEVICE link{0, 1, TRUE};
  if (calls_.table().DxgkDdiLinkDevice == nullptr) return link;
  life_.push_back({"DxgkDdiLinkDevice", unit});
  Require(calls_.Call(DRIVER(LinkDevice), kPassive, device, calls_.context(unit), &link), "DxgkDdiLinkDevice");
  return link;
}

void DeviceLife::StartDevice(DXGK_START_INFO& start, DXGKRNL_INTERFACE& interface, unsigned unit) {
  life_.push_back({"DxgkDdiStartDevice", unit});
  ULONG sources = 0, children = 0;
  Require(calls_.Call(DRIVER(StartDevice), kPassive, calls_.context(unit), &start, &interface, &sources, &children),
          "DxgkDdiStartDevice");
  started_.insert(unit);
}

void DeviceLife::StopDevice(unsigned unit) {
  life_.push_back({"DxgkDdiStopDevice", unit});
  started_.erase(unit);
  Require(calls_.Call(DRIVER(StopDevice), kPassive, calls_.context(unit)), "DxgkDdiStopDevice");
}

void DeviceLife::RemoveDevice(unsigned unit) {
  life_.push_back({"DxgkDdiRemoveDevice", unit});
  Require(calls_.Call(DRIVER(RemoveDevice), kPassive, calls_.context(unit)), "DxgkDdiRemoveDevice");
  calls_.ForgetContext(unit);
}

bool DeviceLife::started() const { return started(calls_.lead_unit()); }

void DeviceLife::SetPowerState(DEVICE_POWER_STATE state, POWER_ACTION action, unsigned unit) {
  life_.push_back({"DxgkDdiSetPowerState", unit, state});
  Require(calls_.Call(DRIVER(SetPowerState), kPassive, calls_.context(unit), ULONG{0}, state, action),
          "DxgkDdiSetPowerState");
}

#undef DRIVER

}  // namespace gmmu::os
