// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/client/through_bursts.h"

namespace gmmu::client {
namespace {

/// Tests gmmu_through_read. The bench sends bursts and acts as the access unit, which responds in
/// ascending order of ids.
class ThroughRead : public BlocksTest {
 protected:
  ThroughRead() { t.tr_enable_i = 1; }

  void Read(const ThroughBurst& burst) { offered_.push_back(burst); }
  void Step() override {
    t.tr_ar_valid_i[n] = ar_.Now(!offered_.empty(), *this, manner.idle_percent);
    if (t.tr_ar_valid_i[n]) offered_.front().Put(t);
    t.tr_r_ready_i = !Stall();
    t.tr_req_ready_i = !Stall();
    PutAnswer();
    Settle();
    if (!open_.empty()) EXPECT_FALSE(t.tr_idle_o[n]);
    TakeR();
    TakeRequest();
    if (t.tr_ar_valid_i[n] && t.tr_ar_ready_o[n]) {
      EXPECT_TRUE(t.tr_enable_i);
      const ThroughBurst& burst = offered_.front();
      open_.push_back({burst, 0, {}});
      EXPECT_LE(open_.size(), n == 0 ? 34u : 3u) << "two more may stand at the output";
      auto kind = burst.execute ? regs::Access::kExecute : regs::Access::kRead;
      for (const Request& request : burst.lines(kind)) expected_.push_back(request);
      offered_.pop_front();
      ar_.Taken();
    }
    const bool taken = t.tr_rsp_valid_i[n] && t.tr_rsp_ready_o[n];
    Edge();
    if (taken) AnswerTaken();
  }
  void Finish() {
    for (int i = 0; i < 60000 && !(offered_.empty() && open_.empty()); ++i) Step();
    EXPECT_TRUE(offered_.empty() && open_.empty()) << "R is missing";
    EXPECT_TRUE(expected_.empty() && lines_.empty());
    Run(3);
    EXPECT_TRUE(t.tr_idle_o[n]);
  }

  unsigned requests_ = 0, beats_ = 0, fault_percent_ = 0;
  uint64_t latency_ = 10;

 private:
  struct Line {
    Request request;
    bool fault;
    uint64_t due;
    uint8_t data[kLine];
    unsigned row = 0;  // next row of the response, counted from its first row
  };
  struct Open {
    ThroughBurst burst;
    unsigned beat;
    std::deque<Line> seen;  // lines whose responses are incomplete
  };

