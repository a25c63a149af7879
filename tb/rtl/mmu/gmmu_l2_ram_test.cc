// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_l2_ram against arrays in C++: searches, tag and data writes in the cycle of a read,
// and sweeps of all scopes.
#include <array>
#include <optional>
#include <vector>

#include "blocks.h"

namespace gmmu::bench {
namespace {

class L2RamTest : public BlocksTest {
 protected:
  struct Way {
    unsigned present = 0, space = 0;
    uint64_t block = 0;
    std::array<uint64_t, 16> page{};
  };
  const unsigned ways_ = small() ? 1 : 4;
  const unsigned sets_ = small() ? 2 : 8;
  std::vector<std::vector<Way>> model_ = std::vector<std::vector<Way>>(sets_, std::vector<Way>(ways_));

  /// The result of a read, which appears two cycles later.
  struct Found {
    bool hit, line;
    unsigned same, empty, present;
    uint64_t page;
  };

  unsigned SetOf(const Key& key) const { return static_cast<unsigned>((key.vpn >> 4) ^ key.space) % sets_; }
  Key SomeKey() {
    Key key;
    key.space = Random(3);
    key.vpn = uint64_t{Random(6)} << 4 << (Random(4) == 0 ? 20 : 0);
    key.vpn |= Random(16);
    key.high = Random(20) == 0;
    return key;
  }
};

TEST_P(L2RamTest, EqualsArraysUnderRandomReadsWritesAndSweeps) {
  std::optional<Found> before;
  for (int i = 0; i < 4000; ++i) {
    // Each port performs one operation per cycle. A read sees the state before the edge.
    const Key key = SomeKey(), target = SomeKey();
    const bool read = Random(4) != 0;
    SetKey(key);
    SetOther(target);
    t.l2_read_i = read;
    auto& set = model_[SetOf(target)];
    const unsigned way = Random(ways_);
    const bool write_tag = Random(5) == 0;
    const bool write_data = Random(3) == 0;
    const unsigned present = Random(3) == 0 ? 0 : Random(1 << 16);
    const Page page((rng() & 0xffff'ffff'ffff'f000 >> 12) & ~uint64_t{7});
    // gmmu_fill guarantees that no two ways hold the same block, so skip writes that would break
    // this.
    bool twice = false;
    for (unsigned w = 0; w < ways_; ++w) {
      twice |= w != way && set[w].present != 0 && set[w].space == target.space && set[w].block == target.vpn >> 4;
    }
    t.l2_tag_write_i = write_tag && !twice ? 1u << way : 0;
    t.l2_data_write_i = write_data ? 1u << way : 0;
    t.l2_present_i = static_cast<uint16_t>(present);
    t.page_i = page.raw;
    const auto found = model_[SetOf(key)];
    // A read does not find a sub-entry that is written in the same cycle.
    const bool written = write_data && SetOf(key) == SetOf(target) && ((key.vpn ^ target.vpn) & 15) == 0;
    Step();
    if (t.l2_data_write_i != 0) set[way].page[target.vpn & 15] = page.raw;
    if (t.l2_tag_write_i != 0) set[way] = {present, target.space, target.vpn >> 4, set[way].page};
    t.l2_tag_write_i = t.l2_data_write_i = 0;
    std::optional<Found> found_now;
    if (read) {
      unsigned same = 0, empty = 0, with = 0, from = ways_;
      uint64_t data = 0;
      for (unsigned w = 0; w < ways_; ++w) {
        if (found[w].present == 0) {
          empty |= 1u << w;
        } else if (found[w].space == key.space && found[w].block == key.vpn >> 4) {
          same |= 1u << w;
          with = found[w].present;
          from = w;
          data = found[w].page[key.vpn & 15];
        }
      }
      const bool hit = !key.high && (with >> (key.vpn & 15) & 1) != 0 && !(written && from == way);
      found_now = {hit, !key.high && (with >> (key.vpn & 8) & 0xff) != 0, same, empty, with, data};
    }
    if (before) {
      ASSERT_EQ(t.l2_same_o[n], before->same) << "step " << i;
      ASSERT_EQ(t.l2_empty_o[n], before->empty) << "step " << i;
      ASSERT_EQ(t.l2_present_o[n], before->present) << "step " << i;
      ASSERT_EQ(t.l2_hit_o[n], before->hit) << "step " << i;
      ASSERT_EQ(t.l2_line_o[n], before->line) << "step " << i;
      if (before->hit) {
        ASSERT_EQ(t.l2_page_o[n], before->page) << "step " << i;
      }
    }
    before = found_now;
    if (Random(100) == 0) {
      const bool all = Random(4) == 0, ranged = Random(2) == 0;
      const unsigned space = Random(3);
      const uint64_t first = SomeKey().vpn, tail = first + Random(64);
      SetKey({space, first, false});
      t.l2_read_i = 1;
      Step();
      t.l2_read_i = 0;
      before.reset();
      SetScope(all, ranged, space, first, tail);
      for (unsigned s = 0; s < sets_; ++s) Sweep(s);
      for (int step = 0; step < 3; ++step) Step();
      const auto [from, to] = Widened(first, tail);
      for (auto& swept : model_) {
        for (auto& w : swept) {
          const bool overlaps = w.block << 4 <= to && ((w.block << 4) | 15) >= from;
          if (all || (w.space == space && (!ranged || overlaps))) w.present = 0;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, L2RamTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::bench
