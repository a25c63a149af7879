// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ddi/d3dkmddi.h"

namespace gmmu::os {

/// Requests that a driver makes to the video memory manager through callbacks. They run at
/// PASSIVE_LEVEL, on the thread that is inside the driver.
class DriverRequests {
 public:
  virtual ~DriverRequests() = default;

  virtual NTSTATUS CreateContextAllocation(DXGKARGCB_CREATECONTEXTALLOCATION& args) = 0;
  virtual NTSTATUS DestroyContextAllocation(HANDLE allocation) = 0;
  /// Returns 0 if the request fails.
  virtual D3DGPU_VIRTUAL_ADDRESS MapContextAllocation(const DXGKARGCB_MAPCONTEXTALLOCATION& args) = 0;
  /// Has the GPU write to the allocation, and returns when the write is complete.
  virtual NTSTATUS UpdateContextAllocation(const DXGKARGCB_UPDATECONTEXTALLOCATION& args) = 0;
  /// Call only inside DxgkDdiCreateProcess.
  virtual NTSTATUS ReserveVaRange(DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE& args) = 0;
};

}  // namespace gmmu::os
