// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_isolator_port between a core that is cut off at any time and a memory that checks
// every obligation: what passes, what is held back, which bursts the port completes without the
// core, which responses it drops, and the state that it reports.
#include <array>
#include <deque>

#include "Vgmmu_isolator_port_bench.h"
#include "tb/rtl/block_test.h"
#include "tb/rtl/structs.h"

namespace gmmu::port {
namespace {

enum { kRead, kWrite };

class IsolatorPortTest : public BlockTest<BlockBench<Vgmmu_isolator_port_bench>> {
 protected:
  using Ax = GMMU_STRUCT(gmmu_isolator_port_bench, edge_ax_t);
  using PortAx = GMMU_STRUCT(gmmu_isolator_port_bench, port_ax_t);
  using W = GMMU_STRUCT(gmmu_isolator_port_bench, w_t);
  using PortR = GMMU_STRUCT(gmmu_isolator_port_bench, port_r_t);
  using PortB = GMMU_STRUCT(gmmu_isolator_port_bench, port_b_t);
  static constexpr unsigned kGeneration = 15;  // index of the generation bit in memory-side ids
  static constexpr unsigned kSlvErr = 2;

  struct Address {
    unsigned id = 0, len = 0, user = 0, generation = 0;
    uint64_t addr = 0;
    bool operator==(const Address& o) const {
      return id == o.id && len == o.len && user == o.user && addr == o.addr && generation == o.generation;
    }
  };
  struct Beat {
    uint64_t data = 0;
    unsigned strb = 0;
    bool last = false;
    bool operator==(const Beat& o) const { return data == o.data && strb == o.strb && last == o.last; }
  };
  struct Burst {
    unsigned generation, len, beat;
  };

  IsolatorPortTest() {
    t.small_i = n;
    Reset();
  }

  const unsigned depth = n ? 1 : 32;  ///< maximum number of bursts that owe W beats
  // Knobs.
  unsigned idle_ = 0, stall_ = 0;
  bool answers_ = true, begins_ = true;
  // Control inputs, sequenced as gmmu_isolator does: close, then cut while closed; the generation
  // changes during the cut.
  bool close_ = false, cut_ = false;
  unsigned generation_ = 0;
  // The core.
  std::array<bool, 2> offers_{};
  std::array<Address, 2> ax_;
  std::deque<Burst> to_send_;
  bool w_offers_ = false;
  Beat w_;
  bool core_dead_ = false;  ///< the core is in reset, one cycle after the cut
  // The port's obligations.
  std::array<bool, 2> stands_{};  ///< the previous cycle's address offer was not accepted
  std::array<Address, 2> stood_;
  std::deque<Burst> owed_;  ///< bursts that have started and still owe W beats
  bool w_stands_ = false;
  Beat w_stood_;
  std::array<std::array<unsigned, 2>, 2> unanswered_{};  ///< outstanding bursts, by direction and generation
  std::array<unsigned, 2> silent_{};                     ///< cycles without an outstanding burst, by generation
  // The memory.
  std::deque<Burst> reads_, writes_;  ///< accepted bursts that need a response; write data comes in order
  unsigned complete_ = 0;             ///< number of bursts at the head of writes_ that have all their data
  std::deque<bool> lasts_;            ///< LAST of beats that came before their AW was accepted
  bool r_offers_ = false, b_offers_ = false;
  PortR r_{};  ///< the offered responses, without their generations
  PortB b_{};
  unsigned r_generation_ = 0, b_generation_ = 0;
  bool late_ = false;
  unsigned begun_ = 0, finished_ = 0, filled_ = 0, dropped_ = 0, passed_ = 0, held_ = 0, full_ = 0, kept_beats_ = 0;
  unsigned waited_ = 0;

