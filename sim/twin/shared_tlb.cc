// SPDX-License-Identifier: Apache-2.0
#include "twin/shared_tlb.h"

#include <algorithm>

namespace gmmu::sim::twin {

SharedTlb::SharedTlb(unsigned level, unsigned entries, unsigned ways, unsigned block_pages)
    : level_(level),
      block_pages_(block_pages),
      sets_(std::max(1u, entries / block_pages / std::max(1u, ways))),
      ways_(std::max(1u, ways)),
      blocks_(size_t{sets_} * ways_),
      lines_(blocks_.size()) {}

SharedTlb::Block* SharedTlb::Search(unsigned space, uint64_t vpn) {
  Block* const set = &blocks_[SetOf(space, vpn) * ways_];
  for (unsigned way = 0; way < ways_; ++way) {
    Block& block = set[way];
    if (block.present != 0 && block.space == space && block.block == vpn / block_pages_) return &block;
  }
  return nullptr;
}

void SharedTlb::Used(const Block& block, uint64_t now_ps) {
  TlbLine& line = lines_[static_cast<size_t>(&block - blocks_.data())];
  line.used_ps = std::max(line.used_ps, now_ps);
  ++line.uses;
}

SharedTlb::Block* SharedTlb::Place(unsigned space, uint64_t vpn, const Filler& filler, Policy& policy,
                                   uint64_t& evicted) {
  if (Block* there = Search(space, vpn)) return there;
  const size_t first = SetOf(space, vpn) * ways_;
  for (unsigned way = 0; way < ways_; ++way) lines_[first + way].valid = blocks_[first + way].present != 0;
  TlbSet set;
  set.level = level_;
  set.port = filler.port;
  set.space = space;
  set.vpn = vpn / block_pages_ * block_pages_;
  set.now_ps = filler.now_ps;
  set.prefetch = filler.prefetch;
  set.lines = &lines_[first];
  set.count = ways_;
  set.turn = turn_;
  const unsigned way = policy.Place(set);
  if (way >= ways_) return nullptr;
  Block& place = blocks_[first + way];
  if (place.present != 0) {
    if (way == turn_) turn_ = turn_ + 1 == ways_ ? 0 : turn_ + 1;
    ++evicted;
  }
  place = Block{0, space, vpn / block_pages_};
  lines_[first + way] = {true, space, filler.port, set.vpn, filler.now_ps, filler.now_ps, 0, 0};
  return &place;
}

}  // namespace gmmu::sim::twin
