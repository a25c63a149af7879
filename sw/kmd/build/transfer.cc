// SPDX-License-Identifier: Apache-2.0
// Builds copies and fills, residency notices, monitored fences, and operations that only order accesses.
#include <algorithm>

#include "kmd/build/build.h"

#include "kmd/adapter.h"
#include "kmd/objects.h"
#include "kmd/entry_points.h"
#include "kmd/segments.h"

namespace gmmu::kmd {
namespace {

/// The source or the destination of a TRANSFER: an MDL (segment 0) or a range of a segment.
struct Side {
  const PFN_NUMBER* pages = nullptr;  ///< page numbers of the MDL; null for a range of a segment
  Place start;                        ///< first byte, when `pages` is null

  /// Returns the number of contiguous bytes that start at `offset`, at most `most`.
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

/// Creates a Side from the operand's Source or Destination, whose type is `End`. Returns false if
/// it is invalid.
template <typename End>
bool MakeSide(const Build& build, const End& end, UINT mdl_offset, UINT transfer_offset, Side* side) {
  if (end.SegmentId == kSystemMemory) {
    if (end.pMdl == nullptr) return false;
    side->pages = MmGetMdlPfnArray(end.pMdl) + mdl_offset;
    return true;
  }
  // TransferOffset applies only to a segment address, not to an MDL.
  if (!build.SegmentPlace(end.SegmentId, end.SegmentAddress, &side->start)) return false;
  side->start.address += transfer_offset;
  return true;
}

// MultipassOffset counts the pages copied so far. A size of 0 means that the contents need not be
// preserved, so nothing is copied.
template <typename Operand>
NTSTATUS Move(Build& build, const Operand& op, UINT mdl_offset) {
  Side source;
  Side destination;
  if (!MakeSide(build, op.Source, mdl_offset, op.TransferOffset, &source) ||
      !MakeSide(build, op.Destination, mdl_offset, op.TransferOffset, &destination)) {
    return STATUS_INVALID_PARAMETER;
  }
  uint64_t done = uint64_t{build.args.MultipassOffset} * kPage;
  while (done < op.TransferSize) {
    uint64_t bytes = source.Run(done, op.TransferSize - done);
    bytes = destination.Run(done, bytes);
    if (!build.commands.Copy(source.At(done), destination.At(done), bytes)) {
      build.args.MultipassOffset = static_cast<UINT>(done / kPage);  // `done` is a whole page count
      return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    done += bytes;
  }
  return STATUS_SUCCESS;
}

/// The documentation does not state whether the pattern is 32 bits wide or one byte in a 32-bit
/// field, so a setting decides.
uint32_t Pattern(const Build& build, UINT pattern) {
  return build.adapter.parameters.fill_by_byte ? (pattern & 0xFF) * 0x01010101u : pattern;
}

/// Without 64-bit atomics, the hardware writes only the low 32 bits, and the system derives the
/// upper half.
uint64_t FenceValue(const Adapter& adapter, uint64_t value) {
  return adapter.parameters.no_64bit_atomics ? value & UINT32_MAX : value;
}

}  // namespace

NTSTATUS BuildTransfer(Build& build) { return Move(build, build.args.Transfer, build.args.Transfer.MdlOffset); }

// This hardware does not swizzle, so the operation is a plain transfer even for a swizzling range.
NTSTATUS BuildSpecialLockTransfer(Build& build) { return Move(build, build.args.SpecialLockTransfer, 0); }

NTSTATUS BuildFill(Build& build) {
  const auto& op = build.args.Fill;
  Place at;
  if (!build.SegmentPlace(op.Destination.SegmentId, op.Destination.SegmentAddress, &at))
    return STATUS_INVALID_PARAMETER;
  return build.commands.Fill(at, op.FillSize, Pattern(build, op.FillPattern)) ? STATUS_SUCCESS
                                                                              : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

// A transfer of any size is one command. AllocationOffsetInBytes is only informative and is not
// added to the addresses.
NTSTATUS BuildVirtualTransfer(Build& build) {
  const auto& op = build.args.TransferVirtual;
  uint32_t space = 0;
  if (!build.PagingSpace(&space)) return STATUS_INVALID_PARAMETER;
  const bool fits = build.commands.Copy(Place::Virtual(space, op.SourceVirtualAddress),
                                        Place::Virtual(space, op.DestinationVirtualAddress), op.TransferSizeInBytes);
  return fits ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

// See Pattern for the width of the fill pattern.
NTSTATUS BuildVirtualFill(Build& build) {
  const auto& op = build.args.FillVirtual;
  uint32_t space = 0;
  if (!build.PagingSpace(&space)) return STATUS_INVALID_PARAMETER;
  const bool fits = build.commands.Fill(Place::Virtual(space, op.DestinationVirtualAddress), op.FillSizeInBytes,
                                        Pattern(build, op.FillPattern));
  return fits ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

NTSTATUS BuildSignalMonitoredFence(Build& build) {
  const auto& op = build.args.SignalMonitoredFence;
  uint32_t space = 0;
  if (!build.PagingSpace(&space) || op.MonitoredFenceGpuVa % 8 != 0) return STATUS_INVALID_PARAMETER;
  if (!build.commands.SignalFence(Place::Virtual(space, op.MonitoredFenceGpuVa),
                                  FenceValue(build.adapter, op.MonitoredFenceValue),
                                  /*interrupt=*/true)) {
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  }
  InterlockedExchange(&build.adapter.fences_signalled, TRUE);
  return STATUS_SUCCESS;
}

// For an allocation with ExplicitResidencyNotification, the GPU writes the address to the residency
// record, in stream order. Other allocations have no record. The word 0 means that the allocation
// is not resident.
NTSTATUS BuildNotifyResidency(Build& build) {
  const auto& op = build.args.NotifyResidency;
  const auto* allocation = static_cast<const Allocation*>(op.hAllocation);
  if (allocation == nullptr || allocation->residency_slot == ResidencyRecord::kNone) return STATUS_SUCCESS;
  const uint64_t address = build.adapter.residency.address(allocation->residency_slot);
  uint64_t* word = build.commands.TableWrite(Place::Physical(regs::Target::kSystem, address), 1);
  if (word == nullptr) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  *word = op.Resident ? ResidencyRecord::Word(op.PhysicalAddress.SegmentId, op.PhysicalAddress.SegmentOffset) : 0;
  return STATUS_SUCCESS;
}

// Appends a fence signal to the commands that the system has built. The fence's address is in the
// context's space.
NTSTATUS SignalMonitoredFence(HANDLE hContext, DXGKARG_SIGNALMONITOREDFENCE* pArgs) {
  const auto& context = *static_cast<const Context*>(hContext);
  const uint32_t space = context.adapter->SpaceOf(&context);
  if (space == Spaces::kNone || pArgs->pDmaBuffer == nullptr || pArgs->MonitoredFenceGpuVa % 8 != 0)
    return STATUS_INVALID_PARAMETER;
  CommandBuffer commands(pArgs->pDmaBuffer, pArgs->DmaSize);
  if (!commands.SignalFence(Place::Virtual(space, pArgs->MonitoredFenceGpuVa),
                            FenceValue(*context.adapter, pArgs->MonitoredFenceValue), /*interrupt=*/true)) {
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  }
  pArgs->pDmaBuffer = commands.end();
  pArgs->DmaSize -= static_cast<UINT>(commands.bytes_used());
  InterlockedExchange(&context.adapter->fences_signalled, TRUE);
  return STATUS_SUCCESS;
}

// READ_PHYSICAL and WRITE_PHYSICAL only order GPU writes before CPU reads. The wait bit of an empty
// command and the submission's fence ensure this order.
NTSTATUS BuildBarrier(Build& build) {
  return build.commands.Nop() ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

}  // namespace gmmu::kmd