  Address SomeAddress() {
    const unsigned len = Chance(50) ? 0 : Chance(10) ? Random(256) : Random(8);
    return {Random(1 << 15), len, static_cast<unsigned>(rng() & 0xfffffff), 0, rng() & 0xffffffffffff};
  }
  void DriveCore() {
    for (unsigned d = 0; d < 2; ++d) {
      if (!offers_[d] && !core_dead_ && begins_ && !Chance(idle_) && InFlight() < (n ? 6u : 200u)) {
        ax_[d] = SomeAddress();
        offers_[d] = true;
        if (d == kWrite) to_send_.push_back({0, ax_[d].len, 0});
      }
      t.ax_valid_i[d] = offers_[d];
      const Address shown = offers_[d] ? ax_[d] : SomeAddress();
      Ax ax{};
      ax.id = static_cast<uint16_t>(shown.id), ax.len = static_cast<uint8_t>(shown.len);
      ax.user.set(shown.user), ax.addr = shown.addr;
      t.ax_i[d] = Pack(ax);
      t.m_ax_ready_i[d] = !Chance(stall_);
    }
    if (!w_offers_ && !to_send_.empty() && !Chance(idle_)) {
      w_offers_ = true;
      w_ = {rng(), Random(256) | 1, to_send_.front().beat == to_send_.front().len};
    }
    t.w_valid_i = w_offers_;
    const Beat shown = w_offers_ ? w_ : Beat{rng(), Random(256), Random(2) != 0};
    W w{};
    w.data = shown.data, w.strb = static_cast<uint8_t>(shown.strb), w.last = shown.last;
    t.w_i = Pack(w);
    t.m_w_ready_i = !Chance(stall_);
    t.r_ready_i = !Chance(stall_), t.b_ready_i = !Chance(stall_);
  }
  template <typename Response>
  static auto OfGeneration(Response response, unsigned generation) {
    response.id |= static_cast<uint16_t>(generation << kGeneration);
    return Pack(response);
  }
  void DriveMemory() {
    if (!r_offers_ && answers_ && !reads_.empty() && !Chance(idle_)) {
      r_offers_ = true;
      std::swap(reads_[0], reads_[Random(static_cast<unsigned>(reads_.size()))]);
      r_.id = static_cast<uint16_t>(Random(1 << 15)), r_.data = rng(), r_.resp = Chance(10) ? kSlvErr : 0;
    }
    t.m_r_valid_i = r_offers_;
    r_generation_ = reads_.empty() ? Random(2) : reads_[0].generation;
    r_.last = r_offers_ && reads_[0].beat == reads_[0].len;
    t.m_r_i = OfGeneration(r_, r_generation_);
    if (!b_offers_ && answers_ && complete_ > 0 && !Chance(idle_)) {
      b_offers_ = true;
      b_.id = static_cast<uint16_t>(Random(1 << 15)), b_.resp = Chance(10) ? kSlvErr : 0;
    }
    t.m_b_valid_i = b_offers_;
    b_generation_ = writes_.empty() ? Random(2) : writes_[0].generation;
    t.m_b_i = OfGeneration(b_, b_generation_);
  }
  unsigned InFlight() const {
    unsigned sum = 0;
    for (const auto& d : unanswered_) sum += d[0] + d[1];
    return sum;
  }

  /// Returns the address that is offered to the memory.
  Address Offered(unsigned d) const {
    const auto ax = Unpack<PortAx>(t.m_ax_o[n][d]);
    return {ax.id & 0x7fffu, ax.len, ax.user.get(), unsigned{ax.id} >> kGeneration, ax.addr};
  }
  Beat OfferedBeat() const {
    const auto w = Unpack<W>(t.m_w_o[n]);
    return {w.data, w.strb, w.last != 0};
  }
  void CheckAddress(unsigned d) {
    const bool valid = t.m_ax_valid_o[n][d], ready = t.ax_ready_o[n][d];
    const Address got = Offered(d);
    const bool room = d == kRead || owed_.size() < depth;
    const bool may_begin = offers_[d] && !close_ && !cut_ && room;
    if (offers_[d] && !cut_ && !close_ && !room) ++full_;
    held_ += offers_[d] && close_ && !stands_[d];
    ASSERT_EQ(valid, stands_[d] || may_begin) << (d ? "AW" : "AR") << " cycle " << now;
    if (offers_[d]) ASSERT_EQ(ready, valid && !cut_ && t.m_ax_ready_i[d]) << (d ? "AW" : "AR") << " cycle " << now;
    if (stands_[d]) ASSERT_EQ(got, stood_[d]) << (d ? "AW" : "AR") << " changed, cycle " << now;
    if (!valid) return;
    if (!stands_[d]) {
      Address want = ax_[d];
      want.generation = generation_;
      ASSERT_EQ(got, want);
    }
  }
  void CheckData() {
    const bool valid = t.m_w_valid_o[n] != 0;
    const Beat got = OfferedBeat();
    if (owed_.empty()) ASSERT_FALSE(valid) << "a W beat before its AW";
    if (w_stands_) {
      ASSERT_TRUE(valid) << "cycle " << now;
      ASSERT_EQ(got, w_stood_) << "W changed, cycle " << now;
    } else if (valid && cut_) {
      ASSERT_EQ(got.strb, 0u) << "cycle " << now;
      ++filled_;
    } else if (valid) {
      ASSERT_EQ(got, w_);
    }
    if (!cut_) ASSERT_EQ(valid, w_offers_ && !owed_.empty());
    if (valid) ASSERT_EQ(got.last, owed_[0].beat == owed_[0].len) << "cycle " << now;
    if (w_offers_) ASSERT_EQ(t.w_ready_o[n] != 0, !cut_ && valid && t.m_w_ready_i);
    if (cut_ && !valid && !owed_.empty()) {
      ASSERT_LT(++waited_, 3u) << "data that are owed do not come";
    } else {
      waited_ = 0;
    }
    kept_beats_ += cut_ && w_stands_ && got.strb != 0;
  }
  void CheckAnswers() {
    const bool r_ours = !cut_ && r_generation_ == generation_, b_ours = !cut_ && b_generation_ == generation_;
    ASSERT_EQ(t.r_valid_o[n] != 0, r_offers_ && r_ours);
    ASSERT_EQ(t.b_valid_o[n] != 0, b_offers_ && b_ours);
    // AXI4 A3.2.1: ready must not depend on the beat's contents, so it is the same for every generation.
    ASSERT_EQ(t.m_r_ready_o[n] != 0, cut_ || t.r_ready_i);
    ASSERT_EQ(t.m_b_ready_o[n] != 0, cut_ || t.b_ready_i);
    if (r_offers_ && r_ours) {
      const auto r = Unpack<GMMU_STRUCT(gmmu_isolator_port_bench, edge_r_t)>(t.r_o[n]);
      ASSERT_EQ(r.data, r_.data);
      ASSERT_EQ(r.id, r_.id);
      ASSERT_EQ(r.error, r_.resp != 0);
      ASSERT_EQ(r.last, r_.last);
    }
    if (b_offers_ && b_ours) {
      const auto b = Unpack<GMMU_STRUCT(gmmu_isolator_port_bench, edge_b_t)>(t.b_o[n]);
      ASSERT_EQ(b.id, b_.id);
      ASSERT_EQ(b.error, b_.resp != 0);
    }
    ASSERT_EQ(t.late_o[n] != 0, late_) << "cycle " << now;
    late_ = false;
  }

