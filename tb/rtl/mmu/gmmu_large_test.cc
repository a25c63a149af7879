// SPDX-License-Identifier: Apache-2.0
// gmmu_large against a list in C++: a hit is a translation that was entered and not dropped, with
// the page number of the page searched for; what was entered last is there.
#include <vector>

#include "blocks.h"

namespace gmmu::bench {
namespace {

class LargeTest : public BlockTest {
 protected:
  struct Entry {
    unsigned space, shift;
    uint64_t vpn, pfn;
  };
  std::vector<Entry> model_;
  unsigned hits_ = 0;

  /// One translation a place, so that every answer has one explanation.
  Entry At(unsigned place) const {
    const unsigned shift = place % 3 == 0 ? 9 : place % 3 == 1 ? 10 : 18;
    return {place & 1, shift, uint64_t{place} << 18, (uint64_t{place} + 100) << 18};
  }
  void Search(unsigned space, uint64_t vpn, bool high, bool must) {
    auto& top = *blocks_.top;
    blocks_.SetKey({space, vpn, high});
    top.lg_used_i = 1;
    blocks_.Settle();
    blocks_.Step();
    top.lg_used_i = 0;
    const bool hit = top.lg_hit_o;
    blocks_.Settle();
    blocks_.Step();
    const Page page(top.lg_page_o);
    if (must) {
      ASSERT_TRUE(hit);
    }
    if (!hit) return;
    ASSERT_FALSE(high);
    ++hits_;
    for (const Entry& e : model_) {
      if (e.space != space || e.vpn >> e.shift != vpn >> e.shift) continue;
      ASSERT_EQ(page.pfn(), e.pfn | (vpn & ((uint64_t{1} << e.shift) - 1)));
      return;
    }
    FAIL() << "never entered, or dropped";
  }
};

TEST_P(LargeTest, HitsAreWhatWasEnteredAndNotDropped) {
  auto& top = *blocks_.top;
  for (int i = 0; i < 4000 && !HasFatalFailure(); ++i) {
    const Entry e = At(blocks_.Random(24));
    const uint64_t vpn = e.vpn | (blocks_.random() & ((uint64_t{1} << e.shift) - 1));
    bool must = false;
    if (blocks_.Random(3) == 0) {
      blocks_.SetOther({e.space, vpn, false});
      top.page_i = Page(e.pfn | (vpn & ((uint64_t{1} << e.shift) - 1)), 1, true).raw;
      top.lg_shift_i = static_cast<uint8_t>(e.shift);
      top.lg_fill_i = 1;
      top.lg_used_i = blocks_.Random(2) != 0;
      blocks_.Settle();
      blocks_.Step();
      top.lg_fill_i = 0;
      ASSERT_TRUE(top.lg_wants_o);
      const bool killed = blocks_.Random(10) == 0;
      top.lg_used_i = blocks_.Random(2) != 0;  // then it has to wait
      const bool waits = top.lg_used_i;
      top.kill_valid_i = killed;
      blocks_.Settle();
      blocks_.Step();
      top.kill_valid_i = 0;
      top.lg_used_i = 0;
      blocks_.Settle();
      ASSERT_EQ(top.lg_wants_o, !killed);  // it searched, or has to
      blocks_.Step();
      if (waits) {
        blocks_.Settle();
        ASSERT_EQ(top.lg_wants_o, !killed);
        blocks_.Step();
      }
      ASSERT_FALSE(top.lg_wants_o);
      blocks_.Step();  // it is entered
      if (!killed) {
        model_.push_back(e);
        must = true;
      }
    }
    Search(blocks_.Random(8) == 0 && !must ? 2 : e.space, vpn, !must && blocks_.Random(9) == 0, must);
    if (blocks_.Random(80) == 0) {
      const bool all = blocks_.Random(4) == 0, ranged = blocks_.Random(2) == 0;
      const unsigned space = blocks_.Random(2);
      const uint64_t first = At(blocks_.Random(24)).vpn + blocks_.Random(600);
      const uint64_t tail = first + (uint64_t{1} << blocks_.Random(21));
      top.sweep_all_i = all;
      top.sweep_ranged_i = ranged;
      top.kill_space_i = static_cast<uint8_t>(space);
      top.sweep_first_i = first;
      top.sweep_tail_i = tail;
      for (unsigned s = 0; s < 8; ++s) blocks_.Sweep(s);
      blocks_.Step();
      blocks_.Step();
      for (auto at = model_.begin(); at != model_.end();) {
        const uint64_t rest = (uint64_t{1} << at->shift) - 1;
        const bool overlaps = at->vpn <= tail && (at->vpn | rest) >= first;
        const bool drop = all || (at->space == space && (!ranged || overlaps));
        at = drop ? model_.erase(at) : at + 1;
      }
    }
  }
  EXPECT_GT(hits_, 500u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, LargeTest, SizesAndSeeds(), SizeAndSeed);

}  // namespace
}  // namespace gmmu::bench
