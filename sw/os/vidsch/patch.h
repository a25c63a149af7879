// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "os/miniport/gpu_packet.h"

namespace gmmu::os {

class Miniport;

/// A DMA buffer of the physical model, or a piece of it, with the arguments for DxgkDdiPatch and
/// DxgkDdiSubmitCommand. Offsets are in bytes from the buffer's start.
struct DmaSubmission {
  UINT segment = 0;      ///< 0: contiguous system memory
  uint64_t address = 0;  ///< start of the buffer: system memory address, or segment address
  uint8_t* cpu = nullptr;
  UINT bytes = 0;           ///< size of the whole buffer
  UINT start = 0, end = 0;  ///< bounds of the piece
  void* private_data = nullptr;
  UINT private_bytes = 0, private_start = 0, private_end = 0;
  std::vector<DXGK_ALLOCATIONLIST> allocations;   ///< as DxgkDdiRender returned them
  std::vector<D3DDDI_PATCHLOCATIONLIST> patches;  ///< patch locations of the whole buffer
  UINT first_patch = 0, patch_count = 0;          ///< patch locations of the piece
  /// Writes the current address of each allocation to the list, right before the piece is patched.
  /// Null for paging buffers, which have no lists.
  std::function<void(std::vector<DXGK_ALLOCATIONLIST>&)> place;
};

/// Checks the output of DxgkDdiRender (DXGKARG_RENDER, D3DDDI_PATCHLOCATIONLIST, "Splitting a DMA
/// Buffer"). Returns the rule that is broken, or "" if there is none. Each location must be in the
/// used part of the buffer, and must refer to an allocation of the list, to a byte of that
/// allocation and to a valid slot. SplitOffset must not decrease from one location to the next, nor
/// exceed the buffer. `used` is the size of the used part; `sizes` are the sizes of the listed
/// allocations in bytes, 0 for a null allocation; `last_slot` is
/// DXGK_DRIVERCAPS.MaxAllocationListSlotId.
std::string BrokenRuleOf(const std::vector<D3DDDI_PATCHLOCATIONLIST>& patches, uint64_t used,
                         const std::vector<uint64_t>& sizes, UINT last_slot);

/// Calls DxgkDdiPatch for the piece at PASSIVE_LEVEL and submits it at DISPATCH_LEVEL, with no
/// other scheduler-class call in between. A resubmitted piece is patched again with its new fence.
/// `packet` contains the members that all kinds of submissions have.
void PatchAndSubmit(Miniport& miniport, const DmaSubmission& dma, const DXGKARG_SUBMITCOMMANDVIRTUAL& packet);

}  // namespace gmmu::os
