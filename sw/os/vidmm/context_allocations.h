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

/// Memory that a driver asks for itself, for its contexts, and addresses that it keeps in each process
/// (DxgkCbCreateContextAllocation and its companions, DxgkCbReserveGpuVirtualAddressRange; display driver documents).
///
/// A context allocation lives with a context, or with a device when it is shared across contexts. Its first content is
/// the driver's (INIT_CONTEXT_RESOURCE); it is resident whenever a context that it belongs to is scheduled. Statuses:
/// STATUS_INVALID_PARAMETER for what the arguments must not say, STATUS_NO_MEMORY for lack of room.
class ContextAllocations : public DriverRequests {
 public:
  explicit ContextAllocations(VidMm& vidmm) : vidmm_(vidmm) {}

  NTSTATUS CreateContextAllocation(DXGKARGCB_CREATECONTEXTALLOCATION& args) override;
  NTSTATUS DestroyContextAllocation(HANDLE allocation) override;
  D3DGPU_VIRTUAL_ADDRESS MapContextAllocation(const DXGKARGCB_MAPCONTEXTALLOCATION& args) override;
  NTSTATUS UpdateContextAllocation(const DXGKARGCB_UPDATECONTEXTALLOCATION& args) override;
  NTSTATUS ReserveVaRange(DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE& args) override;

  /// Makes the memory resident that the process' context needs to run.
  void MakeResident(GpuProcess& process);
  /// Evicts the memory of a context that does not run; its contents go to system memory.
  void Evict(GpuProcess& process);
  Allocation* Of(const GpuProcess& process);

 private:
  struct Made {
    GpuProcess* process;
    Allocation* allocation;
    bool may_map;  // MapGpuVirtualAddress
    std::optional<uint64_t> va;
    Ledger::Ticket ticket;
  };
  void Init(Made& made);
  /// The entry of a handle that a driver passed; null if it is no context allocation.
  Made* Find(HANDLE allocation);

  VidMm& vidmm_;
  std::vector<Made> made_;  // in the order of their making
};

}  // namespace gmmu::os
