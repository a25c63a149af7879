// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/d3dkmddi.h"
#include "os/kernel/ledger.h"

namespace gmmu::os {

struct GpuDevice;

/// Handles of a GPU process: the driver's, and Dxgkrnl's where they say so. Over linked adapters it has a context on
/// each of them.
struct ProcessHandles {
  HANDLE process = nullptr;
  HANDLE device = nullptr;
  HANDLE context = nullptr;        ///< null: none yet
  HANDLE second_device = nullptr;  ///< the system's (seen on build 22621)
  uint32_t node = 0;               ///< of the context
  bool joined = false;             ///< process and device are another's
  GpuDevice* state = nullptr;      ///< null: the system's
  Ledger::Ticket process_ticket = 0, device_ticket = 0, context_ticket = 0;
  HANDLE dxgk_process = nullptr, dxgk_device = nullptr, dxgk_context = nullptr;
  uint32_t companion_node = 0;  ///< DXGK_CONTEXTINFO.PagingCompanionNodeId
};

}  // namespace gmmu::os
