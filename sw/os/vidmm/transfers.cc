// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/transfers.h"

#include <algorithm>
#include <cstring>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "os/base/page_math.h"
#include "os/base/parameters.h"
#include "os/memory/system_buffer.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/aperture.h"
#include "os/vidmm/page_entries.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/physical_transfers.h"
#include "os/vidmm/scratch_windows.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {
namespace {
using Piece = ScratchWindows::Piece;
using Window = ScratchWindows::Window;

/// One side of a transfer: its address in a window, and whether 64 KiB entries map it.
struct Side {
  uint64_t va;
  bool pages_64k;
};

/// Returns the operation that transfers `size` bytes from one side to the other. `offset` is the
/// byte offset in the allocation.
DXGKARG_BUILDPAGINGBUFFER TransferOf(const Allocation& allocation, uint64_t offset, uint64_t size, const Side& from,
                                     const Side& to, DXGK_MEMORY_TRANSFER_DIRECTION direction) {
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_VIRTUAL_TRANSFER;
  operation.TransferVirtual.hAllocation = allocation.handle;
  operation.TransferVirtual.AllocationOffsetInBytes = offset;
  operation.TransferVirtual.TransferSizeInBytes = size;
  operation.TransferVirtual.SourceVirtualAddress = from.va;
  operation.TransferVirtual.DestinationVirtualAddress = to.va;
  operation.TransferVirtual.Flags.Src64KBPages = from.pages_64k;
  operation.TransferVirtual.Flags.Dst64KBPages = to.pages_64k;
  operation.TransferVirtual.TransferDirection = direction;
  return operation;
}

/// Size of the fill pattern in bytes. Fills are divided at multiples of it, so that each part
/// starts with the pattern's first byte.
constexpr uint64_t kPatternBytes = 4;

constexpr uint64_t kView = 4 << 20;  // largest CPU view

/// Returns the backing store of a resident allocation that is not in a memory segment.
SystemBuffer& BackingOf(const Allocation& allocation) {
  if (!allocation.resident()) throw BugCheck("contents of " + allocation.name + ", which is not resident");
  return *allocation.backing;
}

void CopyByCpu(SystemBuffer& from, SystemBuffer& to, uint64_t bytes, const Progress& progress) {
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t size = std::min(kView, bytes - done);
    std::memcpy(to.Map(done, size), from.Map(done, size), size);
    from.Unmap();
    to.Unmap();
    done += size;
    if (progress) progress(done);
  }
}

void FillByCpu(SystemBuffer& to, uint64_t offset, uint64_t bytes, uint32_t pattern) {
  uint8_t* const view = to.Map(offset / kPage * kPage, offset % kPage + bytes) + offset % kPage;
  for (uint64_t i = 0; i < bytes; ++i) view[i] = static_cast<uint8_t>(pattern >> i % 4 * 8);
  to.Unmap();
}

}  // namespace

Transfers::Transfers(VidMm& vidmm)
    : vidmm_(vidmm),
      variety_(vidmm.gpu().kernel().parameters(), "transfers of GPU " + std::to_string(vidmm.gpu().machine_unit())) {}

void Transfers::Transfer(Allocation& allocation, SystemBuffer& buffer, uint64_t bytes, bool in,
                         const Progress& progress) {
  if (!allocation.local) {
    SystemBuffer& backing = BackingOf(allocation);
    if (!in) return CopyByCpu(backing, buffer, bytes, progress);
    CopyByCpu(buffer, backing, bytes, progress);
    return WrittenByCpu(allocation, 0, bytes);
  }
  PagingWork& work = vidmm_.work();
  const Parameters& parameters = vidmm_.gpu().kernel().parameters();
  if (in) allocation.clean = false;
  if (vidmm_.gpu().physical_paging()) return TransferByMdl(work, variety_, allocation, buffer, bytes, in, progress);
  ScratchWindows& windows = vidmm_.windows();
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t some = variety_.BytesOf(bytes - done);
    const Piece piece = ScratchWindows::PieceAt(allocation, done, some, parameters.window_pages);
    const uint64_t size = piece.size;
    Window& window = windows.Next();
    const Side system{window.system + done % kPage, windows.ShowSystem(window.system, buffer, done, piece, allocation)};
    const Side local{window.local + piece.skip, windows.Show(window.local, allocation, piece)};
    DXGKARG_BUILDPAGINGBUFFER operation =
        in ? TransferOf(allocation, done, size, system, local, DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL)
           : TransferOf(allocation, done, size, local, system, DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM);
    work.Add(operation);
    done += size;
    if (done < bytes) window.packet = work.Submit();  // Finish submits the last piece with a fence
    if (progress) progress(done);
  }
  work.Finish();
}

