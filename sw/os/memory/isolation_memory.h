// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "os/memory/memory_backing.h"
#include "os/memory/memory_objects.h"
#include "os/miniport/mdl.h"

namespace gmmu::os {

class Kernel;

/// The six memory callbacks of WDDM 2.4: they allocate contiguous memory or pages described by an
/// MDL, and make the driver's MDLs accessible to the GPU.
///
/// A single call allocates memory and, if a 1:1 domain is attached, maps the memory in the domain.
/// MDLs contain physical page numbers, which are also the domain's page numbers. Each block has a
/// handle, which is passed to the callback that frees the block, and a ledger ticket of kind
/// isolation_memory, isolation_mdl or iommu_mdl. Pages are selected and arguments are checked as
/// for memory objects of the corresponding types (MemoryBacking), but address bounds apply
/// literally, even a bound of 0. A driver that supports DMA remapping cannot use the callbacks,
/// even if its DMA is not remapped (IOMMU DMA remapping documentation: the older callbacks "cannot
/// be used"). They then return STATUS_NOT_SUPPORTED; this status is not documented. hAdapter is the
/// lead adapter. Calls above APC_LEVEL and unknown handles trigger a bug check.
class IsolationMemory {
 public:
  explicit IsolationMemory(Kernel& kernel) : kernel_(kernel) {}
  ~IsolationMemory();

  /// `supports_remapping` is DXGK_IOMMU_CAPS.DmaRemappingSupported of the adapter's driver.
  void AddAdapter(HANDLE adapter, DmaView view, bool supports_remapping = false) {
    adapters_[adapter] = {std::move(view), supports_remapping};
  }
  /// Sets the adapter's 1:1 domain and maps the adapter's existing memory in it. Later memory is
  /// mapped when it is allocated.
  void SetDomain(HANDLE adapter, RemappingDomain& domain);
  /// Call when the adapter's domain has been destroyed together with its mappings.
  void DropDomain(HANDLE adapter) { adapters_.at(adapter).view.domain = nullptr; }
  void RemoveAdapter(HANDLE adapter);
  /// Number of blocks of the adapter that have not been freed.
  size_t Live(HANDLE adapter) const;

  NTSTATUS AllocateContiguous(HANDLE adapter, DXGKARGCB_ALLOCATECONTIGUOUSMEMORY& args);
  NTSTATUS FreeContiguous(HANDLE adapter, const DXGKARGCB_FREECONTIGUOUSMEMORY& args);
  /// Allocates all pages or none. The maximum size is 4 GiB minus a page. CacheType is checked but
  /// has no effect, because the callback creates no view.
  NTSTATUS AllocatePagesForMdl(HANDLE adapter, DXGKARGCB_ALLOCATEPAGESFORMDL& args);
  NTSTATUS FreePagesFromMdl(HANDLE adapter, const DXGKARGCB_FREEPAGESFROMMDL& args);
  /// MapMdl pins the pages of a driver's MDL, which must not change until UnmapMdl has returned.
  /// UnmapMdl triggers a bug check if the MDL has changed.
  NTSTATUS MapMdl(HANDLE adapter, DXGKARGCB_MAPMDLTOIOMMU& args);
  void UnmapMdl(HANDLE adapter, const DXGKARGCB_UNMAPMDLFROMIOMMU& args);

 private:
  enum class Kind { kContiguous, kMdl, kDriversMdl };
  struct Block {
    Kind kind;
    HANDLE adapter;
    std::vector<uint64_t> pfns;
    MemoryBacking backing;   // kContiguous and kMdl
    Mdl mdl;                 // kMdl
    PMDL drivers = nullptr;  // kDriversMdl
    void* view = nullptr;    // kContiguous
    Ledger::Ticket ticket = 0;
  };
  struct Adapter {
    DmaView view;
    bool supports_remapping = false;
    // True if the callbacks are refused, because the driver must use memory objects instead.
    bool refused() const { return supports_remapping || view.remapped(); }
  };
  /// Returns the adapter. Triggers a bug check if it is unknown, or if the IRQL is above APC_LEVEL.
  Adapter& Of(HANDLE adapter, const char* call);
  RemappingDomain* DomainOf(HANDLE adapter) const { return adapters_.at(adapter).view.domain; }
  HANDLE Keep(Block block, const char* kind, const char* call);
  std::map<HANDLE, Block>::iterator Find(HANDLE adapter, HANDLE handle, Kind kind, const char* call);
  void Drop(std::map<HANDLE, Block>::iterator at);

  Kernel& kernel_;
  uint64_t next_handle_ = 1;
  std::map<HANDLE, Adapter> adapters_;
  std::map<HANDLE, Block> blocks_;
};

}  // namespace gmmu::os
