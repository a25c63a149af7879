// SPDX-License-Identifier: Apache-2.0
// The isolator between a core that is reset and memories that are not: nothing promised to a memory
// is broken, nothing old reaches the core.
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>

#include "Vgmmu_isolator_bench.h"
#include "tb/rtl/coverage.h"
#include "verilated.h"

namespace gmmu {
namespace {

constexpr unsigned kTimeout = 64;  // of the bench
constexpr unsigned kIds = 32;

/// One port: a core that reads and writes at random with ids of its own, a memory behind it. Data
/// of a read names the core's life, so an old answer shows. The memory complains of every broken
/// promise.
struct Port {
  struct Burst {
    unsigned id = 0, len = 0, beat = 0, life = 0;
  };
  struct Offer {
    bool valid = false;
    uint64_t payload = 0;
  };
  // core
  std::set<unsigned> reading, writing;
  std::deque<Burst> to_send;   // W beats to come, by burst
  bool ar_valid = false, aw_valid = false, w_valid = false;
  Burst ar, aw;
  uint64_t answers = 0;
  // memory
  std::deque<Burst> reads, writes, written;
  std::set<unsigned> read_ids, write_ids;
  Offer last_ar, last_aw, last_w;
  bool answer_reads = true, answer_writes = true, take = true;
  bool r_valid = false, b_valid = false;
  uint64_t begun = 0, filled = 0;
};

class Bench {
 public:
  explicit Bench(uint64_t seed, unsigned stall = 0)
      : random(seed), stall_(stall), top_(std::make_unique<Vgmmu_isolator_bench>(&context_)) {
    top_->rst_i = 1;
    for (int i = 0; i < 3; ++i) Edge();
    top_->rst_i = 0;
    for (int i = 0; i < 20 && top_->core_reset_o != 0; ++i) Edge();
  }
  ~Bench() { top_->final(); }

  Port port[2];
  bool busy = true;  // the core begins new bursts
  unsigned life = 0;
  std::vector<std::string> errors;
  std::mt19937_64 random;
  Vgmmu_isolator_bench& top() { return *top_; }

  void Tick() {
    auto& t = *top_;
    for (unsigned p = 0; p < 2; ++p) DriveCore(p), DriveMemory(p);
    t.clk_i = 0;
    t.eval();
    for (unsigned p = 0; p < 2; ++p) SampleMemory(p), SampleCore(p);
    if (t.core_reset_o && !in_reset_) {  // what the core had is gone
      ++life;
      for (auto& q : port) {
        q.reading.clear(), q.writing.clear(), q.to_send.clear();
        q.ar_valid = q.aw_valid = q.w_valid = false;
      }
    }
    in_reset_ = t.core_reset_o;
    Edge();
    ++cycle;
  }
  void Run(unsigned cycles) {
    for (unsigned i = 0; i < cycles; ++i) Tick();
  }
  bool Until(const std::function<bool()>& condition, unsigned bound = 5000) {
    for (unsigned i = 0; i < bound; ++i) {
      if (condition()) return true;
      Tick();
    }
    return false;
  }
  void Reset() {
    top_->reset_i = 1;
    Tick();
    top_->reset_i = 0;
  }
  bool InReset() const { return in_reset_; }
  bool Quiet() const {
    for (const auto& q : port) {
      if (!q.reads.empty() || !q.writes.empty() || !q.written.empty()) return false;
    }
    return true;
  }
  uint64_t cycle = 0;

 private:
  bool Stall() { return random() % 100 < stall_; }
  void Complain(unsigned p, const std::string& what) {
    if (errors.size() < 10)
      errors.push_back("port " + std::to_string(p) + ", cycle " + std::to_string(cycle) + ": " + what);
  }
  unsigned FreeId(const std::set<unsigned>& used) {
    for (unsigned id = 0; id < kIds; ++id) {
      if (used.count(id) == 0) return id;
    }
    return kIds;
  }

