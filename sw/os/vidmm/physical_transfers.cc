// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/physical_transfers.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/base/page_math.h"
#include "os/memory/system_buffer.h"
#include "os/miniport/mdl.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/page_entries.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {
namespace {

UINT LocalSegment(const Allocation& allocation) { return allocation.local->segment().id; }

// Queues an access that orders GPU writes before CPU reads. Its data and address do not matter.
void Barrier(PagingWork& work, UINT segment, bool write) {
  DXGKARG_BUILDPAGINGBUFFER operation{};
  if (write) {
    operation.Operation = DXGK_OPERATION_WRITE_PHYSICAL;
    operation.WritePhysical.SegmentId = segment;
  } else {
    operation.Operation = DXGK_OPERATION_READ_PHYSICAL;
    operation.ReadPhysical.SegmentId = segment;
  }
  work.Add(operation);
}

/// Returns the number of contiguous bytes in VRAM that start at page `first`, at most `left` bytes
/// and at most `largest` bytes (but at least a page).
uint64_t RunAt(const Allocation& allocation, uint64_t first, uint64_t left, uint64_t largest = ~uint64_t{0}) {
  uint64_t size = std::min(kPage, left);
  while (size < left && size + kPage <= largest &&
         allocation.local->page(first + size / kPage) == allocation.local->page(first) + size / kPage) {
    size += std::min(kPage, left - size);
  }
  return size;
}

/// Returns the number of pages directly before page `first` that are contiguous with it in VRAM.
uint64_t RunBefore(const Allocation& allocation, uint64_t first) {
  uint64_t pages = 0;
  while (pages < first && allocation.local->page(first - pages - 1) + pages + 1 == allocation.local->page(first))
    ++pages;
  return pages;
}

}  // namespace

std::vector<uint64_t> NumbersOf(const SystemBuffer& buffer, uint64_t bytes) {
  std::vector<uint64_t> pages;
  for (uint64_t page = 0; page < PagesOf(bytes); ++page) pages.push_back(buffer.page(page));
  return pages;
}

void TransferByMdl(PagingWork& work, Variety& variety, Allocation& allocation, SystemBuffer& buffer, uint64_t bytes,
                   bool in, const Progress& progress) {
  Mdl mdl(NumbersOf(buffer, bytes));
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t first = done / kPage;
    const uint64_t size = std::min(bytes - done,
                                   variety.PartOf(PagesOf(RunAt(allocation, first, bytes - done))) * kPage);
    // With os.variety, the segment address may be that of an earlier page of the run, with a
    // TransferOffset to page `first`.
    const uint64_t before = variety.Differs() ? variety.Below(RunBefore(allocation, first) + 1) : 0;
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_TRANSFER;
    auto& args = operation.Transfer;
    args.hAllocation = allocation.handle;
    args.TransferOffset = static_cast<UINT>(before * kPage);
    args.TransferSize = size;
    const auto segment = [&](auto& end) {
      end.SegmentId = LocalSegment(allocation);
      end.SegmentAddress.QuadPart = SegmentAddress(allocation, first - before);
    };
    if (in) {
      args.Source.pMdl = mdl.get();
      segment(args.Destination);
    } else {
      segment(args.Source);
      args.Destination.pMdl = mdl.get();
    }
    args.MdlOffset = static_cast<UINT>(first);
    args.Flags.TransferStart = done == 0;
    args.Flags.TransferEnd = done + size == bytes;
    work.Add(operation);
    done += size;
    if (progress) progress(done);
  }
  Barrier(work, LocalSegment(allocation), in);
  work.Finish();
}

void FillBySegment(PagingWork& work, Variety& variety, Allocation& allocation, uint64_t offset, uint64_t bytes,
                   uint32_t pattern, uint64_t largest) {
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t first = (offset + done) / kPage, inside = (offset + done) % kPage;
    const uint64_t run = RunAt(allocation, first, inside + bytes - done, largest) - inside;
    const uint64_t size = variety.BytesOf(run, sizeof pattern);
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_FILL;
    operation.Fill.hAllocation = allocation.handle;
    operation.Fill.FillSize = size;
    operation.Fill.FillPattern = pattern;
    operation.Fill.Destination.SegmentId = LocalSegment(allocation);
    operation.Fill.Destination.SegmentAddress.QuadPart = SegmentAddress(allocation, first) +
                                                         static_cast<LONGLONG>(inside);
    work.Add(operation);
    done += size;
  }
  work.Finish();
}

void CopyAperture(PagingWork& work, uint64_t aperture_offset, Allocation& allocation, uint64_t offset, uint64_t bytes,
                  bool in, bool begins, bool ends) {
  const Segment& aperture = allocation.vidmm->gpu().aperture_segment();
  std::optional<Mdl> mdl;  // describes the backing store, if that holds the contents
  if (!allocation.local) mdl.emplace(NumbersOf(*allocation.backing, allocation.bytes));
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t first = (offset + done) / kPage;
    const uint64_t size = mdl ? bytes : RunAt(allocation, first, bytes - done);
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_TRANSFER;
    auto& args = operation.Transfer;
    args.hAllocation = allocation.handle;
    args.TransferSize = size;
    const auto shown = [&](auto& end) {
      end.SegmentId = aperture.id;
      end.SegmentAddress.QuadPart = static_cast<LONGLONG>(aperture.base + aperture_offset + done);
    };
    const auto place = [&](auto& end) {
      if (mdl) {
        end.pMdl = mdl->get();
        return;
      }
      end.SegmentId = LocalSegment(allocation);
      end.SegmentAddress.QuadPart = SegmentAddress(allocation, first);
    };
    if (mdl) args.MdlOffset = static_cast<UINT>(offset / kPage);
    if (in) {
      shown(args.Source);
      place(args.Destination);
    } else {
      place(args.Source);
      shown(args.Destination);
    }
    args.Flags.TransferStart = begins && done == 0;
    args.Flags.TransferEnd = ends && done + size == bytes;
    work.Add(operation);
    done += size;
  }
  work.Finish();
}

void DiscardContent(PagingWork& work, const Allocation& allocation) {
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_DISCARD_CONTENT;
  operation.DiscardContent.hAllocation = allocation.handle;
  operation.DiscardContent.SegmentId = LocalSegment(allocation);
  operation.DiscardContent.SegmentAddress.QuadPart = SegmentAddress(allocation, 0);
  work.Add(operation);
}

}  // namespace gmmu::os
