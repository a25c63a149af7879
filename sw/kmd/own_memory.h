// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/dispmprt.h"

namespace gmmu::kmd {

/// The Dxgkrnl callbacks with which a driver allocates memory. Callbacks that the kernel's table
/// lacks are null.
struct MemoryCallbacks {
  HANDLE adapter = nullptr;
  bool isolation = false;  ///< memory is allocated through the GPU isolation callbacks
  // Memory objects (WDDM 2.9).
  DXGKCB_CREATEPHYSICALMEMORYOBJECT create = nullptr;
  DXGKCB_DESTROYPHYSICALMEMORYOBJECT destroy = nullptr;
  DXGKCB_ALLOCATEADL allocate_adl = nullptr;
  DXGKCB_FREEADL free_adl = nullptr;
  DXGKCB_MAPPHYSICALMEMORY map = nullptr;
  DXGKCB_UNMAPPHYSICALMEMORY unmap = nullptr;
  // GPU isolation (WDDM 2.4).
  DXGKCB_ALLOCATECONTIGUOUSMEMORY allocate_contiguous = nullptr;
  DXGKCB_FREECONTIGUOUSMEMORY free_contiguous = nullptr;
  DXGKCB_ALLOCATEPAGESFORMDL allocate_pages = nullptr;
  DXGKCB_FREEPAGESFROMMDL free_pages = nullptr;
  DXGKCB_MAPMDLTOIOMMU map_list = nullptr;
  DXGKCB_UNMAPMDLFROMIOMMU unmap_list = nullptr;

  static MemoryCallbacks Of(const DXGKRNL_INTERFACE& dxgkrnl, bool isolation);
};

/// Contiguous system memory shared by CPU and GPU: one page for a ring, a fence record, the fault
/// queue or the dummy page, or all pages of a memory segment.
///
/// For a memory object, the GPU's address comes from an ADL and the CPU's from a mapping; neither
/// can be derived from the other. For a single page, both forms of ADL are accepted. For memory of
/// any other origin, the GPU uses the physical address. Call the methods at APC_LEVEL or below.
class OwnMemory {
 public:
  /// The source of the memory. The first three are for drivers that use the GPU isolation
  /// callbacks: DxgkCbAllocateContiguousMemory, DxgkCbAllocatePagesForMdl, and DxgkCbMapMdlToIoMmu
  /// for an MDL of the driver's own memory. kListed works for the lead adapter only. It needs a
  /// memory object, which exists from WDDM 2.9 on; before, kPages is used instead. Drivers without
  /// the isolation callbacks use kObject (a memory object with an ADL) or, before WDDM 2.9, kKernel
  /// (kernel memory).
  enum class Origin { kContiguous, kPages, kListed, kObject, kKernel };

  OwnMemory() = default;
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;

  /// On failure, nothing is allocated. `cookie` identifies a memory object in the system's debug
  /// output. `isolated` is the origin if memory is allocated through the GPU isolation callbacks;
  /// kPages and kListed support single pages only. A single page is cleared; a larger size (`bytes`
  /// is a multiple of 4096) is not.
  [[nodiscard]] NTSTATUS Create(const MemoryCallbacks& callbacks, ULONG_PTR cookie,
                                Origin isolated = Origin::kContiguous, uint64_t bytes = PAGE_SIZE);
  /// Frees everything that was allocated, in reverse order.
  void Destroy();

  template <typename Word>
  volatile Word* As() const {
    return static_cast<volatile Word*>(cpu_);
  }
  uint64_t address() const { return page_ << 12; }  ///< logical address
  uint64_t page() const { return page_; }
  /// The CPU's physical address.
  uint64_t cpu_address() const;
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
  HANDLE handle_ = nullptr;  // handle from a GPU isolation callback
  PMDL list_ = nullptr;
  HANDLE object_ = nullptr;
  HANDLE adapter_object_ = nullptr;
  DXGK_ADL* adl_ = nullptr;
  void* view_ = nullptr;
  SIZE_T view_bytes_ = 0;
  void* cpu_ = nullptr;
  uint64_t page_ = 0;
  uint64_t bytes_ = PAGE_SIZE;
};

}  // namespace gmmu::kmd
