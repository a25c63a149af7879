// SPDX-License-Identifier: Apache-2.0
// Models the surroundings of the fault log: sources, the host port, and software that moves the
// head.
#pragma once

#include <algorithm>
#include <map>

#include "tb/rtl/top/blocks.h"

namespace gmmu::top {

/// Models the sources of faults, the host port, and software that moves the head.
class FaultLog : public BlocksTest {
 protected:
  static constexpr uint64_t kDelay = 8;  // cycles within which the block must react to a change
  unsigned Sources() const { return n == 0 ? 5 : 2; }

  using BlocksTest::Run;
  FaultLog() {
    t.log_open_i[n] = 1;
    t.log_base_i[n] = base_;
  }
  void Enable(unsigned size_lg2) {
    t.log_size_lg2_i[n] = size_lg2;
    t.log_enable_i[n] = 1;
    tail_ &= Size() - 1;
    for (uint64_t i = 0; i < kDelay; ++i) {
      Settle();
      if (t.log_tail_o[n] != tail_) EXPECT_FALSE(t.log_idle_o[n]) << "the tail will be reduced";
      Edge();
    }
    Quiet();
  }
  /// `busy`: the probability, in percent, that a source without a pending fault offers one.
  void Step() override { Step(0); }
  void Step(unsigned busy, unsigned sources = 31) {
    for (unsigned s = 0; s < Sources(); ++s) {
      if (!(offered_ >> s & 1) && (sources >> s & 1) && Chance(busy)) Offer(s);
    }
    t.log_fault_valid_i[n] = offered_;
    const bool open = t.log_open_i[n];
    response_.aw_ready = open && !Stall();
    response_.w_ready = open && !Stall();
    response_.b_valid = aw_taken_ && w_taken_ && now >= answer_;
    response_.b.error = Chance(refused_percent_);
    t.log_wr_rsp_i[n] = Pack(response_);
    Settle();
    request_ = Unpack<WriteRequest>(t.log_wr_req_o[n]);
    CheckQueue();
    CheckWrite();
    CheckFaults();
    if (response_.b_valid) {
      aw_taken_ = w_taken_ = false;
      if (response_.b.error) ++refused_, full_ = now;
      else ++answered_, answered_at_ = now;
    }
    idle_ = t.log_idle_o[n];
    Edge();
  }
  void Run(int cycles, unsigned busy, unsigned sources = 31) {
    for (int i = 0; i < cycles; ++i) Step(busy, sources);
  }
  /// Steps until no fault is pending and the block is idle, and then for `cycles` cycles.
  void Quiet(int cycles = 20) {
    for (int i = 0; i < 4000 && (offered_ != 0 || !idle_); ++i) Step();
    EXPECT_EQ(offered_, 0u);
    EXPECT_TRUE(idle_);
    Run(cycles);
  }
  /// Logs `faults` faults one by one.
  void Log(int faults) {
    for (int i = 0; i < faults; ++i) {
      while (offered_ != 0) Step();
      Offer(static_cast<unsigned>(Random(0, Sources() - 1)));
      Step();
    }
    Quiet();
  }
  unsigned Size() const { return 1u << t.log_size_lg2_i[n]; }
  unsigned Dropped() const { return t.log_dropped_o[n]; }

  unsigned taken_ = 0, written_ = 0, tail_ = 0;
  std::vector<unsigned> order_;  // sources in the order in which their faults were accepted
  unsigned longest_ = 12;        // longest time from a write to its B, in cycles
  bool counts_ = true;           // false: the queue is disabled and does not count dropped records
  uint64_t base_ = 0x1234'5678'9000;
  int refused_percent_ = 0;  // percentage of records whose write gets a bus error
  unsigned refused_ = 0;

 private:
  struct Record {
    uint64_t what, where, from, to;  // from, to: first and last cycle of the fault's offer
  };

  void Offer(unsigned s) {
    offered_ |= 1u << s;
    since_[s] = now;
    overtaken_[s] = 0;
    // Only the engine's faults have a fence.
    faults_[s] = AnyFault(Random(1, 19), s + 1 == Sources());
    t.log_fault_i[s] = Pack(faults_[s]);
  }

  void CheckFaults() {
    const unsigned taken = t.log_fault_ready_o[n] & offered_;
    EXPECT_EQ(taken & (taken - 1), 0u) << "one at a time";
    for (unsigned s = 0; s < Sources(); ++s) {
      if (!(offered_ >> s & 1)) continue;
      const uint64_t bound = Sources() * (t.log_open_i[n] ? 6 * longest_ + 150 : 10);
      const uint64_t from = std::max(since_[s], changed_);
      EXPECT_LT(now - from, bound) << "source " << s << " waits";
      if (taken >> s & 1) {
        records_[taken_++] = {What(faults_[s]), faults_[s].address, since_[s], now};
        order_.push_back(s);
        offered_ &= ~(1u << s);
      } else if (taken != 0) {
        EXPECT_LE(++overtaken_[s], Sources()) << "source " << s << " is overtaken";
      }
    }
  }

