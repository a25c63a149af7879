// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/client/blocks.h"

namespace gmmu::client {
namespace {

using regs::Access;
using regs::Fault;
using regs::Pattern;

/// Tests gmmu_traffic. The bench acts as the access unit, which accepts words and requests and
/// responds in ascending order of ids.
class Traffic : public BlocksTest {
 protected:
  struct Run {
    hw::TrafficLines lines;
    Access access = Access::kRead;
    bool verify = false;
    unsigned space = 5, depth = 0;
  };
  static constexpr unsigned kBegun = 2;  // accesses that may still start after a stop or a fault

  Traffic() { t.run_enable_i = t.run_unit_idle_i = 1; }

  void Start(const Run& run) {
    run_ = run;
    RunBits bits{};
    bits.access = static_cast<uint8_t>(run.access), bits.verify = run.verify;
    bits.space = static_cast<uint8_t>(run.space), bits.depth = static_cast<uint8_t>(run.depth);
    PutRun(t, bits, run.lines);
    limit_ = run.depth == 0 || run.depth > slots() ? slots() : run.depth;
    sequence_ = std::make_unique<hw::TrafficSequence>(run.lines);
    begun_ = pass_ = answered_ = most_ = dones_ = late_ = 0;
    good_ = crc_ = mismatches_ = 0;
    faulted_ = false;
    t.run_start_i = 1;
    Step();
    t.run_start_i = 0;
    EXPECT_TRUE(State().busy);
  }
  /// Steps until the run is complete, then checks the registers that software reads.
  void Finish(int most = 60000) {
    for (int i = 0; i < most && dones_ == 0; ++i) Step();
    for (int i = 0; i < 10; ++i) Step();
    EXPECT_EQ(dones_, 1u) << "one pulse, in time";
    const StateBits state = State();
    EXPECT_FALSE(state.busy || t.run_owner_o || t.run_req_valid_o);
    EXPECT_TRUE(flight_.empty() && words_.empty());
    if (!faulted_) EXPECT_EQ(begun_, Total());
    EXPECT_EQ(state.count, good_);
    EXPECT_EQ(state.crc, crc_);
    EXPECT_EQ(state.mismatches, mismatches_);
    EXPECT_EQ(state.fault, faulted_);
    EXPECT_EQ(state.reason, faulted_ ? static_cast<unsigned>(reason_) : 0);
    EXPECT_EQ(state.level, faulted_ ? level_ : 0u);
    EXPECT_EQ(state.fault_va, faulted_ ? fault_va_ : 0);
  }
  void Step() override {
    t.run_req_ready_i = !Stall();
    Answer();
    t.run_unit_idle_i = flight_.empty() && !external_ && !held_;
    Settle();
    if (t.run_owner_o) EXPECT_FALSE(external_) << "earlier accesses are not finished";
    dones_ += t.run_done_o;
    if (t.run_done_o) EXPECT_FALSE(State().busy);
    if (t.run_waiting_o) EXPECT_TRUE(!t.run_enable_i && flight_.empty() && !t.run_req_valid_o);
    TakeWord();
    TakeRequest();
    held_ = t.run_req_valid_o;
    Edge();
  }
  Run Draw() {
    Run run;
    auto& l = run.lines;
    l.pattern = static_cast<Pattern>(Random(0, 2));
    l.footprint_lg2 = static_cast<unsigned>(Chance(50) ? 0 : Random(1, 32));
    l.base = rng() & ~uint64_t{63};
    l.first = static_cast<uint32_t>(rng()) >> 12;
    l.stride = static_cast<uint32_t>(Random(0, 99));
    l.count = static_cast<uint32_t>(Random(0, 150));
    l.step = l.count < 2 ? 1 : static_cast<uint32_t>(Random(0, l.count - 1));
    l.seed = rng();
    run.access = static_cast<Access>(Random(0, l.pattern == Pattern::kChase ? 1 : 2));
    run.verify = rng() % 2;
    run.space = static_cast<unsigned>(Random(0, 63));
    run.depth = static_cast<unsigned>(Chance(50) ? 0 : Random(1, 80));
    return run;
  }
  static Run Order(Access access, uint32_t count, bool verify = false) {
    Run run;
    run.lines.base = 0x40000000, run.lines.stride = run.lines.step = 1;
    run.lines.count = count, run.lines.seed = 0x1234567890;
    run.access = access, run.verify = verify;
    return run;
  }

  unsigned begun_ = 0, most_ = 0, dones_ = 0, late_ = 0;
  unsigned latency_ = 20, fault_permille_ = 0, wrong_permille_ = 5;
  bool external_ = false, faulted_ = false;
  uint32_t good_ = 0, crc_ = 0, mismatches_ = 0;

