// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/dispmprt.h"
#include "kmd/residency_record.h"
#include "kmd/spaces.h"

namespace gmmu::kmd {

class Adapter;

/// hAllocation. The system owns where it lives; the driver only decides where it may.
struct Allocation {
  uint64_t bytes = 0;
  uint32_t residency_slot = ResidencyRecord::kNone;  ///< with ExplicitResidencyNotification
};

/// hKmdProcess. Has a hardware address space while it has contexts.
struct Process {
  Adapter* adapter = nullptr;
  HANDLE dxgk_process = nullptr;
  bool system = false;
  uint32_t contexts = 0;
  uint32_t space = Spaces::kNone;
  uint64_t driver_va = 0, driver_va_bytes = 0;  ///< what the driver keeps of its addresses
};

/// A context allocation: memory that the system makes resident before the context runs.
struct ContextMemory {
  HANDLE handle = nullptr;  ///< Dxgkrnl's; null: none
  Allocation allocation;
  uint64_t va = 0;  ///< in the process
  uint64_t sequence = 0;
};

/// hDevice.
struct Device {
  Adapter* adapter = nullptr;
  Process* process = nullptr;
  HANDLE dxgk_device = nullptr;
  ContextMemory shared;  ///< of all its contexts (ContextShared)
};

/// hContext.
struct Context {
  Adapter* adapter = nullptr;
  Process* process = nullptr;
  Device* device = nullptr;
  bool system = false;
  ContextMemory own;
  /// Null: none.
  const ContextMemory* memory() const {
    return own.handle != nullptr ? &own : device->shared.handle != nullptr ? &device->shared : nullptr;
  }
};

}  // namespace gmmu::kmd
