// SPDX-License-Identifier: Apache-2.0
// Drives gmmu_axi_ids between a GPU, whose bursts have unique ids except the shared one, and a
// memory that responds in any order, interleaves R beats, sends stray responses, and accepts AW and
// W in either order. Every burst, beat and response has a number, so each loss, duplicate or swap
// is detected.
#pragma once

#include <algorithm>
#include <deque>
#include <list>
#include <set>
#include <utility>
#include <vector>

#include "Vgmmu_axi_ids_bench.h"
#include "tb/rtl/block_test.h"

namespace gmmu::ids {

enum { kRead, kWrite };
constexpr unsigned kShared = 0x500;  // the shared id without its generation bit (bit 15)
constexpr unsigned kWires = 3;       // index of the size without an id table

class IdsMachine : public BlockBench<Vgmmu_axi_ids_bench> {
 public:
  struct Burst {
    uint32_t tag = 0;
    unsigned beats = 1, id = 0, below = 0;
    unsigned done = 0;  // R beats received by the GPU (asked_) or sent by the memory (memory_)
    bool shared = false;
    uint64_t end = 0;  // for a write: index one past its last W beat
  };

  IdsMachine(unsigned size, uint64_t seed) : BlockBench(size, seed) {
    t.size_i = static_cast<uint8_t>(size);
    Reset();
  }
  const unsigned bits = std::vector<unsigned>{4, 1, 2, 16, 3}[n];
  const unsigned ids = 1u << bits;
  const bool shares = n != 4;
  const unsigned most_shared = n == 2 ? 3 : 31;

  void Ask(bool write, unsigned beats, bool shared = false, bool generation = false) {
    Burst b;
    b.tag = ++tags_, b.beats = beats, b.shared = shared;
    if (shared) b.id = kShared | generation << 15;
    to_ask_[write].push_back(b);
  }
  void AskAny() {
    const bool write = Chance(50);
    const bool shared = write && shares && Chance(40);
    Ask(write, shared || Chance(50) ? 1 : static_cast<unsigned>(Random(1, 6)), shared, shared && Chance(20));
  }

  /// Knobs.
  Manner memory{0, 0};  ///< idle_percent delays the memory's responses, stall_percent its readies
  bool take[2] = {true, true}, answer[2] = {true, true};
  uint64_t most_ended[2] = {~uint64_t{0}, ~uint64_t{0}};  ///< maximum number of bursts that the memory completes
  bool any_order = true, aw_waits = false, w_waits = false;
  unsigned stray_percent = 0, look_percent = 5;

  bool Done() const {
    return to_ask_[0].empty() && to_ask_[1].empty() && asked_[0].empty() && asked_[1].empty() && !w_left_;
  }
  void Finish() {
    Until([&] { return Done(); }, "the answers of all bursts", 100000);
    Run(10);
    EXPECT_TRUE(memory_[0].empty() && memory_[1].empty() && ahead_.empty());
    EXPECT_FALSE(t.m_ar_valid_o[n] || t.m_aw_valid_o[n] || t.m_w_valid_o[n] || t.r_valid_o[n] || t.b_valid_o[n]);
  }
  /// Drops everything in flight. Call it when both sides are reset.
  void Forget() {
    for (unsigned d = 0; d < 2; ++d) {
      to_ask_[d].clear(), asked_[d].clear(), between_[d].clear(), memory_[d].clear();
      ax_[d].Taken(), offered_[d] = offers_answer_[d] = false, m_ax_stands_[d].Forget(), answer_stands_[d].Forget();
    }
    ahead_.clear(), w_left_ = 0, w_.Taken(), m_w_stands_.Forget();
    w_taken_ = aw_beats_ = w_asked_;
    t.ax_valid_i[0] = t.ax_valid_i[1] = t.w_valid_i = t.m_r_valid_i = t.m_b_valid_i = 0;
    Reset();
  }

