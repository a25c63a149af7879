// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "ddi/dispmprt.h"
#include "os/base/ledger.h"
#include "os/miniport/allocation.h"

namespace gmmu::os {

class LogicalAdapter;
class Kernel;
class Miniport;
class PhysicalAdapter;
struct GpuDevice;

/// Handles of a GPU process. They are the driver's handles, except those with the prefix dxgk_,
/// which are Dxgkrnl's. With linked adapters, the process has a context on each adapter.
struct ProcessHandles {
  HANDLE process = nullptr;
  HANDLE device = nullptr;
  HANDLE context = nullptr;        ///< null: no context yet
  HANDLE second_device = nullptr;  ///< second device of the system process (Windows build 22621)
  uint32_t node = 0;               ///< node of the context
  bool joined = false;             ///< a copy for another linked adapter; process and device belong to the original
  GpuDevice* state = nullptr;      ///< null: the system's device
  Ledger::Ticket process_ticket = 0, device_ticket = 0, context_ticket = 0;
  HANDLE dxgk_process = nullptr, dxgk_device = nullptr, dxgk_context = nullptr;
  uint32_t companion_node = 0;  ///< DXGK_CONTEXTINFO.PagingCompanionNodeId
  DXGK_CONTEXTINFO context_info{};
};

/// Creates and destroys the driver's objects for the processes of one logical adapter: processes,
/// devices, contexts and allocations. Each function throws OsError if the driver fails the call.
class AdapterObjects {
 public:
  explicit AdapterObjects(LogicalAdapter& adapter);

  /// Opens a process, then its device, then a context on `gpu`. For linked adapters, call
  /// OpenContext once per adapter: the first call fills `handles`; each further call uses a copy of
  /// `handles` with `joined` set. Destroy the copies before the original. Dxgkrnl's handle is
  /// stored in `handles` before the driver is called.
  void OpenProcess(ProcessHandles& handles, const std::string& name, bool system);
  void OpenDevice(ProcessHandles& handles, const std::string& name, bool system);
  void OpenContext(ProcessHandles& handles, const std::string& name, bool system, PhysicalAdapter& gpu);
  /// Opens a system context on the device's companion node, for updates to the page tables of the device's process.
  HANDLE OpenCompanion(const ProcessHandles& handles, const std::string& name, PhysicalAdapter& gpu);
  void CloseCompanion(HANDLE context);
  /// Destroys the objects that exist, even if the driver has failed to create some of them.
  void DestroyProcess(ProcessHandles& handles);
  /// Throws OsError if the driver fails the call, or if AdmitAllocation rejects the driver's output.
  DriverAllocation CreateAllocation(const AllocationRequest& request);
  void DestroyAllocation(HANDLE allocation, Ledger::Ticket ticket);

  /// An allocation that a device has opened. DMA buffers of the device's contexts refer to it.
  struct Opened {
    D3DKMT_HANDLE handle = 0;
    HANDLE device_specific = nullptr;  ///< the driver's handle
  };
  /// Opens `allocation` for `device`; both are the driver's handles. `create`: the same device has
  /// created the allocation.
  Opened OpenAllocation(HANDLE device, HANDLE allocation, bool create, const std::string& name);
  void CloseAllocation(HANDLE device, const Opened& opened);

 private:
  Miniport& miniport();
  HANDLE NewHandle(unsigned kind) {
    return reinterpret_cast<HANDLE>(uint64_t{0xFFFF9000 + kind} << 32 | next_handle_++ << 4);
  }

  LogicalAdapter& adapter_;
  Kernel& kernel_;
  uint64_t next_handle_ = 1;
};

}  // namespace gmmu::os
