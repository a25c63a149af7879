// SPDX-License-Identifier: Apache-2.0
// gmmu_walk_step against arrays: two steps a row by the lowest bit of the level, and the latest of them.
#include <vector>

#include "inner.h"

namespace gmmu::inner {
namespace {

class WalkStepTest : public InnerTest {};

TEST_P(WalkStepTest, KeepsTwoStepsARowAndTheNewest) {
  std::vector<WalkStep> latest(rows), by_low(2 * rows);
  const auto write = [&](bool start, unsigned row, unsigned low) {
    const WalkStep step{Random(64), Random(2), Random(8), Random(8192)};
    t.st_start_i = start;
    t.st_index_i = !start;
    // The other's data must not be looked at.
    t.st_start_row_i = static_cast<uint8_t>(start ? row : Random(rows));
    t.st_index_row_i = static_cast<uint8_t>(start ? Random(rows) : row);
    t.st_start_low_i = start ? low : Random(2);
    t.st_index_low_i = start ? Random(2) : low;
    t.st_start_step_i = start ? step.Raw() : rng() & 0x7fffff;
    t.st_index_step_i = start ? rng() & 0x7fffff : step.Raw();
    return step;
  };
  for (unsigned r = 0; r < rows; ++r) {
    for (unsigned low = 0; low < 2; ++low) {
      latest[r] = by_low[2 * r + low] = write(r & 1, r, low);
      Step();
    }
  }
  for (int i = 0; i < 6000; ++i) {
    const unsigned row = Random(rows), low = Random(2);
    const bool writes = Random(2) == 0;
    WalkStep step;
    if (writes) step = write(Random(2) == 0, row, low);
    else t.st_start_i = t.st_index_i = 0;
    const unsigned from = Random(3) == 0 ? row : Random(rows), bit = Random(2);
    t.st_row_i = static_cast<uint8_t>(from);
    t.st_low_i = bit;
    Settle();
    const WalkStep& last = latest[from];
    const WalkStep& one = by_low[2 * from + bit];
    ASSERT_EQ(t.st_beat_latest_o[n], last.index);  // beside a write: the one before
    ASSERT_EQ(t.st_beat_block_ok_o[n], last.block_ok);
    ASSERT_EQ(t.st_read_latest_o[n], last.index);
    ASSERT_EQ(t.st_fill_line_o[n], last.line);
    ASSERT_EQ(t.st_judge_o[n], one.shift << 3 | (one.index & 7));
    ASSERT_EQ(t.st_tell_o[n], one.shift << 7 | one.block_ok << 6 | one.line << 3 | (one.index & 7));
    if (t.data_words_o > 1) ASSERT_EQ(t.st_beat_word_o[n], one.index & 7);
    Step();
    if (writes) latest[row] = by_low[2 * row + low] = step;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, WalkStepTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::inner