 private:
  struct Flight {
    unsigned id;
    uint64_t va, due;
    bool write;
    unsigned word = 0;
    bool fault = false;
    int record = 0;  // number of cycles for which its fault record must still be offered
  };
  StateBits State() const { return Unpack<StateBits>(t.run_state_o); }
  bool Chase() const { return run_.lines.pattern == Pattern::kChase; }
  bool Writes() const { return run_.access == Access::kWrite && !Chase() && pass_ == 0; }
  unsigned Total() const {
    const bool twice = run_.access == Access::kWrite && !Chase() && run_.verify;
    return run_.lines.count * (twice ? 2 : 1);
  }

  void TakeWord() {
    if (!t.run_w_valid_o) return;
    ASSERT_TRUE(t.run_owner_o && Writes());
    const auto w = Unpack<WordBits>(t.run_w_o);
    ASSERT_EQ(w.id, (begun_ + words_.size() / 8) % slots());
    ASSERT_EQ(w.word, words_.size() % 8);
    for (const Flight& access : flight_) EXPECT_NE(access.id, w.id) << "its slot is taken";
    words_.push_back(t.run_w_data_o ^ t.run_w_mix_o);
  }
  void TakeRequest() {
    if (!t.run_req_valid_o) return;
    ASSERT_TRUE(t.run_owner_o);
    if (!t.run_req_ready_i) return;
    if (run_.lines.count != 0 && begun_ == run_.lines.count && pass_ == 0) {
      pass_ = 1;  // The second pass reads the written lines back.
      sequence_ = std::make_unique<hw::TrafficSequence>(run_.lines);
      EXPECT_TRUE(flight_.empty());
    }
    ASSERT_LT(begun_, Total());
    const unsigned number = begun_ - pass_ * run_.lines.count;
    const uint64_t va = Chase() && number != 0 ? chase_ : sequence_->Next();
    SCOPED_TRACE(testing::Message() << "access " << number);
    const bool execute = run_.access == Access::kExecute;
    const Access kind = Writes() ? Access::kWrite : execute ? Access::kExecute : Access::kRead;
    Request{number % slots(), run_.space, va, kind, kLine}.Expect(t.run_req_o);
    if (Writes()) {
      ASSERT_GE(words_.size(), 8u) << "a write's words are given before its request";
      for (unsigned w = 0; w < 8; ++w) {
        const uint64_t seed = run_.lines.seed;
        EXPECT_EQ(words_[w], run_.verify ? hw::AddressPattern(seed, va + 8 * w) : seed + 8 * number + w);
      }
      words_.erase(words_.begin(), words_.begin() + 8);
    }
    flight_.push_back({number % slots(), va, now + Random(1, latency_), Writes()});
    flight_.back().fault = Random(0, 999) < fault_permille_;
    flight_.back().record = static_cast<int>(Random(1, 3));
    ++begun_;
    if (faulted_) ++late_;
    most_ = std::max<unsigned>(most_, static_cast<unsigned>(flight_.size()));
    EXPECT_LE(flight_.size(), limit_);
    if (Chase() && flight_.size() > 1)
      EXPECT_TRUE(flight_.size() == 2 && flight_[0].word != 0) << "nobody has named the line";
  }
  void Answer() {
    t.run_rsp_valid_i = t.run_log_valid_i = 0;
    if (flight_.empty() || flight_.front().due > now || Idle()) return;
    Flight& access = flight_.front();
    if (access.fault && !faulted_ &&
        access.record > 0) {  // The access unit offers a record of the run's first fault only.
      t.run_log_valid_i = 1;
      --access.record;
      reason_ = static_cast<Fault>(1 + access.va / 64 % 15);
      level_ = access.va / 64 % 6;
      fault_va_ = access.va;
      FaultBits record{};
      record.reason = static_cast<uint8_t>(reason_), record.level = static_cast<uint8_t>(level_);
      record.address = fault_va_;
      t.run_log_i = Pack(record);
      return;
    }
    t.run_rsp_valid_i = 1;
    AnswerBits answer{};
    answer.id = static_cast<uint8_t>(access.id), answer.word = static_cast<uint8_t>(access.word);
    answer.fault = access.fault ? 14 : 0;
    answer.last = access.fault || access.write || access.word == 7;
    t.rsp_i = Pack(answer);
    t.rsp_line_i = access.va >> 6;
    uint64_t data = rng();
    if (run_.verify && !Chase() && Random(0, 999) >= wrong_permille_)
      data = hw::AddressPattern(run_.lines.seed, access.va + 8 * access.word);
    std::memcpy(&t.rsp_data_i, &data, 8);
    faulted_ |= access.fault;
    if (!faulted_ && !access.write) {
      crc_ = ~Crc32cStep(~crc_, data);
      mismatches_ += run_.verify && !Chase() &&
                     data != hw::AddressPattern(run_.lines.seed, access.va + 8 * access.word);
      if (access.word == 0) chase_ = data & ~uint64_t{63};
    }
    ++access.word;
    if (!answer.last) return;
    if (!faulted_) ++good_;
    ++answered_;
    flight_.pop_front();
  }

