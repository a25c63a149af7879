// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ddi/d3dkmddi.h"

namespace gmmu::os {

/// What a driver asks of the video memory manager through its callbacks. PASSIVE, on the thread that is inside the
/// driver.
class DriverRequests {
 public:
  virtual ~DriverRequests() = default;

  virtual NTSTATUS CreateContextAllocation(DXGKARGCB_CREATECONTEXTALLOCATION& args) = 0;
  virtual NTSTATUS DestroyContextAllocation(HANDLE allocation) = 0;
  /// 0: refused.
  virtual D3DGPU_VIRTUAL_ADDRESS MapContextAllocation(const DXGKARGCB_MAPCONTEXTALLOCATION& args) = 0;
  /// Returns when the GPU has written it.
  virtual NTSTATUS UpdateContextAllocation(const DXGKARGCB_UPDATECONTEXTALLOCATION& args) = 0;
  /// Inside DxgkDdiCreateProcess only.
  virtual NTSTATUS ReserveVaRange(DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE& args) = 0;
};

}  // namespace gmmu::os
