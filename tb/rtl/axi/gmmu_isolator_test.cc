// SPDX-License-Identifier: Apache-2.0
// Tests the isolator between a core that is reset and memories that are not: every obligation to a memory is met, and
// no old answer reaches the core.
#include <deque>
#include <set>
#include <string>

#include "Vgmmu_isolator_bench.h"
#include "tb/rtl/block_test.h"
#include "tb/rtl/structs.h"

namespace gmmu {
namespace {

constexpr unsigned kTimeout = 64;  // the bench's time-out
constexpr unsigned kIds = 32;
constexpr unsigned kGeneration = 15;  // number of the generation's bit in memory-side ids

/// One port: a core that reads and writes at random with its own ids, and a memory behind it. Read data carries the
/// core's life number, so an old answer is detected. The memory reports every protocol violation.
struct Port {
  struct Burst {
    unsigned id = 0, len = 0, beat = 0, life = 0;
  };
  // The core.
  std::set<unsigned> reading, writing;
  std::deque<Burst> to_send;  // W beats to be sent, grouped by burst
  bool ar_valid = false, aw_valid = false, w_valid = false;
  Burst ar, aw;
  uint64_t answers = 0;
  // The memory.
  std::deque<Burst> reads, writes, written;
  std::set<unsigned> read_ids, write_ids;
  Standing<uint64_t> ar_stands{"AR"}, aw_stands{"AW"}, w_stands{"W"};
  bool answer_reads = true, answer_writes = true, take = true;
  bool r_valid = false, b_valid = false;
  uint64_t begun = 0, filled = 0;
};

class Bench : public BlockBench<Vgmmu_isolator_bench> {
 public:
  using PortAx = GMMU_STRUCT(gmmu_isolator_bench, port_ax_t);
  using W = GMMU_STRUCT(gmmu_isolator_bench, w_t);

  explicit Bench(uint64_t seed, unsigned stall = 0) : BlockBench(seed) {
    manner = {stall, stall};
    t.stopped_i = 1;
    Reset();
    for (int i = 0; i < 20 && t.core_reset_o != 0; ++i) BlockBench::Step();
    now = 0;
  }

  Port port[2];
  bool busy = true;  // the core begins new bursts
  unsigned life = 0;

  void Step() override {
    for (unsigned p = 0; p < 2; ++p) DriveCore(p), DriveMemory(p);
    Settle();
    for (unsigned p = 0; p < 2; ++p) SampleMemory(p), SampleCore(p);
    if (t.core_reset_o && !in_reset_) {  // The core's outstanding bursts are lost.
      ++life;
      for (auto& q : port) {
        q.reading.clear(), q.writing.clear(), q.to_send.clear();
        q.ar_valid = q.aw_valid = q.w_valid = false;
      }
    }
    in_reset_ = t.core_reset_o;
    Edge();
  }
  /// Requests a reset of the core.
  void ResetCore() {
    t.reset_i = 1;
    Step();
    t.reset_i = 0;
  }
  void UntilReset(unsigned bound = 5000) {
    Until([&] { return InReset(); }, "the core's reset", bound);
  }
  void UntilLife(unsigned wanted, unsigned bound = 5000) {
    Until([&] { return life == wanted && !InReset(); }, "the core's next life", bound);
  }
  /// Waits until everything that has begun has ended.
  void Finish() {
    busy = false;
    Until([&] { return t.idle_o != 0 && Quiet(); }, "the last answer", 5000);
  }
  bool InReset() const { return in_reset_; }
  bool Quiet() const {
    for (const auto& q : port) {
      if (!q.reads.empty() || !q.writes.empty() || !q.written.empty()) return false;
    }
    return true;
  }

 private:
  void Complain(unsigned p, const std::string& what) {
    ADD_FAILURE() << "port " << p << ", cycle " << now << ": " << what;
  }
  unsigned FreeId(const std::set<unsigned>& used) {
    for (unsigned id = 0; id < kIds; ++id) {
      if (used.count(id) == 0) return id;
    }
    return kIds;
  }

