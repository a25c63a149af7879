// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "os/dxgkrnl/driver_requests.h"
#include "os/base/ledger.h"

namespace gmmu::os {

class VidMm;
struct Allocation;
struct GpuProcess;

/// Manages the memory that a driver requests for its contexts (DxgkCbCreateContextAllocation and
/// related callbacks) and the addresses that it reserves in each process
/// (DxgkCbReserveGpuVirtualAddressRange).
///
/// A context allocation lives as long as its context, or as its device if it is shared across
/// contexts. The driver writes its initial contents (INIT_CONTEXT_RESOURCE). The allocation is
/// resident whenever one of its contexts is scheduled. Calls return STATUS_INVALID_PARAMETER for
/// invalid arguments, and STATUS_NO_MEMORY if there is no room.
class ContextAllocations : public DriverRequests {
 public:
  explicit ContextAllocations(VidMm& vidmm) : vidmm_(vidmm) {}

  NTSTATUS CreateContextAllocation(DXGKARGCB_CREATECONTEXTALLOCATION& args) override;
  NTSTATUS DestroyContextAllocation(HANDLE allocation) override;
  D3DGPU_VIRTUAL_ADDRESS MapContextAllocation(const DXGKARGCB_MAPCONTEXTALLOCATION& args) override;
  NTSTATUS UpdateContextAllocation(const DXGKARGCB_UPDATECONTEXTALLOCATION& args) override;
  NTSTATUS ReserveVaRange(DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE& args) override;

  /// Makes resident the context allocations that the process's context needs in order to run.
  void MakeResident(GpuProcess& process);
  /// Evicts the context allocations of a context that is not running. Their contents are moved to
  /// system memory.
  void Evict(GpuProcess& process);
  Allocation* Of(const GpuProcess& process);
  /// Call when the process's context has been destroyed. Unmaps from the process those allocations
  /// that other contexts of its device still share.
  void Leave(const GpuProcess& process);

 private:
  struct Made {
    GpuProcess* process;  // null after the process's context has been destroyed
    Allocation* allocation;
    bool may_map;  // MapGpuVirtualAddress: the driver may map the allocation
    std::optional<uint64_t> va;
    Ledger::Ticket ticket;
  };
  // These calls require that the process or the allocation belongs to this GPU. On linked GPUs, the
  // public calls are made on the lead GPU's object, which forwards them.
  NTSTATUS Create(DXGKARGCB_CREATECONTEXTALLOCATION& args, GpuProcess& process);
  void Destroy(Made made);
  D3DGPU_VIRTUAL_ADDRESS Map(Made& made, const DXGKARGCB_MAPCONTEXTALLOCATION& args);
  NTSTATUS Update(const Made& made, const DXGKARGCB_UPDATECONTEXTALLOCATION& args);
  void Init(Made& made);
  /// Returns the object that manages the allocation, on whichever linked GPU, or null if there is
  /// none.
  ContextAllocations* HolderOf(HANDLE allocation);
  /// Looks up a handle that the driver passed. Returns null if it is not the handle of a context
  /// allocation.
  Made* Find(HANDLE allocation);

  VidMm& vidmm_;
  std::vector<Made> made_;  // in creation order
};

}  // namespace gmmu::os
