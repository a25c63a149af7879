// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ddi/d3dkmddi.h"

namespace gmmu::os {

class PhysicalAdapter;
struct AllocationRequest;

/// What the system gets from the other half of the display driver, the one of user mode. Its data goes to the
/// kernel-mode driver as it is: the format is theirs alone.
struct UserModeDriver {
  /// Private data for DxgkDdiCreateAllocation (DXGK_ALLOCATIONINFO.pPrivateDriverData).
  std::function<std::vector<uint8_t>(const AllocationRequest& request)> allocation_data;
  /// Hardware's number of a process' address space, for instruments only; nullopt: it has none yet. `process`:
  /// hKmdProcess.
  std::function<std::optional<unsigned>(PhysicalAdapter& adapter, HANDLE process)> space_of;
};

}  // namespace gmmu::os