  static auto Address(const Port::Burst& b) {
    GMMU_STRUCT(gmmu_isolator_bench, edge_ax_t) ax{};
    ax.id = b.id, ax.len = b.len;
    return ax.get();
  }
  void DriveCore(unsigned p) {
    Port& q = port[p];
    if (!q.ar_valid && busy && !in_reset_ && !Stall() && FreeId(q.reading) < kIds) {
      q.ar = {FreeId(q.reading), static_cast<unsigned>(rng() % 4), 0, life};
      q.reading.insert(q.ar.id);
      q.ar_valid = true;
    }
    if (!q.aw_valid && busy && !in_reset_ && !Stall() && FreeId(q.writing) < kIds) {
      q.aw = {FreeId(q.writing), static_cast<unsigned>(rng() % 4), 0, life};
      q.writing.insert(q.aw.id);
      q.to_send.push_back(q.aw);
      q.aw_valid = true;
    }
    if (!q.w_valid && !q.to_send.empty() && !in_reset_ && !Stall()) q.w_valid = true;
    t.ar_valid_i[p] = q.ar_valid, t.ar_i[p] = Address(q.ar);
    t.aw_valid_i[p] = q.aw_valid, t.aw_i[p] = Address(q.aw);
    t.w_valid_i[p] = q.w_valid;
    if (q.w_valid) {
      const Port::Burst& b = q.to_send.front();
      W w{};
      w.data = life << 16 | b.id << 8 | b.beat, w.strb = 0xff, w.last = b.beat == b.len;
      t.w_i[p] = w.get();
    }
    t.r_ready_i[p] = !Stall(), t.b_ready_i[p] = !Stall();
  }
  void DriveMemory(unsigned p) {
    Port& q = port[p];
    t.m_ar_ready_i[p] = q.take && !Stall();
    t.m_aw_ready_i[p] = q.take && !Stall();
    t.m_w_ready_i[p] = q.take && !Stall();
    if (!q.r_valid && q.answer_reads && !q.reads.empty() && !Stall()) {
      q.r_valid = true;
      std::swap(q.reads[0], q.reads[rng() % q.reads.size()]);
    }
    t.m_r_valid_i[p] = q.r_valid;
    if (q.r_valid) {
      const Port::Burst& b = q.reads[0];
      GMMU_STRUCT(gmmu_isolator_bench, port_r_t) r{};
      r.id = b.id, r.data = b.life, r.last = b.beat == b.len;
      t.m_r_i[p] = r.get();
    }
    if (!q.b_valid && q.answer_writes && !q.written.empty() && !Stall()) q.b_valid = true;
    t.m_b_valid_i[p] = q.b_valid;
    if (q.b_valid) {
      GMMU_STRUCT(gmmu_isolator_bench, port_b_t) b{};
      b.id = q.written[0].id;
      t.m_b_i[p] = b.get();
    }
  }
  void SampleMemory(unsigned p) {
    Port& q = port[p];
    const auto ar = Unpack<PortAx>(t.m_ar_o[p]), aw = Unpack<PortAx>(t.m_aw_o[p]);
    const auto w = Unpack<W>(t.m_w_o[p]);
    q.ar_stands.Look(t.m_ar_valid_o[p], t.m_ar_ready_i[p], ar.id << 8 | ar.len);
    q.aw_stands.Look(t.m_aw_valid_o[p], t.m_aw_ready_i[p], aw.id << 8 | aw.len);
    q.w_stands.Look(t.m_w_valid_o[p], t.m_w_ready_i[p], w.data << 2 | (w.strb != 0) << 1 | w.last);
    if (q.r_valid && t.m_r_ready_o[p]) {
      q.r_valid = false;
      if (q.reads[0].beat++ == q.reads[0].len) q.read_ids.erase(q.reads[0].id), q.reads.pop_front();
    }
    if (q.b_valid && t.m_b_ready_o[p]) {
      q.b_valid = false;
      q.write_ids.erase(q.written[0].id), q.written.pop_front();
    }
    if (t.m_ar_valid_o[p] && t.m_ar_ready_i[p]) {
      if (!q.read_ids.insert(ar.id).second) Complain(p, "a read id is used twice");
      q.reads.push_back({ar.id, ar.len, 0, life});
      ++q.begun;
    }
    if (t.m_aw_valid_o[p] && t.m_aw_ready_i[p]) {
      if (!q.write_ids.insert(aw.id).second) Complain(p, "a write id is used twice");
      q.writes.push_back({aw.id, aw.len, 0, life});
      ++q.begun;
    }
    if (t.m_w_valid_o[p] && t.m_w_ready_i[p]) beats_[p].push_back({w.last != 0, w.strb != 0});
    while (!q.writes.empty() && !beats_[p].empty()) {  // W may come before its AW is accepted.
      Port::Burst& b = q.writes.front();
      if (beats_[p].front().first != (b.beat == b.len)) Complain(p, "wrong last");
      q.filled += !beats_[p].front().second;
      beats_[p].pop_front();
      if (b.beat++ == b.len) q.written.push_back(b), q.writes.pop_front();
    }
  }
  void SampleCore(unsigned p) {
    Port& q = port[p];
    if (t.ar_valid_i[p] && t.ar_ready_o[p]) q.ar_valid = false;
    if (t.aw_valid_i[p] && t.aw_ready_o[p]) q.aw_valid = false;
    if (t.w_valid_i[p] && t.w_ready_o[p]) {
      q.w_valid = false;
      if (q.to_send.front().beat++ == q.to_send.front().len) q.to_send.pop_front();
    }
    if (t.r_valid_o[p] && t.r_ready_i[p]) {
      const auto r = Unpack<GMMU_STRUCT(gmmu_isolator_bench, edge_r_t)>(t.r_o[p]);
      if (r.data != life || in_reset_) Complain(p, "the core got an answer of an older life");
      if (r.last && q.reading.erase(r.id) == 0) Complain(p, "the core got an R that it did not ask for");
      ++q.answers;
    }
    if (t.b_valid_o[p] && t.b_ready_i[p]) {
      const auto b = Unpack<GMMU_STRUCT(gmmu_isolator_bench, edge_b_t)>(t.b_o[p]);
      if (q.writing.erase(b.id) == 0) Complain(p, "the core got a B that it did not ask for");
      ++q.answers;
    }
  }

