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
    Allocation* allocation = nullptr;  ///< null: an element without a handle, which unbinds the slot
    bool write = false;                ///< D3DDDI_ALLOCATIONLIST.WriteOperation
  };
  std::vector<uint8_t> commands;
  std::vector<Listed> allocations;
  std::vector<D3DDDI_PATCHLOCATIONLIST> patches;  ///< offsets are those of `commands`
};

/// The sizes of a context's buffers and lists, which D3DKMTCreateContext returns to a user-mode driver.
struct ListRoom {
  uint32_t command_bytes = 0, allocations = 0, patches = 0;
};

/// Commands in the physical model (driver documents: DxgkDdiRender, DxgkDdiPatch, "Splitting a DMA Buffer"). The driver
/// translates a command buffer into a single DMA buffer, or into several if it runs out of room. The allocations to
/// which patch locations refer are made resident and are not moved until the buffer has completed. The scheduler has
/// the buffer patched and submits it. If the allocations of a buffer do not fit into memory together, the buffer is
/// submitted in pieces that end at SplitOffset.
///
/// An allocation to which no patch location refers is not made resident, and its list element has segment 0 (observed
/// with WDDM 1.3). Call on the VidMm worker thread only, with processes and allocations of the physical model.
class RenderCalls {
 public:
  explicit RenderCalls(VidMm& vidmm) : vidmm_(vidmm) {}

  /// Submits the commands and returns the last packet, which completes after all the others. Throws OsError if the
  /// driver rejects the commands, or if the allocations of a single piece do not fit; BugCheck if the driver breaks a
  /// rule for the lists.
  PacketId Submit(GpuProcess& process, const ListedCommands& commands, const std::string& what);

  static ListRoom RoomOf(const GpuProcess& process);

  /// Has the driver close every handle to the allocation, or every handle that the process has opened. Call before the
  /// allocation or the process is destroyed.
  void Close(const Allocation& allocation);
  void Close(const GpuProcess& process);

  struct Counts {
    uint64_t buffers = 0, pieces = 0;  ///< numbers of DMA buffers and of their submissions
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
