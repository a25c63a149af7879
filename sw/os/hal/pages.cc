// SPDX-License-Identifier: Apache-2.0
#include "os/hal/pages.h"

#include <algorithm>
#include <array>

#include "os/base/bug_check.h"
#include "os/base/errors.h"
#include "os/base/text.h"

namespace gmmu::os {
namespace {
constexpr uint64_t kFirstPage = 0x100;  // the first MiB belongs to the firmware
constexpr int kDraws = 64;              // random draws before a linear search

bool Inside(const std::vector<hw::Range>& ranges, uint64_t first, uint64_t count) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const hw::Range& range) { return first >= range.start && first + count <= range.end; });
}
}  // namespace

PageAllocator::PageAllocator(std::vector<hw::Range> installed, uint64_t seed, Ledger& ledger, hw::HostRam* ram,
                             hw::Instruments* instruments)
    : random_(seed, "pages"), ledger_(ledger), memory_(ram), instruments_(instruments) {
  for (const hw::Range& range : installed) Add(range);
}

void PageAllocator::Add(const hw::Range& bytes) {
  if (bytes.start < end())
    throw BugCheck("memory at " + Hex(bytes.start) + " is added below the installed memory's end");
  const uint64_t start = std::max(bytes.start / hw::kPageSize, kFirstPage);
  const uint64_t end = bytes.end / hw::kPageSize;
  if (start >= end) return;
  ram_.push_back({start, end});
  total_ += end - start;
}

uint64_t PageAllocator::end() const { return ram_.empty() ? 0 : ram_.back().end * hw::kPageSize; }

std::vector<hw::Range> PageAllocator::Candidates(uint64_t low, uint64_t high) const {
  const uint64_t first = low / hw::kPageSize + (low % hw::kPageSize != 0);
  const uint64_t last = high / hw::kPageSize;
  std::vector<hw::Range> cut;
  for (const hw::Range& range : ram_) {
    const hw::Range piece{std::max(range.start, first), std::min(range.end, last)};
    if (piece.start < piece.end) cut.push_back(piece);
  }
  return cut;
}

void PageAllocator::Take(uint64_t pfn, const std::string& owner, const std::string& created_by) {
  pages_.emplace(pfn, Page{ledger_.Open("page", Hex(pfn * hw::kPageSize), owner, created_by), {}});
  if (instruments_ != nullptr) instruments_->NotePages(pfn, 1, true);
  if (!zeroing_ || dirty_.erase(pfn) == 0 || memory_ == nullptr) return;
  static constexpr std::array<uint8_t, hw::kPageSize> kZeros{};
  if (!memory_->Write(pfn * hw::kPageSize, kZeros.data(), kZeros.size())) {
    throw OsError("page " + Hex(pfn * hw::kPageSize) + " is not installed memory");
  }
}

std::string PageAllocator::OwnerOf(uint64_t pfn) const {
  const auto page = pages_.find(pfn);
  return page == pages_.end() ? "" : ledger_.OwnerOf(page->second.ticket);
}

bool PageAllocator::Charge(uint64_t pages) {
  if (pages > committable()) return false;
  charged_ += pages;
  return true;
}

std::optional<std::vector<uint64_t>> PageAllocator::AllocateScattered(size_t count, uint64_t low, uint64_t high,
                                                                      const std::string& owner,
                                                                      const std::string& created_by) {
  return Draw(count, low, high, block_pages_ > 1, owner, created_by);
}

/// Returns the next page of the open block, or the first page of a new block. Returns nullopt if no
/// free block was found.
std::optional<uint64_t> PageAllocator::NextOfBlock(const std::vector<hw::Range>& ranges) {
  const auto free = [&](uint64_t first, uint64_t count) {
    if (!Inside(ranges, first, count)) return false;
    for (uint64_t pfn = first; pfn < first + count; ++pfn)
      if (pages_.count(pfn) != 0) return false;
    return true;
  };
  if (open_block_.start < open_block_.end && free(open_block_.start, 1)) return open_block_.start++;
  for (int draw = 0; draw < kDraws && !ranges.empty(); ++draw) {
    const hw::Range& range = ranges[random_.Below(ranges.size())];
    const uint64_t drawn = range.start + random_.Below(range.end - range.start);
    const uint64_t first = drawn / block_pages_ * block_pages_;
    if (!free(first, block_pages_)) continue;
    open_block_ = {first + 1, first + block_pages_};
    return first;
  }
  return std::nullopt;
}