  size_t AtMemory(bool write) const { return memory_[write].size(); }
  const std::list<Burst>& Memory(bool write) const { return memory_[write]; }
  uint64_t taken[2] = {}, ended[2] = {};  ///< taken: bursts that the memory accepted; ended: bursts that it completed
  uint64_t answered[2] = {};              ///< bursts whose responses reached the GPU
  uint64_t beats[3] = {};                 ///< R and B beats at the GPU, W beats at the memory
  uint64_t strays = 0, looks = 0;
  std::vector<unsigned> given;  ///< ids assigned to reads, in order

  void Step() override {
    DriveAbove();
    DriveMemory();
    Settle();
    if (n != kWires && Chance(look_percent)) LookForPaths();
    Above();
    Memory();
    Edge();
  }

 private:
  void DriveAbove() {
    for (unsigned d = 0; d < 2; ++d) {
      const bool offer = ax_[d].Now(!to_ask_[d].empty(), *this, manner.idle_percent);
      t.ax_valid_i[d] = offer;
      if (offer && !offered_[d]) {
        Burst& b = to_ask_[d].front();
        if (!b.shared) b.id = FreeId(d);
        if (d == kWrite) b.end = w_asked_ += b.beats, w_left_ += b.beats;
      }
      offered_[d] = offer;
      if (offer) t.ax_id_i[d] = static_cast<uint16_t>(to_ask_[d].front().id), t.ax_i[d] = to_ask_[d].front().tag;
    }
    t.w_valid_i = w_.Now(w_left_ > 0, *this, manner.idle_percent);
    if (t.w_valid_i) t.w_i = static_cast<uint32_t>((w_asked_ - w_left_) * 0x9E3779B1u);
    t.r_ready_i = !Stall();
    t.b_ready_i = !Stall();
  }
  unsigned FreeId(bool write) {
    for (;;) {
      const unsigned near_shared = (kShared ^ 1u << Random(15)) | Random(2) << 15;
      const unsigned id = Chance(20) ? near_shared : static_cast<unsigned>(rng() & 0xffff);
      const auto same = [&](const Burst& b) { return b.id == id; };
      if (write && (id & 0x7fff) == kShared && shares) continue;
      if (std::none_of(asked_[write].begin(), asked_[write].end(), same)) return id;
    }
  }
  void DriveMemory() {
    const auto ready = [&] { return !Chance(memory.stall_percent); };
    t.m_ax_ready_i[kRead] = ready() && take[kRead];
    t.m_ax_ready_i[kWrite] = ready() && take[kWrite] && !(aw_waits && w_taken_ <= aw_beats_);
    t.m_w_ready_i = ready() && !(w_waits && w_taken_ >= aw_beats_);
    for (unsigned d = 0; d < 2; ++d) {
      if (offers_answer_[d]) continue;
      stray_[d] = (d ? t.m_b_ready_o[n] : t.m_r_ready_o[n]) && n != kWires && Chance(stray_percent) && StrayId(d);
      if (!stray_[d] && (!answer[d] || ended[d] >= most_ended[d] || Chance(memory.idle_percent) || !Pick(d))) {
        (d ? t.m_b_valid_i : t.m_r_valid_i) = 0;
        continue;
      }
      offers_answer_[d] = true;
      const Burst* b = stray_[d] ? nullptr : &*answering_[d];
      const auto id = static_cast<uint16_t>(b ? b->below : stray_id_[d]);
      if (d == kWrite) {
        t.m_b_valid_i = 1, t.m_b_id_i = id, t.m_b_i = b ? b->tag : static_cast<uint32_t>(rng());
      } else {
        t.m_r_valid_i = 1, t.m_r_id_i = id, t.m_r_i = b ? b->tag << 8 | b->done : static_cast<uint32_t>(rng());
        t.m_r_last_i = b ? b->done + 1 == b->beats : Chance(50);
      }
    }
  }
  /// Picks a random id for a stray response. Returns whether no burst that the memory has accepted
  /// uses it; a burst whose address is only offered may use it.
  bool StrayId(bool write) {
    stray_id_[write] = Random(ids);
    return std::none_of(memory_[write].begin(), memory_[write].end(),
                        [&](const Burst& b) { return b.below == stray_id_[write]; });
  }
  /// Picks a burst whose response may be sent: the oldest of its id, and for a write one whose
  /// beats have all arrived.
  bool Pick(bool write) {
    std::vector<std::list<Burst>::iterator> may;
    std::set<unsigned> seen;
    for (auto b = memory_[write].begin(); b != memory_[write].end(); ++b)
      if (seen.insert(b->below).second && (!write || b->end <= w_taken_)) may.push_back(b);
    if (may.empty()) return false;
    answering_[write] = any_order ? may[Random(static_cast<unsigned>(may.size()))] : may.front();
    return true;
  }

