// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "tb/rtl/top/blocks.h"

namespace gmmu::top {
namespace {

/// Models two users of the MMU, and an MMU that completes each operation some cycles after
/// accepting it.
class CtlArbiter : public BlocksTest {
 protected:
  static constexpr int kBound = 3;  // cycles within which the block must react

  /// Runs one cycle. `asks`: bit i is set if user i may offer an operation.
  void Clock(unsigned asks) {
    unsigned valid = 0;
    for (int u = 0; u < 2; ++u) {
      if (!offered_[u] && (asks >> u & 1) && !Idle()) Ask(u);
      valid |= static_cast<unsigned>(offered_[u]) << u;
    }
    t.arb_valid_i = valid;
    t.arb_ready_i = !Stall();
    t.arb_done_i = work_ && work_->accepted && now >= work_->due;
    Settle();
    Check(valid);
    Edge();
  }
  void Run(unsigned asks, int cycles) {
    for (int i = 0; i < cycles; ++i) Clock(asks);
  }
  void Drain() {
    for (int i = 0; i < 200; ++i) Clock(0);
    EXPECT_TRUE(t.arb_idle_o);
    EXPECT_FALSE(work_);
  }

  unsigned longest_ = 6;  // most cycles from the acceptance of an operation to its completion
  std::vector<int> order_;
  unsigned taken_[2] = {}, done_[2] = {};

 private:
  struct Work {
    int user;
    Ctl ctl;
    uint64_t since;  // cycle in which the user's offer was accepted
    bool accepted = false;
    uint64_t due = 0;
  };

  void Ask(int u) {
    offered_[u] = true;
    auto& ctl = t.arb_ctl_i[u];
    // The last word stays 0, because its highest bit is unused.
    for (size_t i = 0; i + 1 < ctl.size(); ++i) {
      ctl[i] = static_cast<uint32_t>(rng());
    }
  }
  void Check(unsigned valid) {
    const unsigned taken = t.arb_ready_o & valid;
    EXPECT_EQ(t.arb_idle_o, !work_ && valid == 0);
    EXPECT_EQ(t.arb_done_o, t.arb_done_i ? 1u << work_->user : 0u);
    EXPECT_NE(taken, 3u);
    if (work_) {
      EXPECT_EQ(taken, 0u) << "an operation is under way";
      EXPECT_EQ(t.arb_valid_o, !work_->accepted && now > work_->since);
      if (t.arb_valid_o && !work_->accepted) {
        EXPECT_EQ(BytesOf(t.arb_ctl_o), BytesOf(Pack(work_->ctl)));
        if (t.arb_ready_i) {
          work_->accepted = true;
          work_->due = now + Random(1, longest_);
        }
      }
      if (t.arb_done_i) ++done_[work_->user], work_.reset();
      return;
    }
    EXPECT_FALSE(t.arb_valid_o) << "there is no operation";
    waits_ = valid != 0 && taken == 0 ? waits_ + 1 : 0;
    EXPECT_LT(waits_, kBound);
    if (taken == 0) return;
    const int user = taken == 2;
    if (valid == 3) EXPECT_EQ(user, order_.empty() ? 0 : 1 - order_.back()) << "turns";
    order_.push_back(user);
    ++taken_[user];
    offered_[user] = false;
    work_ = Work{user, Unpack<Ctl>(t.arb_ctl_i[user]), now};
    if (user == 1) work_->ctl.cfg = Unpack<Ctl>(t.arb_ctl_i[0]).cfg;  // Only the registers (user 0) define cfg.
  }

  bool offered_[2] = {};
  std::optional<Work> work_;
  int waits_ = 0;
};

TEST_P(CtlArbiter, EveryOperationGoesOutOnceAndItsEndToItsUser) {
  for (unsigned longest : {1u, 6u, 40u}) {
    longest_ = longest;
    for (unsigned asks : {3u, 1u, 2u, 0u, 3u}) Run(asks, 600);
  }
  Drain();
  for (int u = 0; u < 2; ++u) {
    EXPECT_EQ(done_[u], taken_[u]);
    EXPECT_GT(taken_[u], 40u);
  }
}

TEST_P(CtlArbiter, TheyTakeTurnsWhileBothAsk) {
  manner.idle_percent = 0;
  Run(1, 100);  // User 1 must get its turn even after many operations of user 0.
  const size_t before = order_.size();
  Run(3, 400);
  ASSERT_GT(order_.size(), before + 20);
  for (size_t i = before + 1; i + 1 < order_.size(); ++i) EXPECT_NE(order_[i], order_[i + 1]);
}

TEST_P(CtlArbiter, ResetForgetsTheOperationUnderWay) {
  longest_ = 1000;
  Run(2, 60);
  t.arb_valid_i = t.arb_done_i = 0;
  Reset();
  Settle();
  EXPECT_TRUE(t.arb_idle_o);
  EXPECT_FALSE(t.arb_valid_o);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CtlArbiter, Seeds(8));

}  // namespace
}  // namespace gmmu::top
