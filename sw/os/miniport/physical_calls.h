// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ddi/d3dkmddi.h"

namespace gmmu::os {

class DriverCalls;

/// Driver entry points that the system calls only in the physical model. All are called at
/// PASSIVE_LEVEL.
class PhysicalCalls {
 public:
  explicit PhysicalCalls(DriverCalls& driver) : driver_(driver) {}

  /// Opens a device's allocations. The caller handles a failure status.
  NTSTATUS OpenAllocation(HANDLE device, DXGKARG_OPENALLOCATION& args);
  void CloseAllocation(HANDLE device, const DXGKARG_CLOSEALLOCATION& args);
  /// Has the driver translate commands into a DMA buffer and its lists. The caller handles a failure status. The DMA
  /// buffer and its private data are passed directly, because the driver may read them until their last submission has
  /// completed.
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER& args);
  /// Has the driver patch physical addresses into a DMA buffer. The driver must not write to the
  /// buffer after this call. A failure status triggers bug check 0x119 (DxgkDdiPatch).
  void Patch(const DXGKARG_PATCH& args);

 private:
  DriverCalls& driver_;
};

}  // namespace gmmu::os