  bool in_reset_ = false;
  std::deque<std::pair<bool, bool>> beats_[2];
};

TEST(Isolator, PassesEverythingWithoutACycleWhileNobodyAsks) {
  for (unsigned stall : {0u, 40u}) {
    Bench bench(1, stall);
    bench.Run(2000);
    EXPECT_GT(bench.port[0].answers, 500u);
    EXPECT_GT(bench.port[1].answers, 500u);
    bench.Finish();
  }
  Bench bench(1);
  bench.busy = false;
  auto& t = bench.t;
  t.ar_valid_i[1] = 1;
  t.m_ar_ready_i[1] = 1;
  t.eval();
  EXPECT_TRUE(t.m_ar_valid_o[1] && t.ar_ready_o[1]);
}

TEST(Isolator, TheFirstGenerationAfterPowerOnIsZero) {
  Bench bench(8);
  for (int i = 0; i < 100; ++i) {
    bench.Step();
    for (unsigned p = 0; p < 2; ++p) {
      if (bench.t.m_ar_valid_o[p]) EXPECT_EQ(Unpack<Bench::PortAx>(bench.t.m_ar_o[p]).id >> kGeneration, 0);
      if (bench.t.m_aw_valid_o[p]) EXPECT_EQ(Unpack<Bench::PortAx>(bench.t.m_aw_o[p]).id >> kGeneration, 0);
    }
  }
}

TEST(Isolator, AResetLetsNothingNewBegin) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Bench bench(seed, 30);
    for (auto& q : bench.port) q.answer_reads = q.answer_writes = false;
    bench.Run(10);  // This is short enough to leave the core free ids.
    bench.ResetCore();
    bench.Until([&] { return bench.t.closed_o != 0; }, "both ports closed", 4);
    const uint64_t begun[2] = {bench.port[0].begun, bench.port[1].begun};
    bench.Run(kTimeout / 2);
    EXPECT_FALSE(bench.InReset());
    for (unsigned p = 0; p < 2; ++p) {  // The AR and the AW on the port when it closed may still be accepted.
      EXPECT_LE(bench.port[p].begun, begun[p] + 2) << "port " << p << ", seed " << seed;
    }
    for (auto& q : bench.port) q.answer_reads = q.answer_writes = true;
    bench.Finish();
  }
}

TEST(Isolator, AResetWaitsForAnswersThatComeInTime) {
  Bench bench(2);
  bench.Run(100);
  for (auto& q : bench.port) q.answer_reads = q.answer_writes = false;
  bench.Run(20);
  bench.ResetCore();
  bench.Run(kTimeout / 2);
  EXPECT_FALSE(bench.InReset()) << "the core was cut off from answers that are not late yet";
  for (auto& q : bench.port) q.answer_reads = q.answer_writes = true;
  bench.busy = false;
  bench.UntilReset(4 * kTimeout);
  for (auto& q : bench.port) EXPECT_TRUE(q.reading.empty()) << "reset before the last answer";
}

TEST(Isolator, TheMemoryPortsStayOpenUntilTheAccessesOfSoftwareHaveEnded) {
  for (unsigned delay : {1u, 2u, 7u, kTimeout / 2}) {
    Bench bench(delay);
    auto& t = bench.t;
    t.stopped_i = 0;
    bench.Run(50);
    EXPECT_FALSE(t.stop_o || t.resetting_o);
    bench.ResetCore();
    const uint64_t begun = bench.port[0].begun;
    for (unsigned i = 0; i < delay; ++i) {
      bench.Settle();
      EXPECT_TRUE(t.stop_o && t.resetting_o) << "from the cycle behind reset_i on";
      EXPECT_FALSE(t.closed_o || t.core_reset_o) << "cycle " << i << " of " << delay;
      bench.Step();
    }
    if (delay > 4) EXPECT_GT(bench.port[0].begun, begun);
    t.stopped_i = 1;
    bench.Until([&] { return t.closed_o != 0; }, "closed ports", 4);
    bench.UntilLife(1, 5 * kTimeout);
  }
}

