// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "tb/rtl/client/blocks.h"

namespace gmmu::client {
namespace {

using regs::Fault;

/// Tests gmmu_client_answer. The bench requests and completes accesses, and a model predicts the
/// response words, fault records and byte counts.
class Answer : public BlocksTest {
 protected:
  static constexpr unsigned kRows = kLine / kBeat;

  struct Access {
    Request request;
    Fault fault = Fault::kNone;
    unsigned level = 0;
    bool zero = false;
    bool logged = false;  // the access's fault record was accepted
    std::vector<std::vector<uint8_t>> rows = {};
  };

  Answer() : word_(n == 0 ? 8 : kBeat) {}

  /// Offers a request for `cycles` cycles, after which its access is in flight.
  void Begin(const Request& request, int cycles = 1) {
    ASSERT_EQ(flight_.count(request.id), 0u);
    Access access{request};
    for (unsigned row = 0; row < kRows; ++row) {
      RandomBytes(t.ans_row_data_i, *this);
      access.rows.push_back(BytesOf(t.ans_row_data_i));
    }
    PutRow();
    flight_[request.id] = access;
    ++begun_;
    for (int i = 0; i < cycles; ++i) {
      t.ans_req_valid_i[n] = 1;
      request.Put(t);
      Step();
    }
    t.ans_req_valid_i[n] = 0;
    Step();  // In a client, an access cannot complete earlier.
  }
  void End(unsigned id, Fault fault, unsigned level, bool zero) {
    Access& access = flight_.at(id);
    access.fault = fault, access.level = level, access.zero = zero;
    t.ans_end_valid_i[n] = 1;
    t.end_i = PackEnd(id, fault, level, zero);
    ended_[id] = true;
    if (!t.ans_ordered_i) order_.push_back(id);
    Step();
    t.ans_end_valid_i[n] = 0;
  }
  void EndRandom(unsigned id) {
    const bool fault = Chance(fault_percent_);
    End(id, fault ? static_cast<Fault>(Random(1, 15)) : Fault::kNone, static_cast<unsigned>(Random(0, 5)),
        !fault && Chance(15));
  }
  void Step() override {
    t.ans_ready_i = !Stall();
    t.ans_log_ready_i = !Stall();
    PutRow();
    Settle();
    TakeLog();
    TakeAnswer();
    if (t.ans_read_o[n]) row_ = t.ans_row_o[n] % (slots() * kRows);
    Edge();
  }
  /// Steps until every completed access has its complete response.
  void Finish() {
    for (int i = 0; i < 8000 && !ended_.empty(); ++i) Step();
    EXPECT_TRUE(ended_.empty()) << "answers are missing";
    Run(6);
  }
  /// Sets ordered_i and first_only_i. No access may be in flight.
  void Choose(bool ordered, bool first_only) {
    t.ans_ordered_i = ordered;
    t.ans_first_only_i = first_only;
    next_ = 0;
    muted_ = false;
    Run(3);
  }

  const unsigned word_;
  std::map<unsigned, Access> flight_;
  std::map<unsigned, bool> ended_;  // completed accesses whose response is not complete
  unsigned answered_ = 0, begun_ = 0, logged_ = 0, fault_percent_ = 25;

