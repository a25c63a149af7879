// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/dispmprt.h"

namespace gmmu::kmd {

/// The callbacks of Dxgkrnl that give a driver memory. Those that its kernel table does not have are null.
struct MemoryCallbacks {
  HANDLE adapter = nullptr;
  // WDDM 2.9.
  DXGKCB_CREATEPHYSICALMEMORYOBJECT* create = nullptr;
  DXGKCB_DESTROYPHYSICALMEMORYOBJECT* destroy = nullptr;
  DXGKCB_ALLOCATEADL* allocate_adl = nullptr;
  DXGKCB_FREEADL* free_adl = nullptr;
  DXGKCB_MAPPHYSICALMEMORY* map = nullptr;
  DXGKCB_UNMAPPHYSICALMEMORY* unmap = nullptr;
  // WDDM 2.4.
  DXGKCB_ALLOCATECONTIGUOUSMEMORY* allocate_contiguous = nullptr;
  DXGKCB_FREECONTIGUOUSMEMORY* free_contiguous = nullptr;

  static MemoryCallbacks Of(const DXGKRNL_INTERFACE& dxgkrnl);
};

/// One page of system memory that CPU and GPU share: a ring, a fence record, the fault queue or the dummy page.
///
/// Its source is the newest that the kernel table has: a memory object (WDDM 2.9), DxgkCbAllocateContiguousMemory (2.4),
/// or the kernel. Of an object the hardware's address comes from an ADL, the CPU's from a mapping, and neither can be
/// computed from the other; one page needs no contiguity, so both forms of ADL are accepted. Memory of the older sources
/// has its physical address. Callers are at APC_LEVEL or below.
class OwnMemory {
 public:
  OwnMemory() = default;
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;

  /// On failure nothing is held. `cookie` names a memory object in the system's debug output.
  [[nodiscard]] NTSTATUS Create(const MemoryCallbacks& callbacks, ULONG_PTR cookie);
  /// Gives all of it back, an object in the order view, ADL, object; does nothing when nothing is held.
  void Destroy();

  template <typename Word>
  volatile Word* As() const {
    return static_cast<volatile Word*>(cpu_);
  }
  uint64_t address() const { return page_ << 12; }  ///< logical, bytes
  uint64_t page() const { return page_; }
  void Clear() const;

 private:
  NTSTATUS CreateObject(ULONG_PTR cookie);
  NTSTATUS CreateContiguous();
  NTSTATUS CreateByKernel();

  MemoryCallbacks callbacks_;
  HANDLE object_ = nullptr;
  HANDLE adapter_object_ = nullptr;
  DXGK_ADL* adl_ = nullptr;
  void* view_ = nullptr;
  SIZE_T view_bytes_ = 0;
  HANDLE contiguous_ = nullptr;    // of DxgkCbAllocateContiguousMemory
  void* kernel_memory_ = nullptr;  // of MmAllocateContiguousMemorySpecifyCache
  void* cpu_ = nullptr;
  uint64_t page_ = 0;
};

}  // namespace gmmu::kmd
