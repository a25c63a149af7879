// SPDX-License-Identifier: Apache-2.0
// COPY_PAGE_TABLE_ENTRIES: the GPU copies hardware entries from table to table, in stream order.
#include <algorithm>

#include "kmd/build/build.h"

#include "kmd/adapter.h"
#include "kmd/build/entry_format.h"

namespace gmmu::kmd {
namespace {

/// Divides a range into pieces. The source and the destination of a piece do not overlap, and the
/// order of the pieces ensures that no piece overwrites the source of a later piece (like memmove).
struct Move {
  explicit Move(const DXGK_BUILDPAGINGBUFFER_COPY_RANGE& range)
      : source(range.SrcPageTableAddress + range.SrcStartPteIndex * kEntryBytes),
        destination(range.DstPageTableAddress + range.DstStartPteIndex * kEntryBytes),
        entries(range.NumPageTableEntries) {
    const uint64_t distance = (upward() ? source - destination : destination - source) / kEntryBytes;
    piece = std::min<uint64_t>(entries, distance);
  }
  bool upward() const { return destination < source; }
  /// Size returns the number of entries in the piece that is copied after the first `done` entries,
  /// and First the index of its lowest entry.
  uint64_t Size(uint64_t done) const { return std::min(piece, entries - done); }
  uint64_t First(uint64_t done) const { return upward() ? done : entries - done - Size(done); }

  uint64_t source, destination, entries, piece;
};

}  // namespace

// MultipassOffset counts the entries copied so far over all ranges. Addresses are in the privileged
// space. A copied entry would keep its contiguous bit, which may be wrong in the new table, so the
// operation is rejected if the driver sets that bit.
NTSTATUS BuildCopyPageTableEntries(Build& build) {
  const auto& op = build.args.CopyPageTableEntries;
  uint32_t space = 0;
  if (build.adapter.parameters.contiguous_pages) {
    DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_ERROR_LEVEL,
               "gmmu: COPY_PAGE_TABLE_ENTRIES needs ContiguousPages = 0: copied entries would promise too much");
    return STATUS_NOT_SUPPORTED;
  }
  if (op.pRanges == nullptr || !build.PagingSpace(&space)) return STATUS_INVALID_PARAMETER;
  for (UINT i = 0; i < op.NumRanges; ++i) {
    const auto& range = op.pRanges[i];
    if (range.SrcPageTableAddress % kEntryBytes != 0 || range.DstPageTableAddress % kEntryBytes != 0)
      return STATUS_INVALID_PARAMETER;
  }
  uint64_t before = 0;  // number of entries in earlier ranges
  for (UINT i = 0; i < op.NumRanges; ++i) {
    const Move move(op.pRanges[i]);
    uint64_t done = build.args.MultipassOffset - std::min<uint64_t>(build.args.MultipassOffset, before);
    for (; move.piece != 0 && done < move.entries; done += move.Size(done)) {
      const uint64_t at = move.First(done) * kEntryBytes;
      build.commands.Wait();
      if (!build.commands.Copy(Place::Virtual(space, move.source + at), Place::Virtual(space, move.destination + at),
                               move.Size(done) * kEntryBytes)) {
        build.args.MultipassOffset = static_cast<UINT>(before + done);
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
      }
    }
    before += move.entries;
  }
  return STATUS_SUCCESS;
}

}  // namespace gmmu::kmd
