// SPDX-License-Identifier: Apache-2.0
#include "os/base/used_ranges.h"

#include <tuple>
#include <utility>

namespace gmmu::os {

UsedRanges::UsedRanges(uint64_t end, uint64_t page) : page_(page) {
  if (page != 0) by_page_.resize(end / page / std::tuple_size_v<Numbers> + 1);
}

void UsedRanges::Add(const Range& range) {
  ++size_;
  if (page_ == 0) {
    by_start_.emplace(range.start, range);
    return;
  }
  const uint64_t page = range.start / page_;
  std::unique_ptr<Numbers>& numbers = by_page_[page / std::tuple_size_v<Numbers>];
  if (numbers == nullptr) numbers = std::make_unique<Numbers>();
  uint32_t& number = (*numbers)[page % std::tuple_size_v<Numbers>];
  if (unused_.empty()) {
    ranges_.push_back(range);
    number = static_cast<uint32_t>(ranges_.size());
  } else {
    number = unused_.back();
    unused_.pop_back();
    ranges_[number - 1] = range;
  }
}

std::optional<UsedRanges::Range> UsedRanges::Remove(uint64_t start) {
  if (page_ == 0) {
    const auto found = by_start_.find(start);
    if (found == by_start_.end()) return std::nullopt;
    const Range range = found->second;
    by_start_.erase(found);
    --size_;
    return range;
  }
  const uint64_t page = start / page_;
  const uint64_t index = page / std::tuple_size_v<Numbers>;
  if (start % page_ != 0 || index >= by_page_.size() || by_page_[index] == nullptr) return std::nullopt;
  uint32_t& number = (*by_page_[index])[page % std::tuple_size_v<Numbers>];
  if (number == 0) return std::nullopt;
  unused_.push_back(number);
  --size_;
  return ranges_[std::exchange(number, 0) - 1];
}

}  // namespace gmmu::os
