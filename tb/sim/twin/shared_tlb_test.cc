// SPDX-License-Identifier: Apache-2.0
#include "twin/shared_tlb.h"

#include <gtest/gtest.h>

namespace gmmu::sim::twin {
namespace {

class Last : public Policy {
 public:
  unsigned Place(const TlbSet& set) override {
    seen = set;
    return place;
  }
  TlbSet seen;
  unsigned place = 0;
};

TEST(SharedTlb, ReplacesInTurnWhenItsSetIsFull) {
  SharedTlb tlb(2, 32, 2, 16);  // one set
  Policy policy;
  uint64_t evicted = 0;
  for (uint64_t block = 0; block < 3; ++block) {
    SharedTlb::Block* placed = tlb.Place(1, block * 16, {}, policy, evicted);
    ASSERT_NE(placed, nullptr);
    placed->present = 1;
  }
  EXPECT_EQ(evicted, 1u);
  EXPECT_EQ(tlb.Search(1, 0), nullptr);
  EXPECT_NE(tlb.Search(1, 16), nullptr);
  EXPECT_EQ(tlb.Search(2, 16), nullptr) << "of another space";
}

TEST(SharedTlb, ShowsThePolicyWhoBroughtAndUsedAnEntry) {
  SharedTlb tlb(3, 4, 2, 1);
  Last policy;
  uint64_t evicted = 0;
  SharedTlb::Block* block = tlb.Place(1, 4, {3, false, 100}, policy, evicted);
  block->present = 1;
  tlb.Used(*block, 500);
  policy.place = 1;
  static_cast<void>(tlb.Place(1, 6, {2, true, 900}, policy, evicted));
  EXPECT_EQ(policy.seen.level, 3u);
  EXPECT_EQ(policy.seen.count, 2u);
  EXPECT_TRUE(policy.seen.prefetch);
  EXPECT_EQ(policy.seen.vpn, 6u);
  EXPECT_TRUE(policy.seen.lines[0].valid);
  EXPECT_EQ(policy.seen.lines[0].port, 3u);
  EXPECT_EQ(policy.seen.lines[0].used_ps, 500u);
  EXPECT_EQ(policy.seen.lines[0].uses, 1u);
  policy.place = Policy::kNowhere;
  EXPECT_EQ(tlb.Place(1, 8, {}, policy, evicted), nullptr);
  EXPECT_EQ(evicted, 0u);
}

}  // namespace
}  // namespace gmmu::sim::twin
