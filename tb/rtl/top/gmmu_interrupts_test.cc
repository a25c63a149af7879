// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "tb/rtl/top/blocks.h"

namespace gmmu::top {
namespace {

/// Models the block's interrupt causes, its software and its bus. Tracks which messages may be sent
/// and which must be sent; the block has kDelay cycles to react.
class Interrupts : public BlocksTest {
 protected:
  static constexpr int kDelay = 4;
  // Cycles between the decision to send a message and the message's offer.
  static constexpr uint64_t kDecided = 2;

  Interrupts() {
    t.int_open_i = 1;
    address_ = t.int_address_i = 0xfee00000 + 4 * Random(0, 255);
    data_ = t.int_data_i = static_cast<uint32_t>(rng());
  }
  void Step() override { Step(0); }
  void Step(unsigned causes, bool clear = false, unsigned bits = 0) {
    t.int_causes_i = causes;
    t.int_clear_i = clear;
    t.int_clear_bits_i = bits;
    t.int_why_i = static_cast<uint8_t>(Random(0, 3));
    response_.aw_ready = t.int_open_i && !Stall();
    response_.w_ready = !Stall();
    response_.b_valid = aw_taken_ && w_taken_ && now >= answer_;
    t.int_wr_rsp_i = Pack(response_);
    Settle();
    request_ = Unpack<WriteRequest>(t.int_wr_req_o);
    EXPECT_EQ(t.int_status_o, status_);
    CheckBus();
    CheckMessages(clear);
    EXPECT_EQ(t.int_sent_o, answered_) << "one pulse a message, with its answer";
    if (t.int_sent_o) ++sent_;
    answered_ = response_.b_valid;
    if (response_.b_valid) aw_taken_ = w_taken_ = working_ = false;
    status_ = (status_ & ~(clear ? bits : 0)) | causes;
    idle_ = t.int_idle_o;
    Edge();
  }
  /// Runs for `cycles` cycles without a new cause. Returns the number of messages sent.
  unsigned Quiet(int cycles = 60) {
    const unsigned before = messages_;
    Run(cycles);
    return messages_ - before;
  }

  unsigned messages_ = 0, sent_ = 0, status_ = 0;
  unsigned standing_ = 0;  // enabled causes that were set in the previous cycle
  unsigned longest_ = 10;  // most cycles from a message to its B
  uint64_t address_;
  uint32_t data_;

 private:
  void CheckBus() {
    const bool begins = (request_.aw_valid || request_.w_valid) && !working_;
    if (begins) {
      EXPECT_TRUE(request_.aw_valid && request_.w_valid);
      EXPECT_FALSE(idle_) << "it had said that nothing would happen";
      begun_ = true;
      ++messages_;
      working_ = true;
    }
    EXPECT_EQ(request_.aw_valid, working_ && !aw_taken_) << "an offer stands, one a message";
    EXPECT_EQ(request_.w_valid, working_ && !w_taken_);
    if (working_ || t.int_sent_o) EXPECT_FALSE(t.int_idle_o);
    if (request_.aw_valid) {
      EXPECT_EQ(request_.aw.addr, address_);
      EXPECT_EQ(request_.aw.port, 1) << "the host port";
      EXPECT_EQ(request_.aw.user.kind, 2) << "an interrupt";
      EXPECT_EQ(request_.aw.len, 0);
      if (response_.aw_ready) aw_taken_ = true;
    }
    if (request_.w_valid) {
      const unsigned lane = address_ % kBeat;
      EXPECT_EQ(request_.w.strb, uint64_t{0xf} << lane);
      EXPECT_TRUE(request_.w.last);
      uint32_t word;
      std::memcpy(&word, &BytesOf(request_.w.data)[lane], 4);
      EXPECT_EQ(word, data_);
      if (response_.w_ready) w_taken_ = true;
    }
    if (aw_taken_ && w_taken_ && !last_both_) answer_ = now + Random(1, longest_);
    last_both_ = aw_taken_ && w_taken_;
  }

  void CheckMessages(bool clear) {
    const unsigned standing = t.int_status_o & t.int_enable_i;
    EXPECT_EQ(t.int_irq_o, standing_ != 0) << "the level follows the enabled causes by a cycle";
    const bool asks = (standing & ~standing_) != 0 || (cleared_ && standing != 0);
    // A message may be sent if a cause requested one since the previous message was decided, and if
    // an enabled cause was set and the bus was open shortly before.
    if (begun_) {
      EXPECT_GE(asked_ + kDecided, last_) << "nothing asked for a message";
      EXPECT_GT(stood_, 0) << "no enabled cause stands";
      EXPECT_GT(open_, 0) << "messages are held";
      owed_ = begun_ = false;
      last_ = now;
    }
    // A message must be sent if one was requested, its cause is still set, the bus is open, and the
    // previous message is complete.
    if (asks) owed_ = true, asked_ = now;
    stood_ = standing != 0 ? kDelay : stood_ - 1;
    open_ = t.int_open_i ? kDelay : open_ - 1;
    if (standing == 0) owed_ = false;
    waits_ = owed_ && t.int_open_i && !working_ ? waits_ + 1 : 0;
    EXPECT_LT(waits_, kDelay) << "a message is due";
    if (owed_ && standing_ == standing) EXPECT_FALSE(t.int_idle_o) << "a message waits";
    standing_ = standing;
    cleared_ = clear;
  }

