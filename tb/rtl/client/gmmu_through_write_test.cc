// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/client/through_bursts.h"

namespace gmmu::client {
namespace {

/// Tests gmmu_through_write. The bench sends bursts and their beats, and acts as the access unit,
/// which responds in ascending order of ids.
class ThroughWrite : public BlocksTest {
 protected:
  ThroughWrite() { t.tw_enable_i = 1; }

  void Write(const ThroughBurst& burst) {
    offered_.push_back(burst);
    responses_.push_back({burst.id, !burst.legal()});
    auto lines = burst.lines(regs::Access::kWrite);
    for (size_t i = 0; i < lines.size(); ++i) expected_.push_back({lines[i], i + 1 == lines.size()});
    size_t line = expected_.size() - lines.size();
    for (unsigned i = 0; i <= burst.len; ++i) {
      Beat beat;
      beat.first = i == 0;
      for (auto& byte : beat.data) byte = static_cast<uint8_t>(rng());
      if (burst.legal() && burst.begin(i) / kLine != expected_[line].request.va / kLine) ++line;
      const bool full = Chance(50);
      for (uint64_t va = burst.begin(i); va < burst.end(i) && burst.legal(); ++va) {
        if (!full && Chance(30)) continue;
        beat.strobe |= uint64_t{1} << va % kBeat;
        expected_[line].data[va % kLine] = beat.data[va % kBeat];
        expected_[line].kept[va % kLine] = true;
      }
      if (!burst.legal()) beat.strobe = rng() >> 8;
      beats_.push_back(beat);
    }
  }
  void Step() override {
    t.tw_aw_valid_i = aw_.Now(!offered_.empty(), *this, manner.idle_percent);
    if (t.tw_aw_valid_i) offered_.front().Put(t);
    t.tw_w_valid_i = w_.Now(!beats_.empty(), *this, manner.idle_percent);
    if (t.tw_w_valid_i) {
      SetBytes(t.word_data_i, beats_.front().data);
      SetBytes(t.word_strobe_i, reinterpret_cast<const uint8_t*>(&beats_.front().strobe));
    }
    t.tw_b_ready_i = !Stall();
    t.tw_req_ready_i = !Stall();
    PutAnswer();
    Settle();
    if (open_ != 0) EXPECT_FALSE(t.tw_idle_o);
    TakeWord();
    TakeRequest();
    TakeB();
    const bool aw = t.tw_aw_valid_i && t.tw_aw_ready_o, w = t.tw_w_valid_i && t.tw_w_ready_o;
    const bool answered = t.tw_rsp_valid_i && t.tw_rsp_ready_o;
    if (w) {
      EXPECT_TRUE(left_ > 0) << "W waits for its AW";
      EXPECT_EQ(beats_.front().first, left_ == burst_);
      --left_;
      beats_.pop_front();
      w_.Taken();
    }
    if (aw) {
      EXPECT_TRUE(t.tw_enable_i);
      EXPECT_EQ(left_, 0u) << "the burst before has beats left";
      left_ = burst_ = offered_.front().len + 1;
      ++open_;
      offered_.pop_front();
      aw_.Taken();
    }
    Edge();
    if (answered) flight_.pop_front(), t.tw_rsp_valid_i = 0;
  }
  void Finish() {
    for (int i = 0; i < 60000 && !responses_.empty(); ++i) Step();
    EXPECT_TRUE(responses_.empty()) << "B is missing";
    EXPECT_TRUE(expected_.empty() && flight_.empty() && beats_.empty() && offered_.empty());
    Run(3);
    EXPECT_TRUE(t.tw_idle_o);
  }

  unsigned requests_ = 0, words_ = 0, fault_percent_ = 0;
  uint64_t latency_ = 10;

 private:
  struct Line {
    Request request;
    bool last;  // whether the line is the last of its burst
    uint8_t data[kLine] = {};
    bool kept[kLine] = {};
  };
  struct Beat {
    uint8_t data[kBeat];
    uint64_t strobe = 0;
    bool first = false;
  };
  struct Flight {
    unsigned id;
    bool fault;
    uint64_t due;
  };