  void DriveCore(unsigned p) {
    auto& t = *top_;
    Port& q = port[p];
    if (!q.ar_valid && busy && !in_reset_ && !Stall() && FreeId(q.reading) < kIds) {
      q.ar = {FreeId(q.reading), static_cast<unsigned>(random() % 4), 0, life};
      q.reading.insert(q.ar.id);
      q.ar_valid = true;
    }
    if (!q.aw_valid && busy && !in_reset_ && !Stall() && FreeId(q.writing) < kIds) {
      q.aw = {FreeId(q.writing), static_cast<unsigned>(random() % 4), 0, life};
      q.writing.insert(q.aw.id);
      q.to_send.push_back(q.aw);
      q.aw_valid = true;
    }
    if (!q.w_valid && !q.to_send.empty() && !in_reset_ && !Stall()) q.w_valid = true;
    t.ar_valid_i[p] = q.ar_valid, t.ar_id_i[p] = q.ar.id, t.ar_len_i[p] = q.ar.len;
    t.aw_valid_i[p] = q.aw_valid, t.aw_id_i[p] = q.aw.id, t.aw_len_i[p] = q.aw.len;
    t.w_valid_i[p] = q.w_valid;
    if (q.w_valid) {
      const Port::Burst& b = q.to_send.front();
      t.w_data_i[p] = life << 16 | b.id << 8 | b.beat, t.w_last_i[p] = b.beat == b.len;
    }
    t.r_ready_i[p] = !Stall(), t.b_ready_i[p] = !Stall();
  }
  void DriveMemory(unsigned p) {
    auto& t = *top_;
    Port& q = port[p];
    t.m_ar_ready_i[p] = q.take && !Stall();
    t.m_aw_ready_i[p] = q.take && !Stall();
    t.m_w_ready_i[p] = q.take && !Stall();
    if (!q.r_valid && q.answer_reads && !q.reads.empty() && !Stall()) {
      q.r_valid = true;
      std::swap(q.reads[0], q.reads[random() % q.reads.size()]);
    }
    t.m_r_valid_i[p] = q.r_valid;
    if (q.r_valid) {
      const Port::Burst& b = q.reads[0];
      t.m_r_id_i[p] = b.id, t.m_r_data_i[p] = b.life, t.m_r_last_i[p] = b.beat == b.len;
    }
    if (!q.b_valid && q.answer_writes && !q.written.empty() && !Stall()) q.b_valid = true;
    t.m_b_valid_i[p] = q.b_valid;
    if (q.b_valid) t.m_b_id_i[p] = q.written[0].id;
  }
  /// An offer that was not taken stands unchanged.
  void Stands(unsigned p, Port::Offer& last, const char* name, bool valid, bool ready,
              uint64_t payload) {
    if (last.valid && !valid) Complain(p, std::string(name) + " was withdrawn");
    if (last.valid && valid && payload != last.payload)
      Complain(p, std::string(name) + " changed while it stood");
    last = {valid && !ready, payload};
  }
  void SampleMemory(unsigned p) {
    auto& t = *top_;
    Port& q = port[p];
    Stands(p, q.last_ar, "AR", t.m_ar_valid_o[p], t.m_ar_ready_i[p],
           t.m_ar_id_o[p] << 8 | t.m_ar_len_o[p]);
    Stands(p, q.last_aw, "AW", t.m_aw_valid_o[p], t.m_aw_ready_i[p],
           t.m_aw_id_o[p] << 8 | t.m_aw_len_o[p]);
    Stands(p, q.last_w, "W", t.m_w_valid_o[p], t.m_w_ready_i[p],
           t.m_w_data_o[p] << 2 | t.m_w_strb_o[p] << 1 | t.m_w_last_o[p]);
    if (q.r_valid && t.m_r_ready_o[p]) {
      q.r_valid = false;
      if (q.reads[0].beat++ == q.reads[0].len) q.read_ids.erase(q.reads[0].id), q.reads.pop_front();
    }
    if (q.b_valid && t.m_b_ready_o[p]) {
      q.b_valid = false;
      q.write_ids.erase(q.written[0].id), q.written.pop_front();
    }
    if (t.m_ar_valid_o[p] && t.m_ar_ready_i[p]) {
      if (!q.read_ids.insert(t.m_ar_id_o[p]).second) Complain(p, "a read id is used twice");
      q.reads.push_back({t.m_ar_id_o[p], t.m_ar_len_o[p], 0, life});
      ++q.begun;
    }
    if (t.m_aw_valid_o[p] && t.m_aw_ready_i[p]) {
      if (!q.write_ids.insert(t.m_aw_id_o[p]).second) Complain(p, "a write id is used twice");
      q.writes.push_back({t.m_aw_id_o[p], t.m_aw_len_o[p], 0, life});
      ++q.begun;
    }
    if (t.m_w_valid_o[p] && t.m_w_ready_i[p]) beats_[p].push_back({t.m_w_last_o[p] != 0, t.m_w_strb_o[p] != 0});
    while (!q.writes.empty() && !beats_[p].empty()) {  // W may come before its AW is taken
      Port::Burst& b = q.writes.front();
      if (beats_[p].front().first != (b.beat == b.len)) Complain(p, "wrong last");
      q.filled += !beats_[p].front().second;
      beats_[p].pop_front();
      if (b.beat++ == b.len) q.written.push_back(b), q.writes.pop_front();
    }
  }
  void SampleCore(unsigned p) {
    auto& t = *top_;
    Port& q = port[p];
    if (t.ar_valid_i[p] && t.ar_ready_o[p]) q.ar_valid = false;
    if (t.aw_valid_i[p] && t.aw_ready_o[p]) q.aw_valid = false;
    if (t.w_valid_i[p] && t.w_ready_o[p]) {
      q.w_valid = false;
      if (q.to_send.front().beat++ == q.to_send.front().len) q.to_send.pop_front();
    }
    if (t.r_valid_o[p] && t.r_ready_i[p]) {
      if (t.r_data_o[p] != life || in_reset_) Complain(p, "the core got an answer of an older life");
      if (t.r_last_o[p] && q.reading.erase(t.m_r_id_i[p] & 0xff) == 0)
        Complain(p, "the core got an R that it did not ask for");
      ++q.answers;
    }
    if (t.b_valid_o[p] && t.b_ready_i[p]) {
      if (q.writing.erase(t.b_id_o[p]) == 0) Complain(p, "the core got a B that it did not ask for");
      ++q.answers;
    }
  }
  void Edge() {
    top_->clk_i = 0;
    top_->eval();
    top_->clk_i = 1;
    top_->eval();
  }