  WriteRequest request_{};
  WriteResponse response_{};
  bool working_ = false, last_both_ = false, aw_taken_ = false;
  bool w_taken_ = false, begun_ = false, answered_ = false, cleared_ = false, owed_ = false;
  bool idle_ = false;
  // Initially, no cause has requested a message, so none may be sent: asked_ + kDecided < last_.
  uint64_t answer_ = 0, asked_ = 0, last_ = kDecided + 1;
  int stood_ = 0, open_ = kDelay, waits_ = 0;
};

TEST_P(Interrupts, OneMessageWhenAnEnabledCauseAppears) {
  for (unsigned cause = 1; cause < 64; cause *= 2) {
    t.int_enable_i = 63 & ~cause;
    Step(cause);
    EXPECT_EQ(Quiet(), 0u) << "it is not enabled";
    t.int_enable_i = 63;
    EXPECT_EQ(Quiet(), 1u) << "its enable appeared";
    Step(cause);
    EXPECT_EQ(Quiet(), 0u) << "it stood already";
    t.int_enable_i = 0;
    Quiet(3);
    Step(0, true, 63);
    EXPECT_EQ(Quiet(), 0u);
    EXPECT_TRUE(t.int_idle_o);
    t.int_enable_i = cause;
    Step(cause);
    EXPECT_EQ(Quiet(), 1u);
    Step(0, true, cause);
    EXPECT_EQ(Quiet(), 0u);
  }
  EXPECT_EQ(sent_, messages_);
}

TEST_P(Interrupts, AClearThatLeavesOneStandingAsksAgain) {
  t.int_enable_i = 3;
  Step(7);
  EXPECT_EQ(Quiet(), 1u);
  Step(0, true, 4);  // Clear a cause that is not enabled, while others stay set.
  EXPECT_EQ(Quiet(), 1u);
  Step(0, true, 1);
  EXPECT_EQ(Quiet(), 1u);
  Step(2, true, 2);  // A cause that is set again in the cycle of its clear must not be lost.
  EXPECT_EQ(status_, 2u);
  EXPECT_EQ(Quiet(), 1u);
  t.int_enable_i = 63;
  Step(63);
  EXPECT_EQ(Quiet(), 1u);
  Step(0, true, 0);  // This write clears no cause.
  EXPECT_EQ(Quiet(), 1u);
  Step(0, true, 61);
  EXPECT_EQ(Quiet(), 1u);
  Step(0, false, 2);  // No cause is cleared in this step.
  EXPECT_EQ(Quiet(), 0u);
  Step(0, true, 2);
  EXPECT_EQ(Quiet(), 0u);
}

TEST_P(Interrupts, WhileClosedTheMessageIsHeldAndDroppedWithItsCauses) {
  t.int_enable_i = 63;
  t.int_open_i = 0;
  Step(1);
  Step(8);
  EXPECT_EQ(Quiet(), 0u);
  EXPECT_FALSE(t.int_idle_o);
  t.int_open_i = 1;
  EXPECT_EQ(Quiet(), 1u) << "one for both";
  Step(0, true, 63);
  t.int_open_i = 0;
  Step(1);
  Step(2);
  Quiet();
  Step(0, true, 1);
  EXPECT_EQ(Quiet(), 0u);
  EXPECT_FALSE(t.int_idle_o);
  Step(0, true, 2);
  Quiet();
  EXPECT_TRUE(t.int_idle_o) << "no cause stands: the message is dropped";
  t.int_open_i = 1;
  EXPECT_EQ(Quiet(), 0u);
}

TEST_P(Interrupts, ACauseDuringAMessageSendsTheNextBehindIt) {
  t.int_enable_i = 63;
  longest_ = 30;
  Step(1);
  Run(4);
  EXPECT_EQ(messages_, 1u);
  Step(2);
  Step(4);
  Quiet(200);
  EXPECT_GE(messages_, 2u);
  EXPECT_LE(messages_, 3u) << "one for each cause";
  EXPECT_EQ(sent_, messages_);
}

TEST_P(Interrupts, RandomCausesClearsAndEnables) {
  for (int i = 0; i < 8000; ++i) {
    const unsigned busy = i / 1000 % 2 ? 4 : 25;  // share of cycles with a change, in percent
    if (Chance(busy / 2)) t.int_enable_i = static_cast<uint8_t>(Random(0, 63));
    if (Chance(busy / 2)) t.int_open_i = Chance(70);
    const unsigned causes = Chance(busy) ? 1u << Random(0, 5) : 0;
    const unsigned bits = static_cast<unsigned>(Chance(50) ? status_ : rng() & 63);
    Step(causes, Chance(busy), bits);
  }
  EXPECT_GT(messages_, 150u);
  t.int_open_i = 1;
  Quiet(200);
  EXPECT_EQ(sent_, messages_);
  EXPECT_TRUE(t.int_idle_o);
}

TEST_P(Interrupts, ResetClearsTheCauses) {
  t.int_enable_i = t.int_open_i = 0;
  Step(63);
  Step();
  Reset();
  status_ = standing_ = 0;
  t.int_enable_i = 63;
  t.int_open_i = 1;
  EXPECT_EQ(Quiet(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Interrupts, Seeds(8));

}  // namespace
}  // namespace gmmu::top
