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

/// The six memory callbacks of WDDM 2.4: contiguous memory, pages behind an MDL, and MDLs of the driver's
/// own made reachable for the GPU.
///
/// Memory is allocated and, behind a 1:1 domain, mapped in one step; MDLs carry physical pages, which are the
/// domain's own numbers. Each block has a handle that its counterpart needs, and a ticket in the ledger:
/// isolation_memory, isolation_mdl, iommu_mdl. Pages are chosen and arguments are checked as for memory objects of
/// the same two types (MemoryBacking): bounds apply as given, even 0. A driver that supports DMA remapping cannot use
/// them, whether it is remapped or not (IOMMU DMA remapping: the older callbacks "cannot be used"):
/// STATUS_NOT_SUPPORTED; the sources name no status. hAdapter is the lead adapter. At most APC level, an unknown
/// handle is a bug check.
class IsolationMemory {
 public:
  explicit IsolationMemory(Kernel& kernel) : kernel_(kernel) {}
  ~IsolationMemory();

  /// `supports_remapping`: its driver, DXGK_IOMMU_CAPS.DmaRemappingSupported.
  void AddAdapter(HANDLE adapter, DmaView view, bool supports_remapping = false) {
    adapters_[adapter] = {std::move(view), supports_remapping};
  }
  /// Sets the adapter's 1:1 domain: maps its existing memory now, and later memory when it is allocated.
  void SetDomain(HANDLE adapter, RemappingDomain& domain);
  /// The adapter's domain was destroyed together with its mappings.
  void DropDomain(HANDLE adapter) { adapters_.at(adapter).view.domain = nullptr; }
  void RemoveAdapter(HANDLE adapter);
  /// Number of the adapter's allocations that were not freed.
  size_t Live(HANDLE adapter) const;

  NTSTATUS AllocateContiguous(HANDLE adapter, DXGKARGCB_ALLOCATECONTIGUOUSMEMORY& args);
  NTSTATUS FreeContiguous(HANDLE adapter, const DXGKARGCB_FREECONTIGUOUSMEMORY& args);
  /// Allocates all pages or none; at most 4 GiB less a page. CacheType is checked but not used, because the callback
  /// makes no view.
  NTSTATUS AllocatePagesForMdl(HANDLE adapter, DXGKARGCB_ALLOCATEPAGESFORMDL& args);
  NTSTATUS FreePagesFromMdl(HANDLE adapter, const DXGKARGCB_FREEPAGESFROMMDL& args);
  /// The list and its pages must stay as they are until UnmapMdl has returned: pages are pinned, and a
  /// list that has changed by then is a bug check.
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
    bool refused() const { return supports_remapping || view.remapped(); }  // such an adapter must use memory objects
  };
  /// A bug check if there is none.
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