  void Above() {
    for (unsigned d = 0; d < 2; ++d) {
      if (!t.ax_valid_i[d] || !(d ? t.aw_ready_o[n] : t.ar_ready_o[n])) continue;
      asked_[d].push_back(to_ask_[d].front());
      between_[d].push_back(to_ask_[d].front());
      to_ask_[d].pop_front();
      ax_[d].Taken(), offered_[d] = false;
    }
    if (t.w_valid_i && t.w_ready_o[n]) ahead_.push_back(t.w_i), --w_left_, w_.Taken();
    if (answer_stands_[0].Look(t.r_valid_o[n], t.r_ready_i, {t.r_id_o[n], t.r_o[n], t.r_last_o[n]})) TakeR();
    if (answer_stands_[1].Look(t.b_valid_o[n], t.b_ready_i, {t.b_id_o[n], t.b_o[n], 0})) TakeB();
  }
  std::list<Burst>::iterator Asked(bool write, unsigned id) {
    // For the shared id, this finds the oldest burst.
    const auto same = [&](const Burst& b) { return b.id == id; };
    const auto found = std::find_if(asked_[write].begin(), asked_[write].end(), same);
    EXPECT_NE(found, asked_[write].end()) << "an answer to nobody, id " << id;
    return found;
  }
  void TakeR() {
    const auto b = Asked(kRead, t.r_id_o[n]);
    if (b == asked_[kRead].end()) return;
    ++beats[0];
    EXPECT_EQ(t.r_o[n], b->tag << 8 | b->done);
    EXPECT_EQ(t.r_last_o[n], b->done + 1 == b->beats);
    if (++b->done == b->beats) asked_[kRead].erase(b), ++answered[kRead];
  }
  void TakeB() {
    const auto b = Asked(kWrite, t.b_id_o[n]);
    if (b == asked_[kWrite].end()) return;
    ++beats[1];
    EXPECT_EQ(t.b_o[n], b->tag);
    asked_[kWrite].erase(b), ++answered[kWrite];
  }

  void Memory() {
    const bool stray = stray_last_;
    stray_last_ = false;
    // Handle responses first, so that none matches an address that is accepted in this cycle.
    for (unsigned d = 0; d < 2; ++d) Answered(d);
    for (unsigned d = 0; d < 2; ++d) {
      const unsigned id = d ? t.m_aw_id_o[n] : t.m_ar_id_o[n];
      const uint32_t tag = d ? t.m_aw_o[n] : t.m_ar_o[n];
      if (m_ax_stands_[d].Look(d ? t.m_aw_valid_o[n] : t.m_ar_valid_o[n], t.m_ax_ready_i[d], {id, tag}))
        Taken(d, id, tag);
    }
    if (m_w_stands_.Look(t.m_w_valid_o[n], t.m_w_ready_i, t.m_w_o[n])) {
      ASSERT_FALSE(ahead_.empty()) << "W that nobody sent";
      EXPECT_EQ(t.m_w_o[n], ahead_.front());
      ahead_.pop_front(), ++w_taken_, ++beats[2];
    }
    EXPECT_EQ(t.stray_o[n], stray);
  }
  void Taken(bool write, unsigned id, uint32_t tag) {
    ASSERT_FALSE(between_[write].empty()) << "an address that nobody sent";
    Burst b = between_[write].front();
    between_[write].pop_front();
    EXPECT_EQ(tag, b.tag) << "the order of addresses";
    EXPECT_LT(id, ids);
    for (const Burst& other : memory_[write]) {
      const bool together = b.shared && other.shared && b.id == other.id;
      EXPECT_EQ(other.below == id, together)
          << (together ? "a shared write of another id" : "an id that is outstanding");
    }
    b.below = id;
    memory_[write].push_back(b);
    ++taken[write];
    if (write) aw_beats_ += b.beats;
    else given.push_back(id);
  }
  void Answered(bool write) {
    if (!offers_answer_[write] || !(write ? t.m_b_ready_o[n] : t.m_r_ready_o[n])) return;
    offers_answer_[write] = false;
    if (stray_[write]) {
      stray_last_ = true, ++strays;
      return;
    }
    if (!write && ++answering_[write]->done < answering_[write]->beats) return;
    memory_[write].erase(answering_[write]), ++ended[write];
  }

