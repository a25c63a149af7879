// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/dispmprt.h"

namespace gmmu::kmd {

/// The callbacks of Dxgkrnl that allocate memory for a driver; null if its kernel table lacks them.
struct MemoryCallbacks {
  HANDLE adapter = nullptr;
  bool isolation = false;  ///< memory is allocated by the callbacks of GPU isolation
  // Memory objects, WDDM 2.9.
  DXGKCB_CREATEPHYSICALMEMORYOBJECT create = nullptr;
  DXGKCB_DESTROYPHYSICALMEMORYOBJECT destroy = nullptr;
  DXGKCB_ALLOCATEADL allocate_adl = nullptr;
  DXGKCB_FREEADL free_adl = nullptr;
  DXGKCB_MAPPHYSICALMEMORY map = nullptr;
  DXGKCB_UNMAPPHYSICALMEMORY unmap = nullptr;
  // GPU isolation, WDDM 2.4.
  DXGKCB_ALLOCATECONTIGUOUSMEMORY allocate_contiguous = nullptr;
  DXGKCB_FREECONTIGUOUSMEMORY free_contiguous = nullptr;
  DXGKCB_ALLOCATEPAGESFORMDL allocate_pages = nullptr;
  DXGKCB_FREEPAGESFROMMDL free_pages = nullptr;
  DXGKCB_MAPMDLTOIOMMU map_list = nullptr;
  DXGKCB_UNMAPMDLFROMIOMMU unmap_list = nullptr;

  static MemoryCallbacks Of(const DXGKRNL_INTERFACE& dxgkrnl, bool isolation);
};

/// One page of system memory that CPU and GPU share: a ring, a fence record, the fault queue or the dummy page.
///
/// The hardware's address of a memory object comes from an ADL, the CPU's from a mapping, and neither can be computed
/// from the other. One page needs no contiguity, so both forms of ADL are accepted. Memory of every other origin is
/// used by its physical address. Callers are at APC_LEVEL or below.
class OwnMemory {
 public:
  /// Where the page comes from. The first three are callbacks of GPU isolation: DxgkCbAllocateContiguousMemory,
  /// DxgkCbAllocatePagesForMdl, or DxgkCbMapMdlToIoMmu of a list that the driver makes of its own memory. The last of
  /// these takes the lead adapter, and its memory is that of a memory object, so before WDDM 2.9 kPages replaces it. A
  /// driver that does not use these callbacks has an object with an ADL, before WDDM 2.9 memory of the kernel.
  enum class Origin { kContiguous, kPages, kListed, kObject, kKernel };

  OwnMemory() = default;
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;

  /// On failure nothing is allocated. `cookie` names a memory object in the system's debug output. `isolated`: the
  /// origin if the callbacks of GPU isolation are used.
  [[nodiscard]] NTSTATUS Create(const MemoryCallbacks& callbacks, ULONG_PTR cookie,
                                Origin isolated = Origin::kContiguous);
  /// Frees what is allocated, in reverse order, if anything is.
  void Destroy();

  template <typename Word>
  volatile Word* As() const {
    return static_cast<volatile Word*>(cpu_);
  }
  uint64_t address() const { return page_ << 12; }  ///< logical address
  uint64_t page() const { return page_; }
  void Clear() const;

 private:
  NTSTATUS AllocateContiguous();
  NTSTATUS AllocatePages();
  NTSTATUS AllocateByKernel();
  NTSTATUS CreateObject(ULONG_PTR cookie);
  NTSTATUS NameByAdl();
  NTSTATUS View();
  NTSTATUS MapList();

  MemoryCallbacks callbacks_;
  Origin origin_ = Origin::kObject;
  HANDLE handle_ = nullptr;  // handle from a callback of GPU isolation
  PMDL list_ = nullptr;
  HANDLE object_ = nullptr;
  HANDLE adapter_object_ = nullptr;
  DXGK_ADL* adl_ = nullptr;
  void* view_ = nullptr;
  SIZE_T view_bytes_ = 0;
  void* cpu_ = nullptr;
  uint64_t page_ = 0;
};

}  // namespace gmmu::kmd