  Run run_;
  std::unique_ptr<hw::TrafficSequence> sequence_;
  std::deque<Flight> flight_;
  std::deque<uint64_t> words_;
  unsigned pass_ = 0, answered_ = 0, limit_ = 0, level_ = 0;
  uint64_t chase_ = 0, fault_va_ = 0;
  Fault reason_ = Fault::kNone;
  bool held_ = false;
};

TEST_P(Traffic, ReadsWritesAndVerifies) {
  for (Access access : {Access::kRead, Access::kWrite, Access::kExecute}) {
    for (bool verify : {false, true}) {
      Start(Order(access, 100, verify));
      Finish();
    }
  }
}

TEST_P(Traffic, EmptyAndShortRunsEnd) {
  for (Access access : {Access::kRead, Access::kWrite}) {
    for (unsigned count : {0u, 1u, 2u}) {
      for (bool verify : {false, true}) {
        Start(Order(access, count, verify));
        Finish(400);
      }
    }
  }
}

TEST_P(Traffic, DepthLimitsAccessesInFlight) {
  manner = {0, 0};
  for (unsigned depth : {1u, 2u, 7u, 64u, 200u, 0u}) {
    Run run = Order(Access::kRead, 200);
    run.depth = depth;
    latency_ = 400;
    Start(run);
    Finish();
    const unsigned limit = depth == 0 || depth > slots() ? slots() : depth;
    EXPECT_EQ(most_, limit);
  }
}

TEST_P(Traffic, WaitsForEarlierAccessesAndForEnable) {
  for (int i = 0; i < 4; ++i) Step();
  EXPECT_FALSE(t.run_waiting_o);
  external_ = true;
  Step();
  Start(Order(Access::kRead, 20));
  for (int i = 0; i < 40; ++i) Step();
  t.run_enable_i = 0;
  for (int i = 0; i < 5; ++i) Step();
  external_ = false;
  for (int i = 0; i < 40; ++i) Step();
  EXPECT_EQ(begun_, 0u);
  EXPECT_TRUE(t.run_waiting_o);
  t.run_enable_i = 1;
  for (int i = 0; i < 60; ++i) Step();
  EXPECT_GT(begun_, 0u);
  t.run_enable_i = 0;
  const unsigned before = begun_;
  for (int i = 0; i < 400; ++i) Step();
  EXPECT_LE(begun_, before + kBegun);
  if (begun_ < 20) EXPECT_TRUE(t.run_waiting_o);
  EXPECT_FALSE(dones_ != 0 && begun_ < 20);
  t.run_enable_i = 1;
  Finish();
}

TEST_P(Traffic, AStartWhileBusyIsIgnored) {
  Start(Order(Access::kRead, 30));
  for (int i = 0; i < 20; ++i) {
    t.run_start_i = i % 3 == 0;
    Step();
  }
  t.run_start_i = 0;
  Finish();
}

TEST_P(Traffic, AFaultEndsTheRun) {
  unsigned faults = 0;
  fault_permille_ = 40;
  for (int i = 0; i < 30; ++i) {
    Run run = Order(i % 3 == 0 ? Access::kWrite : Access::kRead, 120, i % 2);
    run.depth = i % 5 == 0 ? 0 : 4;
    Start(run);
    Finish();
    if (faulted_) EXPECT_LE(late_, kBegun) << "begun after it was seen";
    faults += faulted_;
  }
  EXPECT_GT(faults, 15u);
  fault_permille_ = 0;  // The next run has no faults.
  Start(Order(Access::kRead, 10));
  Finish();
}

TEST_P(Traffic, RandomRuns) {
  for (int i = 0; i < 25; ++i) {
    fault_permille_ = i % 4 == 0 ? 10 : 0;
    latency_ = static_cast<unsigned>(Random(1, 80));
    Start(Draw());
    while (dones_ == 0 && Chance(97)) {
      if (Chance(4)) t.run_enable_i = rng() % 2;
      for (int k = 0; k < 10; ++k) Step();
    }
    t.run_enable_i = 1;
    Finish();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Traffic, Seeds(8));

}  // namespace
}  // namespace gmmu::client
