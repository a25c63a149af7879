// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/d3dkmddi_memory.h"

namespace gmmu::kmd {

/// The callbacks of Dxgkrnl that give a driver memory.
struct MemoryCallbacks {
  HANDLE adapter = nullptr;
  DXGKCB_CREATEPHYSICALMEMORYOBJECT* create = nullptr;
  DXGKCB_DESTROYPHYSICALMEMORYOBJECT* destroy = nullptr;
  DXGKCB_ALLOCATEADL* allocate_adl = nullptr;
  DXGKCB_FREEADL* free_adl = nullptr;
  DXGKCB_MAPPHYSICALMEMORY* map = nullptr;
  DXGKCB_UNMAPPHYSICALMEMORY* unmap = nullptr;
};

/// One page of system memory that CPU and GPU share: a ring, a fence record, the fault queue or the dummy page.
///
/// The hardware's address comes from an ADL, the CPU's from a mapping; neither can be computed from the other. One page
/// needs no contiguity, so both forms of ADL are accepted. Callers are at APC_LEVEL or below.
class OwnMemory {
 public:
  OwnMemory() = default;
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;

  /// On failure nothing is held. `cookie` names the memory in the system's debug output.
  [[nodiscard]] NTSTATUS Create(const MemoryCallbacks& callbacks, ULONG_PTR cookie);
  /// Unmaps, frees the ADL and destroys the object, in this order; does nothing when nothing is held.
  void Destroy();

  template <typename Word>
  volatile Word* As() const {
    return static_cast<volatile Word*>(cpu_);
  }
  uint64_t address() const { return page_ << 12; }  ///< logical, bytes
  uint64_t page() const { return page_; }
  void Clear() const;

 private:
  MemoryCallbacks callbacks_;
  HANDLE object_ = nullptr;
  HANDLE adapter_object_ = nullptr;
  DXGK_ADL* adl_ = nullptr;
  void* view_ = nullptr;
  SIZE_T view_bytes_ = 0;
  void* cpu_ = nullptr;
  uint64_t page_ = 0;
};

}  // namespace gmmu::kmd
