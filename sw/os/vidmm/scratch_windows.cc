// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/scratch_windows.h"

#include <algorithm>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "os/base/page_math.h"
#include "os/memory/system_buffer.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/page_entries.h"
#include "os/vidmm/paging_process.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {
namespace {

/// Returns the driver protection of the allocation's page `first`, and reduces `*pages` to the
/// number of consecutive pages with the same protection. Scratch windows use only protections that
/// contain D3DGPU_UNIQUE_DRIVER_PROTECTION. If the last 64 KiB page extends past the end of the
/// allocation, the pages beyond the end have the protection of the allocation's last page.
uint64_t WindowProtection(const Allocation& allocation, uint64_t first, uint64_t* pages) {
  const auto of = [&, last = PagesOf(allocation.bytes) - 1](uint64_t page) {
    return allocation.UniqueProtection(std::min(page, last));
  };
  const uint64_t protection = of(first);
  uint64_t same = 1;
  while (same < *pages && of(first + same) == protection) ++same;
  *pages = same;
  return protection;
}

}  // namespace

uint64_t ScratchWindows::bytes() const { return gpu_.kernel().parameters().window_pages * kPage; }

// No allocation is larger than the largest memory segment, so the window for large fills need not
// be larger either.
uint64_t ScratchWindows::fill_bytes() const {
  uint64_t largest = 0;
  for (const Segment& segment : gpu_.segments())
    if (!segment.aperture) largest = std::max(largest, segment.size);
  largest = std::min(gpu_.kernel().parameters().fill_bytes(), largest);
  return largest > bytes() ? (largest + kBytesOf64k - 1) / kBytesOf64k * kBytesOf64k : 0;
}

uint64_t ScratchWindows::leaf_tables() const {
  const Geometry& geometry = gpu_.caps().geometry;
  if (geometry.leaf_64k_bytes == 0) return 0;
  return (windows_.size() * bytes() + fill_bytes() + geometry.Coverage(0) - 1) / geometry.Coverage(0);
}

void ScratchWindows::ForgetPackets() {
  for (Window& window : windows_) window.packet = 0;
  fill_.packet = 0;
}

ScratchWindows::Window& ScratchWindows::Next() {
  Window& window = windows_[next_];
  next_ = (next_ + 1) % windows_.size();
  work_.WaitFor(window.packet);
  window.packet = 0;
  return window;
}

ScratchWindows::Window& ScratchWindows::NextForFill(uint64_t bytes_of_it) {
  work_.WaitFor(fill_.packet);
  return bytes_of_it > bytes() ? fill_ : Next();
}

bool ScratchWindows::Set(uint64_t va, const std::vector<DXGK_PTE>& entries, const Allocation& allocation,
                         uint64_t offset, uint64_t driver_protection) {
  const bool pages_64k = paging_.Set(va, entries, allocation.handle, offset, driver_protection);
  paging_.Flush(va, entries.size() * kPage);
  return pages_64k;
}

std::vector<DXGK_PTE> ScratchWindows::LocalEntries(const Allocation& allocation, uint64_t offset,
                                                   uint64_t bytes_of_it) const {
  const uint64_t first = offset / kPage;
  uint64_t end = first + PagesOf(bytes_of_it);
  if (gpu_.caps().geometry.leaf_64k_bytes != 0)
    end = std::min((end + kPagesOf64k - 1) / kPagesOf64k * kPagesOf64k,
                   allocation.local ? allocation.local->count() : PagesOf(allocation.bytes));
  std::vector<DXGK_PTE> entries;
  for (uint64_t page = first; page < end; ++page) entries.push_back(EntryOf(allocation, page));
  return entries;
}

ScratchWindows::Piece ScratchWindows::PieceAt(const Allocation& allocation, uint64_t at, uint64_t left,
                                              uint64_t pages) {
  if (!allocation.local) throw BugCheck("a transfer of " + allocation.name + ", which is not in a memory segment");
  Piece piece{};
  piece.skip = at % allocation.local->segment().page_bytes();
  piece.start = at - piece.skip;
  const uint64_t before = piece.skip / kPage;  // whole pages skipped
  uint64_t same = std::min(pages > before ? pages - before : 1, PagesOf(at % kPage + left));
  piece.protection = WindowProtection(allocation, at / kPage, &same);
  piece.size = std::min(left, same * kPage - at % kPage);
  return piece;
}

bool ScratchWindows::Show(uint64_t va, const Allocation& allocation, const Piece& piece) {
  return Set(va, LocalEntries(allocation, piece.start, piece.skip + piece.size), allocation, piece.start,
             piece.protection);
}

bool ScratchWindows::ShowSystem(uint64_t va, const SystemBuffer& buffer, uint64_t at, const Piece& piece,
                                const Allocation& allocation) {
  const uint64_t first = at / kPage;
  return Set(va, SystemEntries(gpu_, buffer, first, PagesOf(at % kPage + piece.size)), allocation, first * kPage,
             piece.protection);
}

void ScratchWindows::InWindow(Allocation& allocation, uint64_t bytes_of_it,
                              const std::function<DXGKARG_BUILDPAGINGBUFFER(uint64_t va)>& operation) {
  if (bytes_of_it > bytes())
    throw BugCheck("a window for " + std::to_string(bytes_of_it) + " bytes of " + allocation.name);
  Window& window = Next();
  const std::vector<DXGK_PTE> local = LocalEntries(allocation, 0, bytes_of_it);
  for (uint64_t first = 0, pages = 0; first < local.size(); first += pages) {
    pages = local.size() - first;
    const uint64_t protection = WindowProtection(allocation, first, &pages);
    const auto begin = local.begin() + static_cast<ptrdiff_t>(first);
    const std::vector<DXGK_PTE> entries(begin, begin + static_cast<ptrdiff_t>(pages));
    Set(window.local + first * kPage, entries, allocation, first * kPage, protection);
  }
  work_.Operate(operation(window.local));
}

}  // namespace gmmu::os