  void CheckQueue() {
    const unsigned mask = Size() - 1;
    if (((t.log_tail_o[n] + 1) & mask) != (t.log_head_i[n] & mask)) room_ = now;
    else full_ = now;
    if (!t.log_open_i[n] || base_ + 32 * (tail_ + 1) > 1ull << 48) full_ = now;
    if (t.log_open_i[n] != open_) changed_ = now;
    open_ = t.log_open_i[n];
    if (t.log_logged_o[n]) {
      EXPECT_LT(written_, answered_) << "the tail moves before the B";
      EXPECT_FALSE(t.log_idle_o[n]);
      ++written_;
      tail_ = (tail_ + 1) & mask;
    }
    if (written_ < answered_) EXPECT_LT(now - answered_at_, kDelay);
    if (t.log_enable_i[n]) EXPECT_EQ(t.log_tail_o[n], tail_) << "the tail moves with logged_o";
    if (Dropped() != dropped_) {
      EXPECT_GT(Dropped(), dropped_);
      EXPECT_LT(now - full_, kDelay) << "dropped with room";
      EXPECT_FALSE(idle_);
      dropped_ = Dropped();
    }
    if (counts_) EXPECT_GE(taken_, written_ + dropped_);
    const bool waits = counts_ && taken_ > written_ + dropped_ && Dropped() != 65535;
    if (waits) EXPECT_FALSE(t.log_idle_o[n]) << "a record waits";
  }

  void CheckWrite() {
    if (!writing_ && (request_.aw_valid || request_.w_valid)) {
      EXPECT_FALSE(idle_);
      EXPECT_TRUE(t.log_enable_i[n]);
      EXPECT_LT(now - room_, kDelay) << "written to a full queue";
      EXPECT_EQ(written_, answered_) << "one at a time";
      writing_ = aw_ = w_ = true;
      bytes_.clear();
    }
    EXPECT_EQ(request_.aw_valid, aw_) << "an offer stands";
    EXPECT_EQ(request_.w_valid, w_);
    if (aw_) {
      EXPECT_EQ(request_.aw.addr, base_ + 32 * tail_);
      EXPECT_EQ(request_.aw.port, 1);
      EXPECT_EQ(request_.aw.user.kind, 0);
      EXPECT_EQ(request_.aw.len, kBeat < 32 ? 32 / kBeat - 1 : 0);
      if (response_.aw_ready) aw_ = false, aw_taken_ = true;
    }
    if (w_) {
      const std::vector<uint8_t> beat = BytesOf(request_.w.data);
      const unsigned first = kBeat > 32 ? 32 * tail_ % kBeat : 0;
      const uint64_t strobes = kBeat >= 64 ? 0xffffffffull << first : (uint64_t{1} << kBeat) - 1;
      EXPECT_EQ(request_.w.strb, strobes);
      if (response_.w_ready) {
        bytes_.insert(bytes_.end(), beat.begin() + first, beat.begin() + first + std::min(kBeat, 32u));
        EXPECT_EQ(request_.w.last, bytes_.size() >= 32);
        if (bytes_.size() >= 32) w_ = false, w_taken_ = true, CheckRecord();
      }
    }
    if (writing_ && aw_taken_ && w_taken_) {
      writing_ = false;
      answer_ = now + Random(1, longest_);
    }
  }
  void CheckRecord() {
    uint64_t words[4];
    std::memcpy(words, bytes_.data(), 32);
    const auto found = records_.find(static_cast<unsigned>(words[3]));
    ASSERT_NE(found, records_.end()) << "number " << words[3] << " of no fault";
    EXPECT_EQ(words[3] >> 32, 0u);
    const Record& record = found->second;
    EXPECT_EQ(words[0], record.what) << std::hex << words[0] << " of " << record.what;
    EXPECT_EQ(words[1], record.where);
    EXPECT_GE(words[2], record.from);
    EXPECT_LE(words[2], record.to);
    if (t.log_open_i[n] && dropped_ + refused_ == 0 && counts_) EXPECT_EQ(words[3], written_) << "none is lost";
    // Records come in the order of their numbers, so lower ones cannot follow.
    records_.erase(records_.begin(), std::next(found));
  }

  WriteRequest request_{};
  WriteResponse response_{};
  Fault faults_[5] = {};
  unsigned offered_ = 0, overtaken_[5] = {}, answered_ = 0, dropped_ = 0;
  uint64_t since_[5] = {}, answer_ = 0, answered_at_ = 0, room_ = 0, full_ = 0, changed_ = 0;
  bool aw_ = false, w_ = false, aw_taken_ = false, w_taken_ = false, writing_ = false, idle_ = true;
  bool open_ = true;
  std::vector<uint8_t> bytes_;
  std::map<unsigned, Record> records_;
};

}  // namespace gmmu::top
