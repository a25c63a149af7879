// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/dispmprt.h"
#include "kmd/link.h"
#include "kmd/locks.h"
#include "kmd/progress.h"
#include "kmd/residency_record.h"
#include "kmd/spaces.h"

namespace gmmu::kmd {

class Adapter;

/// The object behind hAllocation. The system places its memory in one of the segments that the driver allows.
struct Allocation {
  uint64_t bytes = 0;
  UINT adapter = 0;                                  ///< linked adapter whose memory may contain it
  uint32_t residency_slot = ResidencyRecord::kNone;  ///< slot of an allocation with ExplicitResidencyNotification
};

/// The object behind hKmdProcess. A process has a hardware address space on each linked adapter on
/// which it has contexts.
struct Process {
  Adapter* adapter = nullptr;
  HANDLE dxgk_process = nullptr;
  bool system = false;
  struct Share {
    uint32_t contexts = 0;
    uint32_t space = Spaces::kNone;
  };
  Share shares[LinkPlace::kMost];               ///< indexed by the adapter's index
  uint64_t driver_va = 0, driver_va_bytes = 0;  ///< the address range reserved for the driver (DriverVaBytes)

  uint32_t space_on(UINT index) const { return shares[index].space; }
};

/// A context allocation, which the system makes resident before the context runs.
struct ContextMemory {
  HANDLE handle = nullptr;  ///< Dxgkrnl's handle; null: no allocation
  Allocation allocation;
  uint64_t va = 0;  ///< GPU VA in the process
  uint64_t sequence = 0;
};

/// hDevice.
struct Device {
  Adapter* adapter = nullptr;
  Process* process = nullptr;
  HANDLE dxgk_device = nullptr;
  Mutex making_shared;
  /// With ContextShared: the allocation shared by the device's contexts on each linked adapter, by
  /// adapter index.
  ContextMemory shared[LinkPlace::kMost];
};

/// hContext.
struct Context {
  Adapter* adapter = nullptr;  ///< the linked adapter on which the context runs
  UINT index = 0;              ///< that adapter's index
  Process* process = nullptr;
  Device* device = nullptr;
  bool system = false;
  ContextMemory own;
  Progress progress;
  /// Returns the context's own allocation, otherwise the one shared through its device, or null if
  /// neither exists.
  const ContextMemory* memory() const {
    const ContextMemory& shared = device->shared[index];
    return own.handle != nullptr ? &own : shared.handle != nullptr ? &shared : nullptr;
  }

  uint32_t space() const { return process->space_on(index); }
};

}  // namespace gmmu::kmd
