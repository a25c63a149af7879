// SPDX-License-Identifier: Apache-2.0
// gmmu_large against a list in C++: a hit is a translation that was entered and not dropped, with
// the page number of the page searched for; what was entered last is there.
#include <vector>

#include "blocks.h"

namespace gmmu::bench {
namespace {

class LargeTest : public BlocksTest {
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
    SetKey({space, vpn, high});
    t.lg_used_i = 1;
    Step();
    t.lg_used_i = 0;
    const bool hit = t.lg_hit_o;
    Step();
    const Page page(t.lg_page_o);
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
  for (int i = 0; i < 4000 && !HasFatalFailure(); ++i) {
    const Entry e = At(Random(24));
    const uint64_t vpn = e.vpn | (rng() & ((uint64_t{1} << e.shift) - 1));
    bool must = false;
    if (Random(3) == 0) {
      SetOther({e.space, vpn, false});
      t.page_i = Page(e.pfn | (vpn & ((uint64_t{1} << e.shift) - 1)), 1, true).raw;
      t.lg_shift_i = static_cast<uint8_t>(e.shift);
      t.lg_fill_i = 1;
      t.lg_used_i = Random(2) != 0;
      Step();
      t.lg_fill_i = 0;
      ASSERT_TRUE(t.lg_wants_o);
      const bool killed = Random(10) == 0;
      t.lg_used_i = Random(2) != 0;  // then it has to wait
      const bool waits = t.lg_used_i;
      t.kill_valid_i = killed;
      Step();
      t.kill_valid_i = 0;
      t.lg_used_i = 0;
      Settle();
      ASSERT_EQ(t.lg_wants_o, !killed);  // it searched, or has to
      Step();
      if (waits) {
        Settle();
        ASSERT_EQ(t.lg_wants_o, !killed);
        Step();
      }
      ASSERT_FALSE(t.lg_wants_o);
      Step();  // it is entered
      if (!killed) {
        model_.push_back(e);
        must = true;
      }
    }
    Search(Random(8) == 0 && !must ? 2 : e.space, vpn, !must && Random(9) == 0, must);
    if (Random(80) == 0) {
      const bool all = Random(4) == 0, ranged = Random(2) == 0;
      const unsigned space = Random(2);
      const uint64_t first = At(Random(24)).vpn + Random(600);
      const uint64_t tail = first + (uint64_t{1} << Random(21));
      t.sweep_all_i = all;
      t.sweep_ranged_i = ranged;
      t.kill_space_i = static_cast<uint8_t>(space);
      t.sweep_first_i = first;
      t.sweep_tail_i = tail;
      for (unsigned s = 0; s < 8; ++s) Sweep(s);
      Step();
      Step();
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

INSTANTIATE_TEST_SUITE_P(Sizes, LargeTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::bench