  void TakeWord() {
    if (!t.tw_word_valid_o) return;
    ++words_;
    // The word belongs to the line that is requested next, or to the line after it.
    const auto word = Unpack<WordBits>(t.tw_word_o);
    const unsigned ahead = (word.id + slots() - requests_) % slots();
    ASSERT_LE(ahead, 1u);
    ASSERT_LT(ahead, expected_.size()) << "words of no line";
    for (const Flight& access : flight_) EXPECT_NE(access.id, word.id) << "in use";
    Line& given = given_[ahead];
    const auto data = BytesOf(t.tw_word_data_o);
    for (unsigned i = 0; i < kBeat; ++i) {
      given.data[word.word * kBeat + i] = data[i];
      given.kept[word.word * kBeat + i] = t.tw_word_strobe_o >> i & 1;
    }
    rows_[ahead] |= 1u << word.word;
  }
  void TakeRequest() {
    if (!t.tw_req_valid_o || !t.tw_req_ready_i) return;
    ASSERT_FALSE(expected_.empty()) << "an access of no burst";
    const Line& line = expected_.front();
    Request request = line.request;
    request.id = requests_ % slots();
    request.Expect(t.tw_req_o);
    for (unsigned at = request.first(); at <= request.last(); ++at) {
      EXPECT_TRUE(rows_[0] >> at / kBeat & 1) << "row of byte " << at << " was not given";
      EXPECT_EQ(given_[0].kept[at], line.kept[at]) << "strobe of byte " << at;
      if (line.kept[at]) EXPECT_EQ(given_[0].data[at], line.data[at]) << "byte " << at;
    }
    const bool fault = Chance(fault_percent_);
    flight_.push_back({requests_ % slots(), fault, now + Random(1, latency_)});
    EXPECT_LE(flight_.size(), slots());
    // The lines of a burst are requested in sequence, so `failing_` accumulates the faults of one
    // burst.
    failing_ |= fault;
    if (line.last) lines_failed_.push_back(failing_), failing_ = false;
    ++requests_;
    expected_.pop_front();
    given_[0] = given_[1], rows_[0] = rows_[1], given_[1] = {}, rows_[1] = 0;
  }
  void PutAnswer() {
    if (t.tw_rsp_valid_i || flight_.empty() || flight_.front().due > now || Idle()) return;
    t.tw_rsp_valid_i = 1;
    AnswerBits answer{};
    answer.id = static_cast<uint8_t>(flight_.front().id), answer.last = 1;
    answer.fault = flight_.front().fault ? 15 : 0;
    t.rsp_i = Pack(answer);
  }
  void TakeB() {
    b_stands_.Look(t.tw_b_valid_o, t.tw_b_ready_i);
    if (!t.tw_b_valid_o || !t.tw_b_ready_i) return;
    ASSERT_FALSE(responses_.empty()) << "B that nobody asked for";
    bool failed = responses_.front().second;
    if (!failed) {
      ASSERT_FALSE(lines_failed_.empty()) << "B before the lines";
      failed = lines_failed_.front();
      lines_failed_.pop_front();
    }
    const auto b = Unpack<GMMU_STRUCT(gmmu_client_blocks_bench, sub_b_t)>(t.tw_b_o);
    EXPECT_EQ(b.id, responses_.front().first);
    EXPECT_EQ(b.resp, failed ? 2u : 0u);
    responses_.pop_front();
    --open_;
  }

  std::deque<ThroughBurst> offered_;
  std::deque<Beat> beats_;
  std::deque<Line> expected_;
  std::deque<Flight> flight_;
  std::deque<std::pair<unsigned, bool>> responses_;  // {id, illegal}
  std::deque<bool> lines_failed_;                    // per legal burst: whether a line faulted
  Line given_[2] = {};
  unsigned rows_[2] = {}, open_ = 0, left_ = 0, burst_ = 0;
  bool failing_ = false;
  Standing<> b_stands_{"B"};
  Offer aw_, w_;
};

TEST_P(ThroughWrite, EverySizeFromEveryByteOfALine) {
  for (unsigned size = 0; 1u << size <= kBeat; ++size) {
    for (unsigned at = 0; at < kLine; at += 1 + at % 3) {
      ThroughBurst burst;
      burst.id = at, burst.va = 0x7000'0000'0000 + at, burst.size = size, burst.len = at % 23;
      Write(burst);
    }
    Finish();
  }
}

TEST_P(ThroughWrite, BurstsThatAreNotLegalWriteNothing) {
  for (const ThroughBurst& burst : ThroughBurst::Illegal()) Write(burst);
  Finish();
  EXPECT_EQ(requests_ + words_, 0u);
}

TEST_P(ThroughWrite, WithoutEnableNoBurstIsTaken) {
  t.tw_enable_i = 0;
  Write({});
  Run(30);
  EXPECT_EQ(requests_, 0u);
  EXPECT_TRUE(t.tw_idle_o);
  t.tw_enable_i = 1;
  Finish();
  EXPECT_EQ(requests_, 1u);
}

TEST_P(ThroughWrite, MoreLinesThanSlotsWait) {
  latency_ = 600;
  for (unsigned i = 0; i < 4; ++i) Write(ThroughBurst::Longest(4096 * i));
  Finish();
}

TEST_P(ThroughWrite, RandomBursts) {
  for (int i = 0; i < 200; ++i) {
    fault_percent_ = i < 60 ? 0 : 10;
    latency_ = i / 20 % 2 ? 60 : 5;
    Write(ThroughBurst::Draw(*this, i < 60 ? 0 : 15));
    Run(15);
  }
  Finish();
}

INSTANTIATE_TEST_SUITE_P(Seeds, ThroughWrite, Seeds(8));

}  // namespace
}  // namespace gmmu::client
