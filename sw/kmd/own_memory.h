// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/dispmprt.h"

namespace gmmu::kmd {

/// The callbacks of Dxgkrnl that give a driver memory. Those that its kernel table does not have are null.
struct MemoryCallbacks {
  HANDLE adapter = nullptr;
  bool isolation = false;  ///< memory comes by the callbacks of GPU isolation
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
/// Of a memory object the hardware's address comes from an ADL, the CPU's from a mapping, and neither can be computed
/// from the other; one page needs no contiguity, so both forms of ADL are accepted. Memory of every other origin has its
/// physical address. Callers are at APC_LEVEL or below.
class OwnMemory {
 public:
  /// What gives the page. The first three are callbacks of GPU isolation: DxgkCbAllocateContiguousMemory,
  /// DxgkCbAllocatePagesForMdl, or DxgkCbMapMdlToIoMmu of a list that the driver makes of memory that it has. The last
  /// one takes the lead adapter, and the memory is that of an object, so before WDDM 2.9 kPages takes its place. A driver
  /// that does not use these callbacks has an object with an ADL, before WDDM 2.9 memory of the kernel.
  enum class Origin { kContiguous, kPages, kListed, kObject, kKernel };

  OwnMemory() = default;
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;

  /// On failure nothing is held. `cookie` names a memory object in the system's debug output. `isolated`: the origin
  /// where the callbacks of GPU isolation are used.
  [[nodiscard]] NTSTATUS Create(const MemoryCallbacks& callbacks, ULONG_PTR cookie,
                                Origin isolated = Origin::kContiguous);
  /// Gives back what is held, the last first; does nothing when nothing is held.
  void Destroy();

  template <typename Word>
  volatile Word* As() const {
    return static_cast<volatile Word*>(cpu_);
  }
  uint64_t address() const { return page_ << 12; }  ///< logical, bytes
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
  HANDLE handle_ = nullptr;  // of a callback of GPU isolation
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
