// SPDX-License-Identifier: Apache-2.0
// gmmu_l1_drain against two counts: a generation is drained when none of it was in use three cycles before, and no
// lookup may come once a counter is half full.
#include <algorithm>
#include <array>
#include <deque>

#include "inner.h"

namespace gmmu::inner {
namespace {

class L1DrainTest : public InnerTest {
 protected:
  struct Past {
    std::array<int, 2> used;  ///< after the cycle
    unsigned made;            ///< in it, of any generation
  };
  const int half_ = n ? 16 : 1024;
  std::array<int, 2> used_{};
  std::deque<Past> past_;  ///< [0]: the cycle before this one
  unsigned drained_ = 0, busy_ = 0, shut_ = 0;

  /// One cycle: answers made of `generation`, answers of each given back.
  void Cycle(unsigned made, unsigned generation, std::array<unsigned, 2> back) {
    t.dr_made_i = made == 2 ? 3 : made == 1 ? 1 + Random(2) : 0;
    t.dr_generation_i = generation != 0;
    t.dr_done0_i = static_cast<uint8_t>(back[0]);
    t.dr_done1_i = static_cast<uint8_t>(back[1]);
    Settle();
    if (past_.size() >= 6) {
      for (unsigned g = 0; g < 2; ++g) {
        const bool drained = t.dr_drained_o[n] >> g & 1;
        // Nothing comes too early: an answer that was in use then has been given back by the next cycle at most.
        if (past_[2].used[g] != 0 && past_[1].used[g] != 0) EXPECT_FALSE(drained) << "generation " << g;
        if (past_[1].made != 0 && past_[1].used[g] != 0) EXPECT_FALSE(drained) << "generation " << g;
        if (past_[2].used[g] == 0 && past_[1].made == 0) EXPECT_TRUE(drained) << "generation " << g << " cycle " << now;
        ++(drained ? drained_ : busy_);
      }
      int most = 0, least_most = 1 << 20;
      for (unsigned c = 1; c < 5; ++c) {
        const int now_most = std::max(past_[c].used[0], past_[c].used[1]);
        most = std::max(most, now_most), least_most = std::min(least_most, now_most);
      }
      if (most < half_) EXPECT_TRUE(t.dr_room_o[n]);
      if (least_most >= half_ + 3) EXPECT_FALSE(t.dr_room_o[n]);  // what was given back is counted before what was made
      shut_ += t.dr_room_o[n] == 0;
    }
    Step();
    used_[generation] += static_cast<int>(made);
    for (unsigned g = 0; g < 2; ++g) used_[g] -= static_cast<int>(back[g]);
    past_.push_front({used_, made});
    if (past_.size() > 8) past_.pop_back();
  }
  unsigned Back(unsigned g, unsigned percent) {
    return Chance(percent) ? Random(1 + std::min(3u, static_cast<unsigned>(used_[g]))) : 0;
  }
};

TEST_P(L1DrainTest, CountsEachGenerationByItself) {
  unsigned generation = 0;
  for (int i = 0; i < 20000; ++i) {
    const unsigned round = i / 200 % 5;  // mostly in use, mostly empty, filling
    const bool room = t.dr_room_o[n] != 0;
    if (Random(40) == 0) generation ^= 1;
    const unsigned made = room && Chance(round == 4 ? 95 : round * 25) ? 1 + Random(2) : 0;
    const unsigned back = round == 4 ? 5 : round == 0 ? 90 : 60;
    Cycle(made, generation, {Back(0, back), Back(1, back)});
  }
  EXPECT_GT(drained_, 1000u);
  EXPECT_GT(busy_, 1000u);
  if (n) EXPECT_GT(shut_, 500u);
}

TEST_P(L1DrainTest, IsDrainedThreeCyclesAfterTheLastIsGivenBack) {
  for (unsigned g = 0; g < 2; ++g) {
    for (unsigned made = 1; made <= 2; ++made) {
      for (int i = 0; i < 8; ++i) Cycle(0, g, {0, 0});
      Cycle(made, g, {0, 0});
      for (int i = 0; i < 8; ++i) Cycle(0, g ^ 1, {0, 0});
      EXPECT_EQ(t.dr_drained_o[n], g ? 1 : 2);
      Cycle(0, g ^ 1, {g == 0 ? made : 0, g == 1 ? made : 0});
      for (int i = 0; i < 3; ++i) Cycle(0, g, {0, 0});
      EXPECT_EQ(t.dr_drained_o[n], 3);
    }
  }
}

TEST_P(L1DrainTest, AsksForNoMoreWhenHalfFull) {
  for (int i = 0; i < 6; ++i) Cycle(0, 1, {0, 0});
  for (int i = 0; i + 2 < half_ / 2 * 2; i += 2) Cycle(2, 1, {0, 0});
  for (int i = 0; i < 6; ++i) Cycle(0, 1, {0, 0});
  EXPECT_TRUE(t.dr_room_o[n]);
  Cycle(2, 1, {0, 0});
  for (int i = 0; i < 6; ++i) Cycle(0, 1, {0, 0});
  EXPECT_EQ(used_[1], half_);
  EXPECT_FALSE(t.dr_room_o[n]);
  Cycle(0, 1, {0, 1});
  for (int i = 0; i < 6; ++i) Cycle(0, 1, {0, 0});
  EXPECT_TRUE(t.dr_room_o[n]);
}

TEST_P(L1DrainTest, AResetForgetsAllThatWasInUse) {
  for (int i = 0; i < 3; ++i) Cycle(2, i & 1, {0, 0});
  t.dr_made_i = 0;
  Reset(1);
  used_ = {0, 0};
  past_.clear();
  for (int i = 0; i < 10; ++i) Cycle(0, 0, {0, 0});
  EXPECT_EQ(t.dr_drained_o[n], 3);
}

INSTANTIATE_TEST_SUITE_P(Sizes, L1DrainTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::inner
