// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "os/dxgkrnl/adapter_objects.h"
#include "os/miniport/gpu_packet.h"

namespace gmmu::os {

class VidMm;
struct Allocation;
struct DmaBuffer;
struct GpuProcess;

/// A command buffer that a user-mode driver of the physical model passes to the system (D3DDDICB_RENDER).
struct ListedCommands {
  struct Listed {
    Allocation* allocation = nullptr;  ///< null: the element has no handle and unbinds its slot
    bool write = false;                ///< D3DDDI_ALLOCATIONLIST.WriteOperation
  };
  std::vector<uint8_t> commands;
  std::vector<Listed> allocations;
  /// Offsets are relative to the start of `commands`.
  std::vector<D3DDDI_PATCHLOCATIONLIST> patches;
};

/// The sizes of a context's command buffer and lists, as D3DKMTCreateContext returns them to a
/// user-mode driver.
struct ListRoom {
  uint32_t command_bytes = 0, allocations = 0, patches = 0;
};

/// Submits commands in the physical model (driver documents: DxgkDdiRender, DxgkDdiPatch,
/// "Splitting a DMA Buffer"). The driver translates a command buffer into a single DMA buffer, or
/// into several if it runs out of room. The allocations that patch locations refer to are made
/// resident and stay in place until the buffer has completed. The scheduler has the driver patch
/// the buffer and submits it. If the allocations of a buffer do not fit into memory together, the
/// buffer is submitted in pieces that end at SplitOffset.
///
/// An allocation that no patch location refers to is not made resident; its list element has
/// segment 0 (observed with WDDM 1.3). Call on the VidMm worker thread only, with processes and
/// allocations of the physical model.
class RenderCalls {
 public:
  explicit RenderCalls(VidMm& vidmm) : vidmm_(vidmm) {}

  /// Submits the commands and returns the last of their packets, which completes after the others.
  /// Throws OsError if the driver rejects the commands or if the allocations of one piece do not
  /// fit into memory, and BugCheck if the driver's lists break a rule.
  PacketId Submit(GpuProcess& process, const ListedCommands& commands, const std::string& what);

  static ListRoom RoomOf(const GpuProcess& process);

  /// Has the driver close all handles that it opened for the allocation, or all that it opened for
  /// the process. Call before the allocation or the process is destroyed.
  void Close(const Allocation& allocation);
  void Close(const GpuProcess& process);

  struct Counts {
    uint64_t buffers = 0, pieces = 0;  ///< number of DMA buffers; number of submissions
  };
  const Counts& counts() const { return counts_; }

 private:
  template <typename Key>
  void CloseWhere(const Key& key);
  HANDLE Opened(const GpuProcess& process, const Allocation& allocation);
  std::vector<DXGK_ALLOCATIONLIST> ListOf(const GpuProcess& process, const ListedCommands& commands);
  VidMm& vidmm_;
  struct ByDevice {
    HANDLE device;  // the driver's handle
    AdapterObjects::Opened opened;
  };
  std::map<std::pair<uint64_t, uint64_t>, ByDevice> opened_;  // keyed by serials of the process and the allocation
  Counts counts_;
};

}  // namespace gmmu::os
