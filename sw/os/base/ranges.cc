// SPDX-License-Identifier: Apache-2.0
#include "os/base/ranges.h"

#include <utility>

#include "os/base/bug_check.h"
#include "os/base/errors.h"
#include "os/base/free_pages.h"
#include "os/base/free_ranges.h"
#include "os/base/text.h"

namespace gmmu::os {
namespace {

constexpr uint64_t kMostPages = uint64_t{1} << 28;  // 2^28 pages: 32 MiB of bits

/// Returns `page`, or 0 if the space has too many pages for a bitmap.
uint64_t PageWithin(uint64_t end, uint64_t page) { return page != 0 && end / page <= kMostPages ? page : 0; }

std::unique_ptr<FreeSpace> AllFree(uint64_t start, uint64_t end, uint64_t page) {
  if (page != 0) return std::make_unique<FreePages>(start, end, page);
  auto free = std::make_unique<FreeRanges>();
  free->Add(start, end);
  return free;
}

}  // namespace

RangeAllocator::RangeAllocator(uint64_t start, uint64_t end, uint64_t seed, std::string kind, std::string owner,
                               Ledger& ledger, uint64_t page)
    : free_(AllFree(start, end, PageWithin(end, page))),
      end_(end),
      used_(end, PageWithin(end, page)),
      random_(seed, kind + "/" + owner),
      kind_(std::move(kind)),
      owner_(std::move(owner)),
      ledger_(ledger) {
  if (start < end) free_bytes_ = end - start;
}

RangeAllocator::~RangeAllocator() = default;

void RangeAllocator::Take(uint64_t start, uint64_t size, const std::string& created_by) {
  free_->Remove(start, start + size);
  free_bytes_ -= size;
  used_.Add({start, size, ledger_.OpenRange(kind_, start, size, owner_, created_by)});
}

void RangeAllocator::Exclude(uint64_t start, uint64_t end) { free_bytes_ -= free_->Remove(start, end); }

std::optional<uint64_t> RangeAllocator::Allocate(uint64_t size, uint64_t alignment, const std::string& created_by,
                                                 Place where) {
  return AllocateIn(0, ~uint64_t{0}, size, alignment, created_by, where);
}

std::optional<uint64_t> RangeAllocator::AllocateWithin(uint64_t from, uint64_t to, uint64_t size, uint64_t alignment,
                                                       const std::string& created_by) {
  return AllocateIn(from, to, size, alignment, created_by, Place::kBySeed);
}

std::optional<uint64_t> RangeAllocator::AllocateIn(uint64_t from, uint64_t to, uint64_t size, uint64_t alignment,
                                                   const std::string& created_by, Place where) {
  if (size == 0) return std::nullopt;
  const FreeRanges::Wanted wanted{size, alignment, from, to};
  const uint64_t places = free_->Places(wanted);
  if (places == 0) return std::nullopt;
  const uint64_t place = where == Place::kLowest ? 0 : where == Place::kHighest ? places - 1 : random_.Below(places);
  const uint64_t start = free_->Start(wanted, place);
  Take(start, size, created_by);
  return start;
}

bool RangeAllocator::AllocateAt(uint64_t start, uint64_t size, const std::string& created_by) {
  if (size == 0 || start + size < start || !free_->Has(start, start + size)) return false;
  Take(start, size, created_by);
  return true;
}

uint64_t RangeAllocator::FreeBlocks(uint64_t size) const { return free_->Places({size, size}); }

uint64_t RangeAllocator::used_end() const { return used_.size() == 0 ? 0 : free_->StartBefore(end_); }

void RangeAllocator::Free(uint64_t start) {
  const auto used = used_.Remove(start);
  if (!used) throw BugCheck("free of " + kind_ + " " + Hex(start) + ", which is not allocated");
  free_->Add(start, start + used->size);
  free_bytes_ += used->size;
  ledger_.Close(used->ticket);
}

}  // namespace gmmu::os