  const unsigned stall_;
  VerilatedContext context_;
  std::unique_ptr<Vgmmu_isolator_bench> top_;
  Coverage coverage_{context_};
  bool in_reset_ = false;
  std::deque<std::pair<bool, bool>> beats_[2];
};

void ExpectNoComplaint(const Bench& bench) {
  for (const auto& error : bench.errors) ADD_FAILURE() << error;
}

TEST(Isolator, PassesEverythingWithoutACycleWhileNobodyAsks) {
  for (unsigned stall : {0u, 40u}) {
    Bench bench(1, stall);
    bench.Run(2000);
    EXPECT_GT(bench.port[0].answers, 500u);
    EXPECT_GT(bench.port[1].answers, 500u);
    bench.busy = false;
    EXPECT_TRUE(bench.Until([&] { return bench.top().idle_o != 0 && bench.Quiet(); }));
    ExpectNoComplaint(bench);
  }
  Bench bench(1);
  bench.busy = false;
  auto& t = bench.top();
  t.ar_valid_i[1] = 1;
  t.m_ar_ready_i[1] = 1;
  t.eval();
  EXPECT_TRUE(t.m_ar_valid_o[1] && t.ar_ready_o[1]);
}

TEST(Isolator, AResetLetsNothingNewBegin) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    Bench bench(seed, 30);
    for (auto& q : bench.port) q.answer_reads = q.answer_writes = false;
    bench.Run(10);  // few enough that the core has ids left
    bench.Reset();
    const uint64_t begun[2] = {bench.port[0].begun, bench.port[1].begun};
    bench.Run(kTimeout / 2);
    EXPECT_FALSE(bench.InReset());
    for (unsigned p = 0; p < 2; ++p) {  // an AR and an AW that stood may still be taken
      EXPECT_LE(bench.port[p].begun, begun[p] + 2) << "port " << p << ", seed " << seed;
    }
    for (auto& q : bench.port) q.answer_reads = q.answer_writes = true;
    bench.busy = false;
    EXPECT_TRUE(bench.Until([&] { return bench.top().idle_o != 0 && bench.Quiet(); }));
    ExpectNoComplaint(bench);
  }
}

TEST(Isolator, AResetWaitsForAnswersThatComeInTime) {
  Bench bench(2);
  bench.Run(100);
  for (auto& q : bench.port) q.answer_reads = q.answer_writes = false;
  bench.Run(20);
  bench.Reset();
  bench.Run(kTimeout / 2);
  EXPECT_FALSE(bench.InReset()) << "the core was cut off from answers that are not late yet";
  for (auto& q : bench.port) q.answer_reads = q.answer_writes = true;
  bench.busy = false;
  EXPECT_TRUE(bench.Until([&] { return bench.InReset(); }, 4 * kTimeout));
  for (auto& q : bench.port) EXPECT_TRUE(q.reading.empty()) << "reset before the last answer";
  ExpectNoComplaint(bench);
}

