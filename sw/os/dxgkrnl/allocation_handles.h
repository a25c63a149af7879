// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>

#include "ddi/d3dkmddi.h"

namespace gmmu::os {

/// The allocation handles that DxgkDdiOpenAllocation passes to the driver. With a handle, the
/// driver looks up its own data for the allocation (DxgkCbGetHandleData, DxgkCbAcquireHandleData).
/// DxgkCbAcquireHandleData also holds the allocation until DxgkCbReleaseHandleData is called.
class AllocationHandles {
 public:
  /// Returns a new handle for the allocation whose driver handle is `allocation`.
  D3DKMT_HANDLE Open(HANDLE allocation);
  /// Records the handle that DxgkDdiOpenAllocation returned for `handle` (DXGKCB_GETHANDLEDATAFLAGS.DeviceSpecific).
  void SetDeviceSpecific(D3DKMT_HANDLE handle, HANDLE opened);
  /// Closes the handle. Triggers a bug check if the driver still holds the allocation.
  void Close(D3DKMT_HANDLE handle);

  /// Returns null if the handle is not an allocation handle. Resource handles are not modelled.
  HANDLE Data(const DXGKARGCB_GETHANDLEDATA& args) const;
  /// Returns the driver's data and holds the allocation until Release is called with `release`.
  HANDLE Acquire(const DXGKARGCB_GETHANDLEDATA& args, DXGKARG_RELEASE_HANDLE& release);
  /// Triggers a bug check unless `release` identifies an allocation that is held.
  void Release(DXGKARG_RELEASE_HANDLE release);

 private:
  struct Opened {
    HANDLE allocation = nullptr, device_specific = nullptr;
    unsigned held = 0;
  };
  std::map<D3DKMT_HANDLE, Opened> opened_;
  D3DKMT_HANDLE next_ = 0x80000000;
};

}  // namespace gmmu::os
