// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ddi/d3dkmddi.h"

namespace gmmu::os {

class DriverCalls;

/// The entries of a driver that the system calls in the physical model only, at PASSIVE_LEVEL.
class PhysicalCalls {
 public:
  explicit PhysicalCalls(DriverCalls& driver) : driver_(driver) {}

  /// A device begins to use allocations. Refusals are the caller's to judge.
  NTSTATUS OpenAllocation(HANDLE device, DXGKARG_OPENALLOCATION& args);
  void CloseAllocation(HANDLE device, const DXGKARG_CLOSEALLOCATION& args);
  /// Translates commands into a DMA buffer, with its lists. Refusals are the caller's to judge. DMA buffer and private
  /// data are the system's own, which the driver may look at until their last submission has ended.
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER& args);
  /// The last chance of the driver to write into a DMA buffer. A refusal is bug check 0x119 (DxgkDdiPatch).
  void Patch(const DXGKARG_PATCH& args);

 private:
  DriverCalls& driver_;
};

}  // namespace gmmu::os
