// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/compaction.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gmmu::os {
namespace {

constexpr char kHeld[] = "compaction";

/// Allocates ranges and frees them when the object is destroyed.
class Held {
 public:
  explicit Held(RangeAllocator& space) : space_(space) {}
  ~Held() {
    for (uint64_t start : starts_) space_.Free(start);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  bool At(uint64_t start, uint64_t bytes) {
    const bool taken = space_.AllocateAt(start, bytes, kHeld);
    if (taken) starts_.push_back(start);
    return taken;
  }
  bool Lowest(uint64_t bytes) {
    const auto start = space_.Allocate(bytes, bytes, kHeld, RangeAllocator::Place::kLowest);
    if (start) starts_.push_back(*start);
    return start.has_value();
  }
  uint64_t count() const { return starts_.size(); }

 private:
  RangeAllocator& space_;
  std::vector<uint64_t> starts_;
};

}  // namespace

Compaction::Compaction(Segment& segment, uint64_t block, const std::vector<const SegmentPages*>& movable, Move move)
    : segment_(segment),
      block_(block),
      move_(std::move(move)),
      blocks_of_(movable.size()),
      shares_(segment.size / block) {
  for (size_t subject = 0; subject < movable.size(); ++subject) Add(subject, *movable[subject]);
}

void Compaction::Add(size_t subject, const SegmentPages& pages) {
  for (uint64_t i = 0; i < pages.count(); ++i) {
    const uint64_t block = pages.page(i) * hw::kPageSize / block_;
    if (block >= shares_.size()) continue;  // a partial block at the end of the segment
    auto& shares = shares_[block];
    if (shares.empty() || shares.back().subject != subject) {
      shares.push_back({subject, 0});
      blocks_of_[subject].push_back(block);
    }
    ++shares.back().pages;
  }
}

void Compaction::Remove(size_t subject) {
  const auto is_its = [&](const Share& share) { return share.subject == subject; };
  for (const uint64_t block : std::exchange(blocks_of_[subject], {})) {
    auto& shares = shares_[block];
    shares.erase(std::remove_if(shares.begin(), shares.end(), is_its), shares.end());
  }
}

uint64_t Compaction::Movable(uint64_t block) const {
  const auto& shares = shares_[block];
  return std::accumulate(shares.begin(), shares.end(), uint64_t{0},
                         [](uint64_t sum, const Share& share) { return sum + share.pages; });
}

uint64_t Compaction::Free(uint64_t wanted) {
  // Because the free blocks are allocated here, moved pages can go only into the holes between
  // other pages.
  Held blocks(*segment_.space);
  while (blocks.count() < wanted && blocks.Lowest(block_)) {}
  std::vector<std::pair<uint64_t, uint64_t>> order;  // {pages in use, block index}
  for (uint64_t block = 0; block < shares_.size() && blocks.count() < wanted; ++block)
    if (const uint64_t pages = Movable(block); pages != 0) order.emplace_back(pages, block);
  std::sort(order.begin(), order.end());
  for (const auto& [pages, block] : order) {
    if (blocks.count() >= wanted) break;
    if (Empty(block)) static_cast<void>(blocks.At(block * block_, block_));
  }
  return blocks.count();
}

bool Compaction::Empty(uint64_t block) {
  const uint64_t start = block * block_, end = start + block_;
  Held rest(*segment_.space);
  const auto hold_free = [&] {  // keeps moved pages out of the block
    for (uint64_t page = start; page < end; page += hw::kPageSize) static_cast<void>(rest.At(page, hw::kPageSize));
  };
  hold_free();
  if (Movable(block) + rest.count() != block_ / hw::kPageSize) return false;
  while (!shares_[block].empty()) {
    const auto [subject, pages] = shares_[block].back();
    const SegmentPages* const moved = move_(subject, start, end);
    if (moved == nullptr) return false;
    ++moves_;
    moved_pages_ += pages;
    Remove(subject);
    Add(subject, *moved);
    hold_free();
  }
  return true;
}

}  // namespace gmmu::os
