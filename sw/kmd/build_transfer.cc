// SPDX-License-Identifier: Apache-2.0
// Copies, fills, fences.
#include <algorithm>

#include "kmd/build.h"

namespace gmmu::kmd {
namespace {

/// One side of a TRANSFER: an MDL (segment 0) or a range of a segment.
struct Side {
  const PFN_NUMBER* pages = nullptr;  ///< of the first page, or null
  Place start;                        ///< without pages

  /// Bytes from `offset` on that lie in a row, at most `most`.
  uint64_t Run(uint64_t offset, uint64_t most) const {
    if (pages == nullptr) return most;
    uint64_t page = offset / kPage;
    uint64_t end = (page + 1) * kPage;
    for (; end < offset + most && pages[page + 1] == pages[page] + 1; ++page) end += kPage;
    return std::min(most, end - offset);
  }
  Place At(uint64_t offset) const {
    if (pages == nullptr) return start + offset;
    return Place::Physical(regs::Target::kSystem, pages[offset / kPage] * kPage + offset % kPage);
  }
};

/// `End` is the operand's Source or Destination.
template <typename End>
bool MakeSide(const End& end, UINT mdl_offset, UINT transfer_offset, Side* side) {
  if (end.SegmentId == kSystemMemory) {
    if (end.pMdl == nullptr) return false;
    side->pages = MmGetMdlPfnArray(end.pMdl) + mdl_offset;
    return true;
  }
  regs::Target target{};
  if (!TargetOf(end.SegmentId, &target)) return false;
  // Only the side with a segment address is shifted by TransferOffset; segments start at 0.
  side->start =
      Place::Physical(target, static_cast<uint64_t>(end.SegmentAddress.QuadPart) + transfer_offset);
  return true;
}

}  // namespace

// MultipassOffset: pages done. A size of 0 only announces that the content is lost.
NTSTATUS BuildTransfer(Build& build) {
  const auto& op = build.args.Transfer;
  Side source;
  Side destination;
  if (!MakeSide(op.Source, op.MdlOffset, op.TransferOffset, &source) ||
      !MakeSide(op.Destination, op.MdlOffset, op.TransferOffset, &destination)) {
    return STATUS_INVALID_PARAMETER;
  }
  uint64_t done = uint64_t{build.args.MultipassOffset} * kPage;
  while (done < op.TransferSize) {
    uint64_t bytes = source.Run(done, op.TransferSize - done);
    bytes = destination.Run(done, bytes);
    if (!build.commands.Copy(source.At(done), destination.At(done), bytes)) {
      build.args.MultipassOffset = static_cast<UINT>(done / kPage);  // runs end at page boundaries
      return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    done += bytes;
  }
  return STATUS_SUCCESS;
}

NTSTATUS BuildFill(Build& build) {
  const auto& op = build.args.Fill;
  regs::Target target{};
  if (op.Destination.SegmentId == kSystemMemory || !TargetOf(op.Destination.SegmentId, &target)) {
    return STATUS_INVALID_PARAMETER;
  }
  const Place at =
      Place::Physical(target, static_cast<uint64_t>(op.Destination.SegmentAddress.QuadPart));
  return build.commands.Fill(at, op.FillSize, op.FillPattern)
             ? STATUS_SUCCESS
             : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

// One command whatever the size. AllocationOffsetInBytes is information, never part of an address.
NTSTATUS BuildVirtualTransfer(Build& build) {
  const auto& op = build.args.TransferVirtual;
  uint32_t space = 0;
  if (!build.PagingSpace(&space)) return STATUS_INVALID_PARAMETER;
  const bool fits = build.commands.Copy(Place::Virtual(space, op.SourceVirtualAddress),
                                        Place::Virtual(space, op.DestinationVirtualAddress),
                                        op.TransferSizeInBytes);
  return fits ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

// The pattern is 32 bits wide.
NTSTATUS BuildVirtualFill(Build& build) {
  const auto& op = build.args.FillVirtual;
  uint32_t space = 0;
  if (!build.PagingSpace(&space)) return STATUS_INVALID_PARAMETER;
  const bool fits = build.commands.Fill(Place::Virtual(space, op.DestinationVirtualAddress),
                                        op.FillSizeInBytes, op.FillPattern);
  return fits ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

NTSTATUS BuildSignalMonitoredFence(Build& build) {
  const auto& op = build.args.SignalMonitoredFence;
  uint32_t space = 0;
  if (!build.PagingSpace(&space) || op.MonitoredFenceGpuVa % 8 != 0)
    return STATUS_INVALID_PARAMETER;
  if (!build.commands.SignalFence(Place::Virtual(space, op.MonitoredFenceGpuVa),
                                  op.MonitoredFenceValue,
                                  /*interrupt=*/true)) {
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  }
  build.adapter.fences_signalled = true;
  return STATUS_SUCCESS;
}

// READ_PHYSICAL and WRITE_PHYSICAL order GPU writes before CPU reads; the data does not matter. The
// command's wait bit and the submission's fence do that.
NTSTATUS BuildBarrier(Build& build) {
  return build.commands.Nop() ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

}  // namespace gmmu::kmd