TEST(Isolator, AResetEndsAlthoughAnswersAreMissing) {
  Bench bench(3);
  for (auto& q : bench.port) q.answer_reads = q.answer_writes = false;
  bench.Run(100);
  bench.Reset();
  EXPECT_TRUE(bench.Until([&] { return bench.InReset(); }, kTimeout + 20)) << "no time-out";
  EXPECT_TRUE(bench.Until([&] { return !bench.InReset(); }, 200)) << "the reset has no end";
  ExpectNoComplaint(bench);
}

TEST(Isolator, AnswersOfTheOldGenerationNeverReachTheCore) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    Bench bench(seed, seed % 3 * 30);
    bench.Run(60);
    for (auto& q : bench.port) q.answer_reads = q.answer_writes = false;
    bench.Run(100);
    bench.Reset();
    ASSERT_TRUE(bench.Until([&] { return bench.life == 1 && !bench.InReset(); })) << "seed " << seed;
    bench.Run(50);  // the new life's bursts have the old one's ids
    for (auto& q : bench.port) q.answer_reads = q.answer_writes = true;
    bench.Run(1000);
    EXPECT_GT(bench.port[0].answers, 100u);
    bench.busy = false;
    EXPECT_TRUE(bench.Until([&] { return bench.top().idle_o != 0 && bench.Quiet(); })) << "seed " << seed;
    ExpectNoComplaint(bench);
  }
}

TEST(Isolator, AGenerationIsNotUsedAgainWhileAnswersOfItAreMissing) {
  Bench bench(5);
  for (auto& q : bench.port) q.answer_reads = q.answer_writes = false;
  bench.Run(100);
  bench.Reset();
  ASSERT_TRUE(bench.Until([&] { return bench.life == 1 && !bench.InReset(); }));
  bench.Run(100);
  bench.Reset();
  ASSERT_TRUE(bench.Until([&] { return bench.life == 2; }));
  bench.Run(500);
  EXPECT_TRUE(bench.InReset()) << "both generations have answers to come";
  for (auto& q : bench.port) q.answer_reads = q.answer_writes = true;
  EXPECT_TRUE(bench.Until([&] { return !bench.InReset(); }));
  bench.Run(500);
  ExpectNoComplaint(bench);
}

TEST(Isolator, EveryPromiseIsKeptWhateverTheMomentOfTheReset) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Bench bench(seed, seed % 4 * 25);
    bench.Run(20 + seed);
    if (seed % 2 == 0) {  // a memory that takes nothing for longer than the time-out
      for (auto& q : bench.port) q.take = false;
      bench.Run(seed % 7);
    }
    if (seed % 3 == 0) {
      for (auto& q : bench.port) q.answer_writes = false;
    }
    bench.Reset();
    bench.Run(2 * kTimeout);
    for (auto& q : bench.port) q.take = q.answer_writes = true;
    ASSERT_TRUE(bench.Until([&] { return bench.life == 1 && !bench.InReset(); })) << "seed " << seed;
    bench.Run(300);
    bench.busy = false;
    EXPECT_TRUE(bench.Until([&] { return bench.top().idle_o != 0 && bench.Quiet(); })) << "seed " << seed;
    if (::testing::Test::HasFailure()) break;
    ExpectNoComplaint(bench);
  }
}

TEST(Isolator, SilenceClosesTheHostPortOnly) {
  Bench bench(7, 20);
  bench.Run(100);
  bench.top().silence_i = 1;
  ASSERT_TRUE(bench.Until([&] { return bench.top().silent_o != 0; }));
  EXPECT_TRUE(bench.port[1].reads.empty() && bench.port[1].written.empty());
  const uint64_t host = bench.port[1].begun, vram = bench.port[0].begun;
  bench.Run(500);
  EXPECT_EQ(bench.port[1].begun, host);
  EXPECT_GT(bench.port[0].begun, vram);
  bench.top().silence_i = 0;
  bench.Run(500);
  EXPECT_GT(bench.port[1].begun, host);
  ExpectNoComplaint(bench);
}

}  // namespace
}  // namespace gmmu