  void TakeRequest() {
    if (t.tr_req_valid_o[n]) EXPECT_FALSE(expected_.empty()) << "an access of no burst";
    if (!t.tr_req_valid_o[n] || !t.tr_req_ready_i || expected_.empty()) return;
    Request request = expected_.front();
    expected_.pop_front();
    request.id = requests_++ % slots();
    request.Expect(t.tr_req_o[n]);
    Line line{request, Chance(fault_percent_), now + Random(1, latency_), {}};
    for (auto& byte : line.data) byte = static_cast<uint8_t>(rng());
    lines_.push_back(line);
    EXPECT_LE(lines_.size(), slots()) << "an id is used twice";
    history_.push_back(line);
  }
  void PutAnswer() {
    if (t.tr_rsp_valid_i[n]) return;
    if (lines_.empty() || lines_.front().due > now || Idle()) return;
    const Line& line = lines_.front();
    const unsigned row = line.request.first() / kBeat + line.row;
    t.tr_rsp_valid_i[n] = 1;
    answer_.id = static_cast<uint8_t>(line.request.id);
    answer_.fault = line.fault ? 14 : 0;
    answer_.last = line.fault || row == line.request.last() / kBeat;
    answer_.word = static_cast<uint8_t>(row);
    t.rsp_i = Pack(answer_);
    SetBytes(t.rsp_data_i, line.data + row * kBeat);
  }
  void AnswerTaken() {
    t.tr_rsp_valid_i[n] = 0;
    ++lines_.front().row;
    if (answer_.last) lines_.pop_front();
  }
  void TakeR() {
    r_stands_.Look(t.tr_r_valid_o[n], t.tr_r_ready_i);
    if (!t.tr_r_valid_o[n] || !t.tr_r_ready_i) return;
    ASSERT_FALSE(open_.empty()) << "R that nobody asked for";
    Open& open = open_.front();
    const ThroughBurst& burst = open.burst;
    const bool last = open.beat == burst.len;
    const auto r = Unpack<GMMU_STRUCT(gmmu_client_blocks_bench, sub_r_t)>(t.tr_r_o[n]);
    EXPECT_EQ(r.id, burst.id);
    EXPECT_EQ(r.last, last);
    const auto data = BytesOf(r.data);
    bool fails = !burst.legal();
    const uint64_t va = burst.begin(open.beat);
    if (!fails) {
      while (!history_.empty() && history_.front().request.va / kLine != va / kLine) history_.pop_front();
      ASSERT_FALSE(history_.empty()) << "R before the line was asked for";
      fails = history_.front().fault;
    }
    EXPECT_EQ(r.resp, fails ? 2u : 0u);
    for (unsigned i = 0; i < kBeat && fails; ++i) EXPECT_EQ(data[i], 0) << "no data";
    for (uint64_t at = va; at < burst.end(open.beat) && !fails; ++at)
      EXPECT_EQ(data[at % kBeat], history_.front().data[at % kLine]) << std::hex << at;
    ++beats_;
    ++open.beat;
    if (!last) return;
    if (burst.legal()) history_.pop_front();
    open_.pop_front();
  }

  AnswerBits answer_{};
  std::deque<ThroughBurst> offered_;
  std::deque<Open> open_;
  std::deque<Request> expected_;
  // history_: requested lines, from the line of the next R beat on.
  std::deque<Line> lines_, history_;
  Offer ar_;
  Standing<> r_stands_{"R"};
};

TEST_P(ThroughRead, EverySizeFromEveryByteOfALine) {
  for (unsigned size = 0; 1u << size <= kBeat; ++size) {
    for (unsigned at = 0; at < kLine; at += 1 + at % 3) {
      ThroughBurst burst;
      burst.id = at, burst.va = 0x7000'0000'0000 + at, burst.size = size, burst.len = at % 23;
      Read(burst);
    }
    Finish();
  }
}

TEST_P(ThroughRead, BurstsThatAreNotLegalAccessNothing) {
  for (const ThroughBurst& burst : ThroughBurst::Illegal()) Read(burst);
  Finish();
  EXPECT_EQ(requests_, 0u);
  EXPECT_EQ(beats_, 25u);
}

TEST_P(ThroughRead, WithoutEnableNoBurstIsTaken) {
  t.tr_enable_i = 0;
  Read({});
  Run(30);
  EXPECT_EQ(requests_, 0u);
  EXPECT_TRUE(t.tr_idle_o[n]);
  t.tr_enable_i = 1;
  Finish();
  EXPECT_EQ(requests_, 1u);
}

TEST_P(ThroughRead, MoreLinesThanSlotsWait) {
  latency_ = 600;
  for (unsigned i = 0; i < 5; ++i) Read(ThroughBurst::Longest(4096 * i));
  Finish();
}

TEST_P(ThroughRead, RandomBursts) {
  for (int i = 0; i < 200; ++i) {
    fault_percent_ = i < 60 ? 0 : 15;
    latency_ = i / 20 % 2 ? 60 : 5;
    Read(ThroughBurst::Draw(*this, i < 60 ? 0 : 15));
    Run(12);
  }
  Finish();
}

INSTANTIATE_TEST_SUITE_P(Seeds, ThroughRead, SizesAndSeeds(2, 8));

}  // namespace
}  // namespace gmmu::client