std::optional<std::vector<uint64_t>> PageAllocator::Draw(size_t count, uint64_t low, uint64_t high, bool blocks,
                                                         const std::string& owner, const std::string& created_by) {
  if (count > committable()) return std::nullopt;
  const auto ranges = Candidates(low, high);
  uint64_t span = 0;
  for (const hw::Range& range : ranges) span += range.end - range.start;
  auto at = [&ranges](uint64_t index) {
    for (const hw::Range& range : ranges) {
      if (index < range.end - range.start) return range.start + index;
      index -= range.end - range.start;
    }
    return uint64_t{0};
  };
  std::vector<uint64_t> taken;
  taken.reserve(count);
  while (taken.size() < count) {
    if (const auto pfn = blocks ? NextOfBlock(ranges) : std::nullopt) {
      taken.push_back(*pfn);
      Take(*pfn, owner, created_by);
      continue;
    }
    uint64_t index = random_.Below(span);
    bool found = span != 0 && pages_.count(at(index)) == 0;
    for (int draw = 1; !found && span != 0 && draw < kDraws; ++draw) {
      index = random_.Below(span);
      found = pages_.count(at(index)) == 0;
    }
    for (uint64_t step = 0; !found && step < span; ++step) {
      index = (index + 1) % span;
      found = pages_.count(at(index)) == 0;
    }
    if (!found) {
      Free(taken);
      return std::nullopt;
    }
    taken.push_back(at(index));
    Take(taken.back(), owner, created_by);
  }
  return taken;
}

std::optional<uint64_t> PageAllocator::AllocateContiguous(size_t count, uint64_t low, uint64_t high, uint64_t boundary,
                                                          const std::string& owner, const std::string& created_by,
                                                          uint64_t alignment) {
  if (count > committable()) return std::nullopt;
  const uint64_t boundary_pages = boundary / hw::kPageSize;
  std::vector<hw::Range> ranges;
  for (const hw::Range& range : Candidates(low, high)) {
    if (range.end - range.start >= count) ranges.push_back(range);
  }
  // Returns `first` if the range can begin there, otherwise the next page at which it might begin.
  auto next_fit = [&](uint64_t first) {
    const uint64_t last = first + count - 1;
    if (boundary_pages != 0 && first / boundary_pages != last / boundary_pages)
      return last / boundary_pages * boundary_pages;
    for (uint64_t pfn = last + 1; pfn-- > first;) {
      if (pages_.count(pfn) != 0) return pfn + 1;
    }
    return first;
  };
  const auto align = [&](uint64_t pfn) { return (pfn + alignment - 1) / alignment * alignment; };
  auto take = [&](uint64_t first) {
    for (uint64_t pfn = first; pfn < first + count; ++pfn) Take(pfn, owner, created_by);
    return first;
  };
  if (count == 0 || ranges.empty()) return std::nullopt;
  for (int draw = 0; draw < kDraws; ++draw) {
    const hw::Range& range = ranges[random_.Below(ranges.size())];
    const uint64_t drawn = range.start + random_.Below(range.end - range.start - count + 1);
    const uint64_t first = align(drawn);
    if (Inside(ranges, first, count) && next_fit(first) == first) return take(first);
  }
  for (const hw::Range& range : ranges) {
    for (uint64_t first = align(range.start); first + count <= range.end;) {
      const uint64_t next = next_fit(first);
      if (next == first) return take(first);
      first = align(next);
    }
  }
  return std::nullopt;
}

uint64_t PageAllocator::AllocatePage(const std::string& owner, const std::string& created_by) {
  const auto page = Draw(1, 0, ~uint64_t{0}, false, owner, created_by);
  if (!page) throw Exhausted("out of memory: no physical page for " + created_by);
  return page->front();
}

void PageAllocator::Free(uint64_t pfn) {
  const auto page = FindOrStop(pages_, pfn, "free of page ", Hex(pfn), ", which is not allocated");
  if (!page->second.pins.empty()) throw BugCheck("free of page " + Hex(pfn) + ", which is pinned");
  ledger_.Close(page->second.ticket);
  pages_.erase(page);
  if (instruments_ != nullptr) instruments_->NotePages(pfn, 1, false);
  dirty_.insert(pfn);
}

void PageAllocator::Free(const std::vector<uint64_t>& pfns) {
  for (uint64_t pfn : pfns) Free(pfn);
}

void PageAllocator::Pin(uint64_t pfn, const std::string& owner, const std::string& created_by) {
  const auto page = FindOrStop(pages_, pfn, "pin of page ", Hex(pfn), ", which is not allocated");
  page->second.pins.push_back(ledger_.Open("pinned_page", Hex(pfn * hw::kPageSize), owner, created_by));
}

void PageAllocator::Unpin(uint64_t pfn) {
  const auto page = pages_.find(pfn);
  if (page == pages_.end() || page->second.pins.empty()) {
    throw BugCheck("unpin of page " + Hex(pfn) + ", which is not pinned");
  }
  ledger_.Close(page->second.pins.back());
  page->second.pins.pop_back();
}

}  // namespace gmmu::os