// If only a part of an allocation moves, source and target share the other pages, which are
// skipped.
void Transfers::CopyLocal(Allocation& source, Allocation& target, uint64_t bytes) {
  PagingWork& work = vidmm_.work();
  ScratchWindows& windows = vidmm_.windows();
  const uint64_t window_pages = vidmm_.gpu().kernel().parameters().window_pages;
  const auto stays = [&](uint64_t byte) {
    return source.vidmm == target.vidmm && &source.local->segment() == &target.local->segment() &&
           source.local->page(byte / kPage) == target.local->page(byte / kPage);
  };
  for (uint64_t done = 0, end = 0; done < bytes;) {  // [done, end) is to be copied
    while (end < bytes && !stays(end)) end = std::min(bytes, (end / kPage + 1) * kPage);
    if (end == done) {
      done = end += kPage;
      continue;
    }
    Piece from = ScratchWindows::PieceAt(source, done, variety_.BytesOf(end - done), window_pages);
    const Piece to = ScratchWindows::PieceAt(target, done, from.size, window_pages);
    const uint64_t size = from.size = to.size;
    Window& window = windows.Next();
    const Side source_side{window.system + from.skip, windows.Show(window.system, source, from)};
    const Side target_side{window.local + to.skip, windows.Show(window.local, target, to)};
    DXGKARG_BUILDPAGINGBUFFER operation = TransferOf(target, done, size, source_side, target_side,
                                                     DXGK_MEMORY_TRANSFER_LOCAL_TO_LOCAL);
    work.Add(operation);
    done += size;
    if (done < bytes) window.packet = work.Submit();  // Finish submits the last piece with a fence
  }
  work.Finish();
}

void Transfers::PageIn(Allocation& allocation, SystemBuffer& source, uint64_t bytes, const Progress& progress) {
  Transfer(allocation, source, bytes, true, progress);
}

void Transfers::PageOut(Allocation& allocation, SystemBuffer& target, uint64_t bytes, const Progress& progress) {
  Transfer(allocation, target, bytes, false, progress);
}

void Transfers::Fill(Allocation& allocation, uint64_t offset, uint64_t bytes, uint32_t pattern) {
  if (!allocation.local) {
    FillByCpu(BackingOf(allocation), offset, bytes, pattern);
    return WrittenByCpu(allocation, offset, bytes);
  }
  PagingWork& work = vidmm_.work();
  const Parameters& parameters = vidmm_.gpu().kernel().parameters();
  allocation.clean = false;
  if (vidmm_.gpu().physical_paging())
    return FillBySegment(work, variety_, allocation, offset, bytes, pattern, parameters.fill_bytes());
  ScratchWindows& windows = vidmm_.windows();
  for (uint64_t done = 0; done < bytes;) {
    const Piece piece = ScratchWindows::PieceAt(allocation, offset + done,
                                                variety_.BytesOf(bytes - done, kPatternBytes),
                                                PagesOf(parameters.fill_bytes()));
    Window& window = windows.NextForFill(piece.skip + piece.size);
    windows.Show(window.local, allocation, piece);
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_VIRTUAL_FILL;
    operation.FillVirtual.hAllocation = allocation.handle;
    operation.FillVirtual.AllocationOffsetInBytes = offset + done;
    operation.FillVirtual.FillSizeInBytes = piece.size;
    operation.FillVirtual.FillPattern = pattern;
    operation.FillVirtual.DestinationVirtualAddress = window.local + piece.skip;
    work.Add(operation);
    window.packet = work.Submit();
    done += piece.size;
  }
  work.Finish();
}

// Through an aperture that is not cache coherent, the GPU reads memory and not the CPU's caches, so
// the caches are written back.
void Transfers::WrittenByCpu(const Allocation& allocation, uint64_t offset, uint64_t bytes) {
  if (!allocation.aperture_page || bytes == 0) return;
  const uint64_t first = offset / kPage;
  vidmm_.aperture().WriteBack(*allocation.backing, first, PagesOf(offset + bytes) - first);
}

void Transfers::Discard(const Allocation& allocation) {
  if (vidmm_.gpu().physical_paging() && vidmm_.running()) DiscardContent(vidmm_.work(), allocation);
}

void Transfers::CopyFromAperture(uint64_t aperture_offset, Allocation& allocation, uint64_t offset, uint64_t bytes) {
  allocation.clean = false;
  CopyAperture(vidmm_.work(), aperture_offset, allocation, offset, bytes, true);
}

void Transfers::EvictThroughAperture(Allocation& allocation, SystemBuffer& target) {
  Aperture& aperture = vidmm_.aperture();
  const uint64_t all = PagesOf(allocation.bytes);
  for (uint64_t done = 0; done < all;) {
    const auto some = aperture.ReserveSome(all - done);
    if (!some && done == 0) return PageOut(allocation, target, allocation.bytes, nullptr);
    if (!some) throw Exhausted("no room in the aperture for the rest of " + allocation.name);
    const auto [range, pages] = *some;
    aperture.Bind(range, pages, allocation, target, done);
    CopyAperture(vidmm_.work(), range * kPage, allocation, done * kPage, pages * kPage, false, done == 0,
                 done + pages == all);
    aperture.Unbind(range, pages, allocation);
    aperture.Free(range);
    done += pages;
  }
}

}  // namespace gmmu::os