TEST(Isolator, AccessesOfSoftwareThatDoNotEndHoldTheResetUpForTheTimeOut) {
  Bench bench(4);
  bench.t.stopped_i = 0;
  bench.Run(50);
  bench.ResetCore();
  bench.Run(kTimeout / 2);
  EXPECT_FALSE(bench.t.closed_o);
  bench.UntilReset(kTimeout + 20);
  EXPECT_TRUE(bench.t.stop_o);
  bench.UntilLife(1, 200);
}

TEST(Isolator, SoftwareGoesOnOneCycleBehindTheCoresReset) {
  Bench bench(6);
  auto& t = bench.t;
  bench.Run(50);
  bench.ResetCore();
  bench.busy = false;
  bench.UntilReset(5 * kTimeout);
  bool reset_before = true;  // core_reset_o of the previous cycle: the reset of blocks behind a gmmu_reset
  for (unsigned i = 0; i < 100; ++i) {
    bench.Settle();
    EXPECT_EQ(t.stop_o, t.core_reset_o || reset_before) << "cycle " << i;
    EXPECT_EQ(t.resetting_o, t.stop_o);
    reset_before = t.core_reset_o;
    bench.Step();
  }
  EXPECT_FALSE(t.stop_o);
}

TEST(Isolator, AResetEndsAlthoughAnswersAreMissing) {
  Bench bench(3);
  for (auto& q : bench.port) q.answer_reads = q.answer_writes = false;
  bench.Run(100);
  bench.ResetCore();
  bench.UntilReset(kTimeout + 20);
  bench.UntilLife(1, 200);
}

TEST(Isolator, AnswersOfTheOldGenerationNeverReachTheCore) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Bench bench(seed, seed % 3 * 30);
    bench.Run(60);
    for (auto& q : bench.port) q.answer_reads = q.answer_writes = false;
    bench.Run(100);
    bench.ResetCore();
    bench.UntilLife(1);
    bench.Run(50);  // After the reset, bursts reuse the ids of old ones.
    for (auto& q : bench.port) q.answer_reads = q.answer_writes = true;
    bench.Run(1000);
    EXPECT_GT(bench.port[0].answers, 100u);
    bench.Finish();
  }
}

TEST(Isolator, AGenerationIsNotUsedAgainWhileAnswersOfItAreMissing) {
  Bench bench(5);
  for (auto& q : bench.port) q.answer_reads = q.answer_writes = false;
  bench.Run(100);
  bench.ResetCore();
  bench.UntilLife(1);
  bench.Run(100);
  bench.ResetCore();
  bench.UntilReset();
  bench.Run(500);
  EXPECT_TRUE(bench.InReset()) << "both generations have answers to come";
  for (auto& q : bench.port) q.answer_reads = q.answer_writes = true;
  bench.UntilLife(2);
  bench.Run(500);
}

TEST(Isolator, EveryPromiseIsKeptWhateverTheMomentOfTheReset) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Bench bench(seed, seed % 4 * 25);
    bench.Run(20 + seed);
    if (seed % 2 == 0) {  // This memory accepts nothing for longer than the time-out.
      for (auto& q : bench.port) q.take = false;
      bench.Run(seed % 7);
    }
    if (seed % 3 == 0) {
      for (auto& q : bench.port) q.answer_writes = false;
    }
    bench.ResetCore();
    bench.Run(2 * kTimeout);
    for (auto& q : bench.port) q.take = q.answer_writes = true;
    bench.UntilLife(1);
    bench.Run(300);
    bench.Finish();
    if (::testing::Test::HasFailure()) break;
  }
}

TEST(Isolator, SilenceClosesTheHostPortOnly) {
  Bench bench(7, 20);
  bench.Run(100);
  bench.t.silence_i = 1;
  bench.Until([&] { return bench.t.silent_o != 0; }, "silence", 5000);
  EXPECT_TRUE(bench.port[1].reads.empty() && bench.port[1].written.empty());
  const uint64_t host = bench.port[1].begun, vram = bench.port[0].begun;
  bench.Run(500);
  EXPECT_EQ(bench.port[1].begun, host);
  EXPECT_GT(bench.port[0].begun, vram);
  bench.t.silence_i = 0;
  bench.Run(500);
  EXPECT_GT(bench.port[1].begun, host);
}

}  // namespace
}  // namespace gmmu
