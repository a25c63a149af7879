// SPDX-License-Identifier: Apache-2.0
// gmmu_walk_index against shifts in C++: asks back to back, begins and holds that put others off, and
// being cleared.
#include <array>
#include <optional>
#include <vector>

#include "blocks.h"

namespace gmmu::bench {
namespace {

class WalkIndexTest : public BlocksTest {};

TEST_P(WalkIndexTest, EqualsAShiftAndAMask) {
  struct Shape {
    std::array<unsigned, 7> shift, bits;  // [6]: a leaf table of 64 KiB entries
    bool dual;
  };
  const unsigned spaces = small() ? 2 : 16;
  std::vector<Shape> shapes(spaces);
  for (unsigned s = 0; s < spaces; ++s) {
    uint64_t shifts = 0, bits = 0;
    for (unsigned l = 0; l < 6; ++l) {
      shapes[s].bits[l] = 1 + Random(13);
      shapes[s].shift[l] = Random(36);
      shifts |= uint64_t{shapes[s].shift[l]} << (6 * l);
      bits |= uint64_t{shapes[s].bits[l]} << (4 * l);
    }
    t.ix_write_i = 1;
    t.kill_space_i = static_cast<uint8_t>(s);
    t.ix_shifts_i = shifts;
    t.ix_bits_i = static_cast<uint32_t>(bits);
    shapes[s].shift[6] = 4;
    t.ix_bits_64k_i = static_cast<uint8_t>(shapes[s].bits[6] = Random(10));
    t.ix_dual_i = shapes[s].dual = s % 2 != 0;
    Step();
  }
  t.ix_write_i = 0;

  struct Want {
    unsigned row, low;
    uint64_t index;
    unsigned shift, bits;
  };
  std::optional<Want> one, two, three;  // by stage
  unsigned put_off = 0, done = 0, soon = 0, waited = 0;
  unsigned pairs = 0;
  // Of pairs the lowest bit says which half; the shift that it is made with is one less than theirs.
  const auto want = [&](unsigned row, unsigned low, uint64_t vpn, unsigned by, unsigned width, bool pair, bool half) {
    uint64_t index = vpn >> by & ((1u << width) - 1);
    if (pair && width != 0) index = (index & ~uint64_t{1}) | half;
    pairs += pair;
    return Want{row, low, index, (by + pair) & 63, width};
  };
  for (int i = 0; i < 3000; ++i) {
    const bool ask = Random(3) != 0, begin = Random(4) == 0;
    const bool hold = Random(4) == 0, clear = Random(50) == 0;
    const Key key{Random(spaces), rng() & kVpnMask, false};
    const Key start{0, rng() & kVpnMask, false};
    const bool half = Random(2) != 0, begin_pair = Random(3) == 0, begin_half = Random(2) != 0;
    const unsigned level = Random(7), row = Random(9);
    const unsigned shift = Random(36), bits = 1 + Random(13);
    SetKey(key);
    SetOther(start);
    t.ix_ask_i = ask;
    t.ix_row_i = static_cast<uint8_t>(row);
    t.ix_level_i = static_cast<uint8_t>(level);
    t.ix_half_i = half;
    t.ix_begin_pair_i = begin_pair;
    t.ix_begin_half_i = begin_half;
    t.ix_begin_i = begin;
    t.ix_begin_row_i = 12;
    t.ix_begin_low_i = i & 1;
    t.ix_begin_shift_i = static_cast<uint8_t>(shift);
    t.ix_begin_bits_i = static_cast<uint8_t>(bits);
    t.ix_hold_i = hold;
    t.ix_clear_i = clear;
    Settle();

    const bool held = three && hold;
    waited += held;
    ASSERT_EQ(t.ix_done_o, three && !hold);
    if (three) {
      EXPECT_EQ(t.ix_index_o, three->index);  // also while it is held
    }
    if (three && !hold) {
      ++done;
      EXPECT_EQ(t.ix_done_rows_o, 1u << three->row);
      EXPECT_EQ(t.ix_shift_o, three->shift);
      EXPECT_EQ(t.ix_bits_o, three->bits);
      EXPECT_EQ(t.ix_low_o, three->low);
    }
    ASSERT_EQ(t.ix_early_rows_o, two && !held ? 1u << two->row : 0u);
    soon += two && !held;
    const unsigned again = (one && begin ? 1u << one->row : 0u) | (two && held ? 1u << two->row : 0u);
    ASSERT_EQ(t.ix_again_rows_o, again);
    put_off += again != 0;

    if (!held) three = two;
    two = one;
    if (begin) two = want(12, i & 1u, start.vpn, shift, bits, begin_pair, begin_half);
    one.reset();
    const Shape& shape = shapes[key.space];
    if (ask) {
      one = want(row, level & 1, key.vpn, shape.shift[level], shape.bits[level], shape.dual && level == 1, half);
    }
    if (clear) one = two = three = std::nullopt;
    Step();
  }
  EXPECT_GT(put_off, 100u);
  EXPECT_GT(waited, 100u);
  EXPECT_GT(soon, 1000u);
  EXPECT_GT(pairs, 100u);
  EXPECT_GT(done, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, WalkIndexTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::bench
