// SPDX-License-Identifier: Apache-2.0
// gmmu_walk_index against shifts in C++: asks back to back, begins that put an ask off.
#include <array>
#include <map>
#include <vector>

#include "blocks.h"

namespace gmmu::bench {
namespace {

class WalkIndexTest : public BlockTest {};

TEST_P(WalkIndexTest, EqualsAShiftAndAMask) {
  auto& top = *blocks_.top;
  struct Shape {
    std::array<unsigned, 6> shift, bits;
  };
  const unsigned spaces = blocks_.small() ? 2 : 16;
  std::vector<Shape> shapes(spaces);
  for (unsigned s = 0; s < spaces; ++s) {
    uint64_t shifts = 0, bits = 0;
    for (unsigned l = 0; l < 6; ++l) {
      shapes[s].bits[l] = 1 + blocks_.Random(13);
      shapes[s].shift[l] = blocks_.Random(36);
      shifts |= uint64_t{shapes[s].shift[l]} << (6 * l);
      bits |= uint64_t{shapes[s].bits[l]} << (4 * l);
    }
    top.ix_write_i = 1;
    top.kill_space_i = static_cast<uint8_t>(s);
    top.ix_shifts_i = shifts;
    top.ix_bits_i = static_cast<uint32_t>(bits);
    blocks_.Settle();
    blocks_.Step();
  }
  top.ix_write_i = 0;

  struct Want {
    unsigned row;
    uint64_t index;
    unsigned shift, bits;
  };
  std::map<uint64_t, Want> due;  // by cycle
  unsigned put_off = 0, done = 0;
  bool asked = false;
  unsigned asked_row = 0;
  for (int i = 0; i < 3000; ++i) {
    const bool ask = blocks_.Random(3) != 0, begin = blocks_.Random(4) == 0;
    const Key key{blocks_.Random(spaces), blocks_.random() & kVpnMask, false};
    const Key start{0, blocks_.random() & kVpnMask, false};
    const unsigned level = blocks_.Random(6), row = blocks_.Random(9);
    const unsigned shift = blocks_.Random(36), bits = 1 + blocks_.Random(13);
    blocks_.SetKey(key);
    blocks_.SetOther(start);
    top.ix_ask_i = ask;
    top.ix_row_i = static_cast<uint8_t>(row);
    top.ix_level_i = static_cast<uint8_t>(level);
    top.ix_begin_i = begin;
    top.ix_begin_row_i = 12;
    top.ix_begin_shift_i = static_cast<uint8_t>(shift);
    top.ix_begin_bits_i = static_cast<uint8_t>(bits);
    blocks_.Settle();
    const auto want = due.find(blocks_.cycle);
    ASSERT_EQ(top.ix_done_o, want != due.end());
    if (want != due.end()) {
      ++done;
      EXPECT_EQ(top.ix_done_row_o, want->second.row);
      EXPECT_EQ(top.ix_index_o, want->second.index);
      EXPECT_EQ(top.ix_shift_o, want->second.shift);
      EXPECT_EQ(top.ix_bits_o, want->second.bits);
    }
    ASSERT_EQ(top.ix_again_o, asked && begin);
    if (asked && begin) {
      ++put_off;
      EXPECT_EQ(top.ix_again_row_o, asked_row);
      due.erase(blocks_.cycle + 1);
    }
    const auto index = [](uint64_t vpn, unsigned by, unsigned width) {
      return vpn >> by & ((1u << width) - 1);
    };
    if (begin) due[blocks_.cycle + 1] = {12, index(start.vpn, shift, bits), shift, bits};
    const Shape& shape = shapes[key.space];
    if (ask) {
      due[blocks_.cycle + 2] = {row, index(key.vpn, shape.shift[level], shape.bits[level]),
                                shape.shift[level], shape.bits[level]};
    }
    asked = ask;
    asked_row = row;
    blocks_.Step();
  }
  EXPECT_GT(put_off, 100u);
  EXPECT_GT(done, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, WalkIndexTest, SizesAndSeeds(), SizeAndSeed);

}  // namespace
}  // namespace gmmu::bench
