// SPDX-License-Identifier: Apache-2.0
// Models what surrounds the isolator: a core that is reset at any time, and memories that are not.
#pragma once

#include <deque>
#include <set>
#include <string>

#include "Vgmmu_isolator_bench.h"
#include "tb/rtl/block_test.h"
#include "tb/rtl/structs.h"

namespace gmmu::isolator {

constexpr unsigned kTimeout = 64;  // the bench's time-out
constexpr unsigned kIds = 32;
constexpr unsigned kGeneration = 15;  // index of the generation bit in memory-side ids

/// One port: a core that reads and writes at random with its own ids, and a memory behind it. Read data carries the
/// number of core resets so far, so an old response is detected. The memory reports every protocol violation.
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
  bool busy = true;  // the core starts new bursts
  unsigned life = 0;

  void Step() override {
    for (unsigned p = 0; p < 2; ++p) DriveCore(p), DriveMemory(p);
    Settle();
    if (t.idle_o) EXPECT_TRUE(Quiet() && !t.resetting_o) << "idle, cycle " << now;
    for (unsigned p = 0; p < 2; ++p) SampleMemory(p), SampleCore(p);
    if (t.core_reset_o && !in_reset_) {  // The reset core forgets its outstanding bursts.
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
  /// Waits until all bursts in progress are complete.
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
    return Pack(ax);
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
      t.w_i[p] = Pack(w);
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
      t.m_r_i[p] = Pack(r);
    }
    if (!q.b_valid && q.answer_writes && !q.written.empty() && !Stall()) q.b_valid = true;
    t.m_b_valid_i[p] = q.b_valid;
    if (q.b_valid) {
      GMMU_STRUCT(gmmu_isolator_bench, port_b_t) b{};
      b.id = q.written[0].id;
      t.m_b_i[p] = Pack(b);
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
    while (!q.writes.empty() && !beats_[p].empty()) {  // W may precede its AW.
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

}  // namespace gmmu::isolator
