// SPDX-License-Identifier: Apache-2.0
#include "os/base/ranges.h"

#include <utility>

#include "os/base/bug_check.h"
#include "os/base/errors.h"
#include "os/base/free_ranges.h"
#include "os/base/text.h"

namespace gmmu::os {

RangeAllocator::RangeAllocator(uint64_t start, uint64_t end, uint64_t seed, std::string kind, std::string owner,
                               Ledger& ledger)
    : free_(std::make_unique<FreeRanges>()),
      end_(end),
      random_(seed, kind + "/" + owner),
      kind_(std::move(kind)),
      owner_(std::move(owner)),
      ledger_(ledger) {
  if (start >= end) return;
  free_->Add(start, end);
  free_bytes_ = end - start;
}

RangeAllocator::~RangeAllocator() = default;

void RangeAllocator::Take(uint64_t start, uint64_t size, const std::string& created_by) {
  free_bytes_ -= free_->Remove(start, start + size);
  used_.emplace(start, Used{size, ledger_.OpenRange(kind_, start, size, owner_, created_by)});
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

uint64_t RangeAllocator::used_end() const {
  if (used_.empty()) return 0;
  const FreeRanges::Hole* last = free_->EndsBehind(end_ - 1);
  return last == nullptr ? end_ : last->start;
}

void RangeAllocator::Free(uint64_t start) {
  const auto used = used_.find(start);
  if (used == used_.end()) throw BugCheck("free of " + kind_ + " " + Hex(start) + ", which is not allocated");
  free_->Add(start, start + used->second.size);
  free_bytes_ += used->second.size;
  ledger_.Close(used->second.ticket);
  used_.erase(used);
}

}  // namespace gmmu::os
