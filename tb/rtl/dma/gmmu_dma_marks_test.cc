// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/dma/blocks.h"

namespace gmmu::dma {
namespace {

class Marks : public ::testing::TestWithParam<std::tuple<int, int>> {};

// Slots are allocated in ring order, marked in any order, and freed in ring order. A mark must
// apply only to the slot's current use.
TEST_P(Marks, StandForThePresentUseOfASlotOnly) {
  const auto [unit, seed] = GetParam();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Blocks blocks(seed);
  auto& top = blocks.t;
  const unsigned slots = unit == 0 ? 2 : 32;
  struct Slot {
    unsigned number;
    bool marked;
    uint8_t bits;
  };
  std::deque<Slot> used;
  unsigned alloc = 0, uses = 0, looks = 0;
  bool started = false;
  for (int n = 0; n < 20000; ++n) {
    // Alternate between phases with nearly all slots in use and phases with nearly all slots free.
    const bool give = started && used.size() < slots && blocks.Chance(n / 500 % 2 ? 80 : 20);
    int mark = -1;
    if (!used.empty() && blocks.Chance(50)) {
      mark = blocks.Random(0, used.size() - 1);
      if (used[mark].marked) mark = -1;
    }
    const uint8_t bits = blocks.Random(0, 7);
    bool back = false;
    blocks.Step(
        [&] {
          top.marks_alloc_i[unit] = alloc;
          top.marks_look_i[unit] = used.empty() ? alloc : used[0].number;
          top.marks_mark_i[unit] = mark >= 0;
          if (mark >= 0) top.marks_slot_i[unit] = used[mark].number % slots;
          top.marks_bits_i[unit] = bits;
        },
        [&] {
          started = top.marks_started_o[unit];
          if (n <= static_cast<int>(slots) - 5) EXPECT_FALSE(started) << n;
          if (used.empty()) return;
          EXPECT_EQ(top.marks_marked_o[unit], used[0].marked) << "cycle " << n;
          if (used[0].marked) EXPECT_EQ(top.marks_bits_o[unit], used[0].bits);
          looks += used[0].marked;
          back = used[0].marked && blocks.Chance(60);
        });
    if (mark >= 0) used[mark].marked = true, used[mark].bits = bits;
    if (back) used.pop_front();
    if (give) {
      used.push_back({alloc, false, 0});
      alloc = (alloc + 1) % (2 * slots);
      ++uses;
    }
  }
  EXPECT_TRUE(started);
  EXPECT_GT(uses, 2000u);
  EXPECT_GT(looks, 2000u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Marks, ::testing::Combine(::testing::Values(0, 1), ::testing::Range(1, 4)));

}  // namespace
}  // namespace gmmu::dma
