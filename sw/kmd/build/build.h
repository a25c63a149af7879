// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ddi/dispmprt.h"
#include "kmd/command_buffer.h"

namespace gmmu::kmd {

class Adapter;

/// One call of DxgkDdiBuildPagingBuffer.
///
/// If the buffer is too small, an operation writes the commands that fit, keeps its progress in
/// args.MultipassOffset and returns STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER. The system then
/// submits the buffer and calls again with the same operand and an empty buffer. Any other failure
/// is an error by the caller or the driver, and is fatal to the system.
struct Build {
  Adapter& adapter;  ///< the adapter that will execute the buffer
  DXGKARG_BUILDPAGINGBUFFER& args;
  CommandBuffer commands;

  /// Sets *space to the address space of the paging context, which translates the buffer's virtual
  /// addresses. Returns false if the context has none.
  [[nodiscard]] bool PagingSpace(uint32_t* space) const;
  /// Converts a WDDM 1 operand to a place. The operand is a segment and an address that includes
  /// the segment's base. Returns false if there is no such segment or the address is below its
  /// base.
  [[nodiscard]] bool SegmentPlace(UINT segment, LARGE_INTEGER address, Place* place) const;
};

// transfer.cc
NTSTATUS BuildTransfer(Build& build);
NTSTATUS BuildSpecialLockTransfer(Build& build);
NTSTATUS BuildFill(Build& build);
NTSTATUS BuildVirtualTransfer(Build& build);
NTSTATUS BuildVirtualFill(Build& build);
NTSTATUS BuildSignalMonitoredFence(Build& build);
NTSTATUS BuildBarrier(Build& build);
NTSTATUS BuildNotifyResidency(Build& build);

// table.cc
NTSTATUS BuildUpdatePageTable(Build& build);
NTSTATUS BuildFlushTlb(Build& build);

// copy.cc
NTSTATUS BuildCopyPageTableEntries(Build& build);

// context.cc
NTSTATUS BuildInitContextResource(Build& build);
NTSTATUS BuildUpdateContextAllocation(Build& build);

// aperture.cc
NTSTATUS BuildMapAperture(Build& build);
NTSTATUS BuildMapAperture2(Build& build);
NTSTATUS BuildUnmapAperture(Build& build);

}  // namespace gmmu::kmd