 private:
  /// Drives the data of the row that the block read in the previous cycle.
  void PutRow() {
    const auto at = flight_.find(row_ / kRows);
    if (at == flight_.end()) RandomBytes(t.ans_row_data_i, *this);
    else SetBytes(t.ans_row_data_i, at->second.rows[row_ % kRows].data());
  }
  /// Returns the access whose response comes next, or null if that access has not completed.
  Access* Due() {
    const unsigned id = t.ans_ordered_i ? next_ : order_.empty() ? 0 : order_.front();
    return ended_.count(id) != 0 ? &flight_.at(id) : nullptr;
  }
  void TakeLog() {
    if (!log_stands_.Look(t.ans_log_valid_o[n], t.ans_log_ready_i)) return;
    // A fault can be recorded while responses of earlier accesses are pending. The record belongs
    // to the first faulted access without a record.
    Access* faulted = nullptr;
    if (t.ans_ordered_i) {
      for (unsigned i = 0; i < slots() && faulted == nullptr; ++i) {
        const unsigned id = (next_ + i) % slots();
        if (ended_.count(id) == 0) break;
        Access& access = flight_.at(id);
        if (access.fault != Fault::kNone && !access.logged) faulted = &access;
      }
    } else {
      for (unsigned id : order_) {
        Access& access = flight_.at(id);
        if (access.fault != Fault::kNone && !access.logged) {
          faulted = &access;
          break;
        }
      }
    }
    ASSERT_NE(faulted, nullptr) << "a record of no fault";
    EXPECT_FALSE(t.ans_first_only_i && muted_) << "only the first is logged";
    muted_ = true;
    ++logged_;
    faulted->logged = true;
    faulted->request.ExpectRecord(t.ans_log_o[n], faulted->fault, faulted->level);
  }
  void TakeAnswer() {
    const auto answer = Unpack<AnswerBits>(t.ans_rsp_o[n]);
    const bool taken = t.ans_valid_o[n] && t.ans_ready_i;
    const bool fresh = t.ans_valid_o[n] && !stood_;
    if (stood_) EXPECT_TRUE(t.ans_valid_o[n]) << "an offer stands";
    stood_ = t.ans_valid_o[n] && !taken;
    unsigned counts[2] = {};
    if (t.ans_valid_o[n]) {
      Access* const access = Due();
      ASSERT_NE(access, nullptr) << "an answer to nobody";
      Check(*access, answer);
      if (fresh && answer.last && access->fault == Fault::kNone)
        counts[access->request.write()] = access->request.bytes;
    }
    const unsigned counted[] = {t.ans_read_bytes_o[n], t.ans_write_bytes_o[n]};
    for (int i = 0; i < 2; ++i) {  // A byte count appears one cycle after the response.
      EXPECT_EQ(counted[i], counted_[i]) << (i ? "written" : "read");
      counted_[i] = counts[i];
    }
    if (!taken) return;
    ++beat_;
    if (!answer.last) return;
    beat_ = 0;
    ++answered_;
    flight_.erase(answer.id);
    ended_.erase(answer.id);
    if (t.ans_ordered_i) next_ = (next_ + 1) % slots();
    else order_.pop_front();
  }
  void Check(const Access& access, const AnswerBits& answer) {
    const Request& request = access.request;
    const bool one = access.fault != Fault::kNone || request.write();
    const unsigned word = request.first() / word_ + beat_;
    EXPECT_EQ(answer.id, request.id);
    EXPECT_EQ(answer.fault, static_cast<unsigned>(access.fault));
    EXPECT_EQ(t.ans_line_o[n], request.va >> 6);
    EXPECT_EQ(answer.last, one || word == request.last() / word_);
    if (access.fault != Fault::kNone && !t.ans_first_only_i)
      EXPECT_TRUE(access.logged) << "its record was not taken before its answer";
    if (access.fault != Fault::kNone && t.ans_first_only_i) EXPECT_TRUE(muted_);
    if (one) return;
    ASSERT_LE(word, request.last() / word_) << "a word behind the last";
    EXPECT_EQ(answer.word, word);
    const auto data = BytesOf(t.ans_data_o[n]);
    for (unsigned i = 0; i < word_; ++i) {
      const unsigned at = word * word_ + i;
      const unsigned want = access.zero ? 0 : access.rows[at / kBeat][at % kBeat];
      EXPECT_EQ(data[i], want) << "byte " << at;
    }
  }

