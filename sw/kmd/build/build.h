// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ddi/dispmprt.h"
#include "kmd/command_buffer.h"

namespace gmmu::kmd {

class Adapter;

/// One call of DxgkDdiBuildPagingBuffer.
///
/// An operation writes what fits, keeps its progress in args.MultipassOffset and answers
/// STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER; the system submits, and calls again with the same
/// operand and a fresh buffer. Any other failure is a fault of the caller or of this driver, and
/// fatal to the system.
struct Build {
  Adapter& adapter;  ///< that will run it
  DXGKARG_BUILDPAGINGBUFFER& args;
  CommandBuffer commands;

  /// The address space that the buffer's virtual addresses belong to: the paging context's. False:
  /// it has none.
  [[nodiscard]] bool PagingSpace(uint32_t* space) const;
  /// A place named by a segment and an address that has the segment's base added (WDDM 1 operands). False: no such
  /// segment, or below its base.
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