  std::vector<uint64_t> Outputs() const {
    return {t.ar_ready_o[n], t.aw_ready_o[n], t.w_ready_o[n],    t.m_r_ready_o[n], t.m_b_ready_o[n], t.m_ar_valid_o[n],
            t.m_ar_id_o[n],  t.m_ar_o[n],     t.m_aw_valid_o[n], t.m_aw_id_o[n],   t.m_aw_o[n],      t.m_w_valid_o[n],
            t.m_w_o[n],      t.r_valid_o[n],  t.r_id_o[n],       t.r_o[n],         t.r_last_o[n],    t.b_valid_o[n],
            t.b_id_o[n],     t.b_o[n],        t.stray_o[n]};
  }
  /// Checks that no output depends combinationally on an input, by changing inputs within the
  /// cycle.
  void LookForPaths() {
    ++looks;
    const std::vector<uint64_t> before = Outputs();
    const auto change = [&](auto& input, uint64_t value) {
      const auto old = input;
      input = static_cast<std::decay_t<decltype(input)>>(value);
      Settle();
      EXPECT_EQ(Outputs(), before) << "an output follows an input in the same cycle";
      input = old;
    };
    for (unsigned d = 0; d < 2; ++d) {
      change(t.ax_valid_i[d], !t.ax_valid_i[d]);
      change(t.ax_id_i[d], Chance(50) ? kShared : rng());
      change(t.ax_i[d], rng());
      change(t.m_ax_ready_i[d], !t.m_ax_ready_i[d]);
    }
    change(t.w_valid_i, !t.w_valid_i), change(t.w_i, rng()), change(t.m_w_ready_i, !t.m_w_ready_i);
    change(t.m_r_valid_i, !t.m_r_valid_i), change(t.m_r_id_i, rng()), change(t.m_r_last_i, !t.m_r_last_i);
    change(t.m_b_valid_i, !t.m_b_valid_i), change(t.m_b_id_i, rng()), change(t.m_b_i, rng()), change(t.m_r_i, rng());
    change(t.r_ready_i, !t.r_ready_i), change(t.b_ready_i, !t.b_ready_i);
    Settle();
  }

  uint32_t tags_ = 0;
  std::deque<Burst> to_ask_[2], between_[2];  // between_: accepted by the unit, not the memory
  std::list<Burst> asked_[2], memory_[2];     // bursts awaiting their last response
  std::list<Burst>::iterator answering_[2];
  Offer ax_[2], w_;
  bool offered_[2] = {}, offers_answer_[2] = {}, stray_[2] = {}, stray_last_ = false;
  unsigned stray_id_[2] = {};
  uint64_t w_asked_ = 0, w_left_ = 0, w_taken_ = 0,
           aw_beats_ = 0;       // total beats of the AWs that the memory accepted
  std::deque<uint32_t> ahead_;  // W beats accepted by the unit, not yet by the memory
  Standing<std::pair<unsigned, uint32_t>> m_ax_stands_[2]{Standing<std::pair<unsigned, uint32_t>>("AR"),
                                                          Standing<std::pair<unsigned, uint32_t>>("AW")};
  Standing<uint32_t> m_w_stands_{"W"};
  Standing<std::vector<uint64_t>> answer_stands_[2]{Standing<std::vector<uint64_t>>("R"),
                                                    Standing<std::vector<uint64_t>>("B")};
};

}  // namespace gmmu::ids