  std::deque<unsigned> order_;
  unsigned next_ = 0, beat_ = 0, row_ = 0;
  bool stood_ = false, muted_ = false;
  unsigned counted_[2] = {};  ///< [0] bytes read, [1] bytes written, to be counted in this cycle
  Standing<> log_stands_{"the record"};
};

TEST_P(Answer, EveryFirstAndLastByteOfARead) {
  for (unsigned first = 0; first < kLine; first += first % 8 < 2 ? 1 : 5) {
    for (unsigned bytes = 1; first + bytes <= kLine; bytes += bytes < 10 ? 1 : 7) {
      Request request;
      request.id = (first + bytes) % slots();
      request.va = 0x123456780000 + first;
      request.bytes = bytes;
      Begin(request);
      End(request.id, Fault::kNone, 0, false);
      Finish();
    }
  }
}

TEST_P(Answer, EveryFaultIsLoggedBeforeItsAnswer) {
  for (unsigned fault = 1; fault < 16; ++fault) {
    for (auto access : {regs::Access::kRead, regs::Access::kWrite, regs::Access::kExecute}) {
      Request request = Request::Draw(*this, fault);
      request.access = access;
      Begin(request);
      End(fault, static_cast<Fault>(fault), fault % 6, false);
      Finish();
    }
  }
  EXPECT_EQ(logged_, 45u);
}

TEST_P(Answer, OnlyTheFirstFaultWhileAsked) {
  t.ans_first_only_i = 1;
  Reset();  // A reset also makes the next fault the first one.
  for (int round = 1; round <= 4; ++round) {
    Choose(true, true);
    for (unsigned id = 0; id < 8; ++id) Begin(Request::Draw(*this, id));
    for (unsigned id = 8; id-- > 0;) End(id, id < 2 ? Fault::kNone : static_cast<Fault>(4 + id), 0, false);
    Finish();
    EXPECT_EQ(logged_, static_cast<unsigned>(round)) << "one a round";
    Choose(false, false);
  }
}

TEST_P(Answer, OrderedIdsWaitForTheLowest) {
  for (int round = 0; round < 3; ++round) {
    Choose(true, false);
    for (unsigned turn = 0; turn < 3; ++turn) {
      for (unsigned id = 0; id < slots(); ++id) Begin(Request::Draw(*this, id));
      const unsigned before = answered_;
      for (unsigned id = slots(); id-- > 1;) EndRandom(id);
      Run(50);
      EXPECT_EQ(answered_, before);
      EndRandom(0);
      Finish();
      EXPECT_EQ(answered_, before + slots());
    }
    Choose(false, false);
  }
}

TEST_P(Answer, AWordACycle) {
  manner = {0, 0};
  for (unsigned id = 0; id < slots(); ++id) {
    Request request;
    request.id = id, request.va = 64 * id;
    Begin(request);
  }
  const uint64_t begin = now;
  for (unsigned id = 0; id < slots(); ++id) End(id, Fault::kNone, 0, false);
  while (!ended_.empty() && now - begin < 3000) Step();
  EXPECT_LE(now - begin, std::max(slots() * kLine / word_, slots()) + 8);
}

TEST_P(Answer, RandomAccesses) {
  for (int phase = 0; phase < 6; ++phase) {
    const bool ordered = phase % 2;
    Choose(ordered, false);
    fault_percent_ = phase < 2 ? 0 : 25;
    unsigned given = 0;
    std::vector<unsigned> running;
    for (int i = 0; i < 700; ++i) {
      const unsigned id = (ordered ? given : static_cast<unsigned>(rng())) % slots();
      if (flight_.count(id) == 0 && Chance(60)) {
        Begin(Request::Draw(*this, id), static_cast<int>(Random(1, 3)));
        running.push_back(id);
        ++given;
      } else if (!running.empty() && !Idle()) {
        const size_t pick = Random(0, running.size() - 1);
        EndRandom(running[pick]);
        running.erase(running.begin() + static_cast<long>(pick));
      } else {
        Step();
      }
    }
    for (unsigned id : running) EndRandom(id);
    Finish();
    EXPECT_TRUE(flight_.empty());
  }
  EXPECT_EQ(answered_, begun_);
  EXPECT_GT(answered_, 900u);
}

TEST_P(Answer, ResetForgetsThem) {
  Choose(true, false);
  for (unsigned id = 0; id < 6; ++id) Begin(Request::Draw(*this, id));
  manner = {0, 100};
  for (unsigned id = 0; id < 6; ++id) End(id, Fault::kNone, 0, false);
  Run(30);
  Reset();
  for (int i = 0; i < 20; ++i) {
    Settle();
    EXPECT_FALSE(t.ans_valid_o[n]);
    EXPECT_FALSE(t.ans_log_valid_o[n]);
    Edge();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Answer, SizesAndSeeds(2, 8));

}  // namespace
}  // namespace gmmu::client
