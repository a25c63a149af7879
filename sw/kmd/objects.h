// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/dispmprt.h"
#include "kmd/spaces.h"

namespace gmmu::kmd {

class Adapter;

/// hKmdProcess. Has a hardware address space while it has contexts.
struct Process {
  Adapter* adapter = nullptr;
  HANDLE dxgk_process = nullptr;
  bool system = false;
  uint32_t contexts = 0;
  uint32_t space = Spaces::kNone;
};

/// hDevice.
struct Device {
  Adapter* adapter = nullptr;
  Process* process = nullptr;
};

/// hContext.
struct Context {
  Adapter* adapter = nullptr;
  Process* process = nullptr;
  bool system = false;
};

/// hAllocation. The system owns where it lives; the driver only decides where it may.
struct Allocation {
  uint64_t bytes = 0;
};

}  // namespace gmmu::kmd
