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

/// Memory that a driver requests for its contexts, and addresses that it reserves in each process
/// (DxgkCbCreateContextAllocation and related callbacks, DxgkCbReserveGpuVirtualAddressRange; display driver
/// documents).
///
/// A context allocation lives as long as its context, or as its device if it is shared across contexts. The driver
/// writes its initial contents (INIT_CONTEXT_RESOURCE). The allocation is resident whenever one of its contexts is
/// scheduled. Calls return STATUS_INVALID_PARAMETER for arguments that break a rule, and STATUS_NO_MEMORY if there is
/// no room.
class ContextAllocations : public DriverRequests {
 public:
  explicit ContextAllocations(VidMm& vidmm) : vidmm_(vidmm) {}

  NTSTATUS CreateContextAllocation(DXGKARGCB_CREATECONTEXTALLOCATION& args) override;
  NTSTATUS DestroyContextAllocation(HANDLE allocation) override;
  D3DGPU_VIRTUAL_ADDRESS MapContextAllocation(const DXGKARGCB_MAPCONTEXTALLOCATION& args) override;
  NTSTATUS UpdateContextAllocation(const DXGKARGCB_UPDATECONTEXTALLOCATION& args) override;
  NTSTATUS ReserveVaRange(DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE& args) override;

  /// Makes resident all memory that the process's context needs in order to run.
  void MakeResident(GpuProcess& process);
  /// Evicts the memory of a context that is not running. The contents are moved to system memory.
  void Evict(GpuProcess& process);
  Allocation* Of(const GpuProcess& process);
  /// Call when the process's context has been destroyed. Unmaps memory that its device still shares with other contexts.
  void Leave(const GpuProcess& process);

 private:
  struct Made {
    GpuProcess* process;  // null once its context was destroyed
    Allocation* allocation;
    bool may_map;  // MapGpuVirtualAddress is allowed
    std::optional<uint64_t> va;
    Ledger::Ticket ticket;
  };
  // The calls for a process or an allocation of this GPU. Those above are made on the lead of linked GPUs.
  NTSTATUS Create(DXGKARGCB_CREATECONTEXTALLOCATION& args, GpuProcess& process);
  void Destroy(Made made);
  D3DGPU_VIRTUAL_ADDRESS Map(Made& made, const DXGKARGCB_MAPCONTEXTALLOCATION& args);
  NTSTATUS Update(const Made& made, const DXGKARGCB_UPDATECONTEXTALLOCATION& args);
  void Init(Made& made);
  /// The linked GPU's object that has the allocation, or null.
  ContextAllocations* HolderOf(HANDLE allocation);
  /// Returns the entry of a handle that a driver passed, or null if the handle is not a context allocation.
  Made* Find(HANDLE allocation);

  VidMm& vidmm_;
  std::vector<Made> made_;  // in creation order
};

}  // namespace gmmu::os
