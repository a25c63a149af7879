// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_fifo_room with a writer that decides two cycles before it writes: the FIFO never
// overflows, keeps the order, and runs at full rate while the reader accepts a word per cycle.
#include <deque>

#include "prims.h"

namespace gmmu::bench {
namespace {

constexpr unsigned kDepth = 8;

class FifoRoomTest : public PrimTest {
 protected:
  /// Runs one cycle. `wants`: the writer commits to a word if room_o is set, and writes it two
  /// cycles later. `takes`: the reader is ready. Returns whether a word was output.
  bool Cycle(bool wants, bool takes) {
    t.late_valid_i = coming_[0];
    t.late_data_i = next_;
    t.late_ready_i = takes;
    Settle();
    const bool decided = wants && t.room_o;
    const bool out = t.late_valid_o && takes;
    EXPECT_EQ(t.late_ready_o != 0, model_.size() < kDepth);
    EXPECT_EQ(t.late_valid_o != 0, !model_.empty());
    if (!model_.empty()) EXPECT_EQ(t.late_data_o, model_.front());
    if (out) model_.pop_front();
    if (coming_[0]) model_.push_back(next_++);
    EXPECT_LE(model_.size(), kDepth);
    most_ = std::max<size_t>(most_, model_.size());
    coming_[0] = coming_[1];
    coming_[1] = decided;
    Step();
    return out;
  }
  bool coming_[2] = {};
  uint32_t next_ = 1;
  size_t most_ = 0;
  std::deque<uint32_t> model_;
};

TEST_P(FifoRoomTest, NeverOverflowsAndKeepsOrder) {
  for (int i = 0; i < 8000 && !HasFailure(); ++i) {
    Cycle(Random(100) >= i / 1000 % 4 * 30u, Random(100) >= i / 2000 % 4 * 30u);
  }
  EXPECT_GT(next_, 1500u);
  EXPECT_GT(most_, kDepth / 2) << "the margin keeps half of it unused";
}

TEST_P(FifoRoomTest, PassesAWordACycle) {
  for (int i = 0; i < 20; ++i) Cycle(true, true);
  int out = 0;
  for (int i = 0; i < 100; ++i) out += Cycle(true, true);
  EXPECT_EQ(out, 100);
  // After the reader has stalled, at most two cycles may pass without a word: those between the
  // writer's decision and its write.
  for (int i = 0; i < 20; ++i) Cycle(true, false);
  out = 0;
  for (int i = 0; i < 100; ++i) out += Cycle(true, true);
  EXPECT_GE(out, 98);
}

TEST_P(FifoRoomTest, AWriterWithoutAMarginFillsIt) {
  for (unsigned i = 0; i < kDepth; ++i) {
    coming_[0] = true;
    Cycle(false, false);
  }
  EXPECT_EQ(most_, kDepth);
  EXPECT_FALSE(t.late_ready_o);
  EXPECT_FALSE(t.room_o);
}

INSTANTIATE_TEST_SUITE_P(Seeds, FifoRoomTest, Seeds(2));

}  // namespace
}  // namespace gmmu::bench
