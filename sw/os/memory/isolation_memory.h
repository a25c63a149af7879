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

/// The six memory callbacks of WDDM 2.4. They allocate contiguous memory or pages with an MDL, and make the driver's
/// own MDLs accessible to the GPU.
///
/// Memory is allocated and, behind a 1:1 domain, mapped in one step. MDLs contain physical page numbers, which are also
/// the domain's page numbers. Each block has a handle, which the freeing callback needs, and a ticket in the ledger:
/// isolation_memory, isolation_mdl, iommu_mdl. Pages are chosen and arguments checked as for memory objects of the same
/// two types (MemoryBacking), but bounds apply as given, even 0. A driver that supports DMA remapping cannot use the
/// callbacks, whether it is remapped or not (IOMMU DMA remapping documentation: the older callbacks "cannot be
/// used"). They then return STATUS_NOT_SUPPORTED, although no document names the status. hAdapter is the lead adapter.
/// Calls above APC_LEVEL and unknown handles trigger a bug check.
class IsolationMemory {
 public:
  explicit IsolationMemory(Kernel& kernel) : kernel_(kernel) {}
  ~IsolationMemory();

  /// `supports_remapping` is DXGK_IOMMU_CAPS.DmaRemappingSupported of the adapter's driver.
  void AddAdapter(HANDLE adapter, DmaView view, bool supports_remapping = false) {
    adapters_[adapter] = {std::move(view), supports_remapping};
  }
  /// Sets the adapter's 1:1 domain. Existing memory of the adapter is mapped now, later memory when it is allocated.
  void SetDomain(HANDLE adapter, RemappingDomain& domain);
  /// Call when the adapter's domain was destroyed together with its mappings.
  void DropDomain(HANDLE adapter) { adapters_.at(adapter).view.domain = nullptr; }
  void RemoveAdapter(HANDLE adapter);
  /// Number of the adapter's allocations that have not been freed.
  size_t Live(HANDLE adapter) const;

  NTSTATUS AllocateContiguous(HANDLE adapter, DXGKARGCB_ALLOCATECONTIGUOUSMEMORY& args);
  NTSTATUS FreeContiguous(HANDLE adapter, const DXGKARGCB_FREECONTIGUOUSMEMORY& args);
  /// Allocates all pages or none; at most 4 GiB minus a page. CacheType is checked but not used, because the callback
  /// creates no view.
  NTSTATUS AllocatePagesForMdl(HANDLE adapter, DXGKARGCB_ALLOCATEPAGESFORMDL& args);
  NTSTATUS FreePagesFromMdl(HANDLE adapter, const DXGKARGCB_FREEPAGESFROMMDL& args);
  /// The list and its pages must stay unchanged until UnmapMdl has returned. MapMdl pins the pages; UnmapMdl triggers a
  /// bug check if the list has changed.
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
    bool refused() const { return supports_remapping || view.remapped(); }  // must use memory objects
  };
  /// Triggers a bug check if there is no such adapter.
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