  void Step() override {
    if (HasFatalFailure()) return;
    t.close_i = close_, t.cut_i = cut_, t.generation_i = generation_;
    DriveCore();
    DriveMemory();
    Settle();
    // Check the reported state.
    ASSERT_EQ(t.owing_o[n] != 0, stands_[0] || stands_[1] || !owed_.empty()) << "cycle " << now;
    for (unsigned g = 0; g < 2; ++g) {
      const bool open = unanswered_[kRead][g] + unanswered_[kWrite][g] != 0;
      silent_[g] = open ? 0 : silent_[g] + 1;
      if (open) ASSERT_TRUE(t.busy_o[n] >> g & 1) << "generation " << g << " cycle " << now;
      if (silent_[g] > 3) ASSERT_FALSE(t.busy_o[n] >> g & 1) << "generation " << g << " cycle " << now;
    }
    for (unsigned d = 0; d < 2 && !HasFatalFailure(); ++d) CheckAddress(d);
    if (HasFatalFailure()) return;
    CheckData();
    if (HasFatalFailure()) return;
    CheckAnswers();
    if (HasFatalFailure()) return;

    // Handle the handshakes of this cycle.
    const bool w_taken = t.m_w_valid_o[n] && t.m_w_ready_i;
    w_stands_ = t.m_w_valid_o[n] && !w_taken;
    w_stood_ = OfferedBeat();
    if (w_taken) {
      lasts_.push_back(w_stood_.last);
      if (owed_[0].beat++ == owed_[0].len) owed_.pop_front();
      if (!cut_) {
        w_offers_ = false;
        if (to_send_[0].beat++ == to_send_[0].len) to_send_.pop_front();
      }
    }
    for (unsigned d = 0; d < 2; ++d) {
      const bool valid = t.m_ax_valid_o[n][d];
      const Address got = Offered(d);
      if (valid && !stands_[d]) {
        ++begun_;
        ++unanswered_[d][got.generation];
        if (d == kWrite) owed_.push_back({got.generation, got.len, 0});
      }
      const bool taken = valid && t.m_ax_ready_i[d];
      if (taken) {
        (d == kRead ? reads_ : writes_).push_back({got.generation, got.len, 0});
        finished_ += cut_;
        if (!cut_) offers_[d] = false;
      }
      stands_[d] = valid && !taken;
      stood_[d] = got;
    }
    const bool r_taken = r_offers_ && t.m_r_ready_o[n], b_taken = b_offers_ && t.m_b_ready_o[n];
    if (r_taken) {
      r_offers_ = false;
      const bool ours = t.r_valid_o[n] != 0;
      if (reads_[0].beat++ == reads_[0].len) {
        --unanswered_[kRead][reads_[0].generation];
        late_ |= !ours;
        ++(ours ? passed_ : dropped_);
        reads_.pop_front();
      }
    }
    if (b_taken) {
      b_offers_ = false;
      const bool ours = t.b_valid_o[n] != 0;
      --unanswered_[kWrite][writes_[0].generation];
      late_ |= !ours;
      ++(ours ? passed_ : dropped_);
      writes_.pop_front();
      --complete_;
    }
    // W beats carry no id: assign them to the writes in the order of AW.
    while (complete_ < writes_.size() && !lasts_.empty()) {
      Burst& burst = writes_[complete_];
      if (burst.beat++ == burst.len) ++complete_;
      lasts_.pop_front();
    }
    Edge();
    core_dead_ = cut_;  // The core sees its reset one cycle later.
    if (core_dead_) {
      offers_ = {};
      w_offers_ = false;
      to_send_.clear();
    }
  }
  /// Resets the core as the isolator does: waits `patience` cycles (at least one) for the responses, then cuts.
  void CutOff(unsigned patience) {
    const unsigned stall = stall_;
    if (Random(2) == 0) {  // A high stall rate leaves offers pending.
      stall_ = 97;
      Run(3);
    }
    close_ = true;
    Run(patience);
    cut_ = true;
    Run(1 + Random(3));
    stall_ = stall;
    const unsigned other = generation_ ^ 1;
    if (unanswered_[0][other] + unanswered_[1][other] == 0 && (InFlight() != 0 || Chance(50))) generation_ = other;
    Until([&] { return !(stands_[0] || stands_[1]) && owed_.empty(); }, "what it has promised", 40000);
    // Wait until the current generation has no outstanding burst: its late responses would be
    // mistaken for those to new bursts.
    answers_ = true;
    Until([&] { return unanswered_[0][generation_] + unanswered_[1][generation_] == 0; }, "the answers", 40000);
    Run(4 + Random(6));
    cut_ = close_ = false;
  }
};

TEST_P(IsolatorPortTest, KeepsEveryPromiseHoweverItIsClosedAndCut) {
  for (int round = 0; round < 150 && !HasFatalFailure(); ++round) {
    idle_ = round % 3 == 0 ? 0 : round % 3 == 1 ? 60 : 30;
    stall_ = round % 4 == 0 ? 0 : round % 4 == 1 ? 80 : 40;
    answers_ = round % 5 != 4;
    Run(40 + Random(300));
    if (HasFatalFailure()) return;
    if (round % 2 == 0) {  // Every other round silences the port without a cut.
      close_ = true;
      Run(Random(60));
      close_ = false;
    } else {
      CutOff(Random(3) == 0 ? 1 : 1 + Random(100));
    }
  }
  if (HasFatalFailure()) return;
  begins_ = false;
  answers_ = true;
  stall_ = idle_ = 0;
  Run(9000);
  EXPECT_EQ(InFlight(), 0u);
  EXPECT_EQ(t.busy_o[n], 0);
  EXPECT_FALSE(t.owing_o[n]);
  EXPECT_GT(begun_, 1000u);
  EXPECT_GT(passed_, 800u);
  EXPECT_GT(held_, 100u);
  EXPECT_GT(filled_, 20u);
  EXPECT_GT(kept_beats_, 2u);
  EXPECT_GT(dropped_, 20u);
  EXPECT_GT(finished_, n ? 1u : 5u);
  EXPECT_GT(full_, n ? 100u : 0u);
}

TEST_P(IsolatorPortTest, OwesTheDataOfAsManyBurstsAsItsDepth) {
  begins_ = answers_ = false;
  for (unsigned i = 0; i < depth + 3 && !HasFatalFailure(); ++i) {
    ax_[kWrite] = SomeAddress();
    ax_[kWrite].len = 0;
    offers_[kWrite] = true;
    Step();  // No data arrives.
  }
  EXPECT_EQ(begun_, depth);
  EXPECT_EQ(owed_.size(), depth);
  CutOff(1);  // The unit sends the W beats that the bursts owe.
  EXPECT_EQ(filled_, depth);
}

TEST_P(IsolatorPortTest, DataDoNotPassTheirAddress) {
  begins_ = false;
  to_send_.push_back({0, 2, 0});
  Run(10);
  EXPECT_TRUE(w_offers_);
  ax_[kWrite] = SomeAddress();
  ax_[kWrite].len = 2;
  offers_[kWrite] = true;
  Run(10);
  EXPECT_TRUE(to_send_.empty());
  Run(10);
  EXPECT_EQ(InFlight(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, IsolatorPortTest, SizesAndSeeds(2, 6), SizeAndSeed);

}  // namespace
}  // namespace gmmu::port
