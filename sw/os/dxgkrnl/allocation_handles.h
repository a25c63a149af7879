// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>

#include "ddi/d3dkmddi.h"

namespace gmmu::os {

/// The handles by which DxgkDdiOpenAllocation names allocations: the driver asks what stands behind one by
/// DxgkCbGetHandleData, or by DxgkCbAcquireHandleData, which holds it until DxgkCbReleaseHandleData.
class AllocationHandles {
 public:
  /// A handle for an allocation that the driver calls `allocation`.
  D3DKMT_HANDLE Open(HANDLE allocation);
  /// What DxgkDdiOpenAllocation answered for it (DXGKCB_GETHANDLEDATAFLAGS.DeviceSpecific).
  void SetDeviceSpecific(D3DKMT_HANDLE handle, HANDLE opened);
  /// A bug check when the driver still holds it.
  void Close(D3DKMT_HANDLE handle);

  /// null: there is no such allocation; resources are not modelled.
  HANDLE Data(const DXGKARGCB_GETHANDLEDATA& args) const;
  /// The same, held by what comes back in `release`.
  HANDLE Acquire(const DXGKARGCB_GETHANDLEDATA& args, DXGKARG_RELEASE_HANDLE& release);
  /// A bug check when nothing is held by it.
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
