// SPDX-License-Identifier: Apache-2.0
// Drives gmmu_sdram between a manager with queues and a model of the chip at its pins.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "Vgmmu_sdram_bench.h"
#include "board_pins/sdram_chip.h"
#include "tb/rtl/block_test.h"
#include "tb/rtl/structs.h"

namespace gmmu::bench {

constexpr uint64_t kBytes = 32u << 20;

struct Burst {
  uint16_t id = 0;
  uint64_t address = 0;
  unsigned beats = 1;
  std::vector<uint64_t> data;  ///< the data of a write, or the result of a read
  std::vector<uint8_t> strobes;

  bool Inside() const { return address < kBytes; }
  uint64_t First() const { return address & ~uint64_t{7}; }
  uint64_t End() const { return First() + 8 * uint64_t{beats}; }
};

/// The bench's sizes, numbered as in gmmu_sdram_bench.sv.
struct SdramSize {
  uint64_t clock_ps;
  unsigned more_cycles;  ///< additional cycles of delay on dq towards the controller
  const sim::SdramPart* part;
};
inline const SdramSize kSdramSizes[] = {{12'500, 1, &sim::kAs4c16m16sa7},
                                        {40'000, 0, &sim::kMt48lc16m16a27e},
                                        {7'000, 1, &sim::kAs4c16m16sa7}};

/// Sends the bursts that a test puts into `reads` and `writes`, compares the responses with an
/// array, and counts them.
///
/// Reads and writes are not ordered, so a test must not send a burst that overlaps one in progress
/// in the other direction; Free checks this.
class SdramMachine : public BlockBench<Vgmmu_sdram_bench> {
  using W = GMMU_STRUCT(gmmu_sdram_bench, w_t);
  using R = GMMU_STRUCT(gmmu_sdram_bench, port_r_t);
  using B = GMMU_STRUCT(gmmu_sdram_bench, port_b_t);

  static auto Address(const Burst& burst) {
    GMMU_STRUCT(gmmu_sdram_bench, port_ax_t) ax{};
    ax.id = burst.id, ax.addr = burst.address, ax.len = static_cast<uint8_t>(burst.beats - 1);
    return Pack(ax);
  }

 public:
  SdramMachine(unsigned size, uint64_t seed)
      : BlockBench(size, seed),
        chip(*kSdramSizes[size].part, kSdramSizes[size].clock_ps),
        way_(kSdramSizes[size].more_cycles) {
    t.size_i = static_cast<uint8_t>(size);
    ResetNow(3);
  }

  sim::SdramChip chip;
  uint64_t reads_done = 0, writes_done = 0, beats_done = 0;
  uint64_t first_beat = 0, last_beat = 0;  ///< cycles of the first and the latest R beat
  /// The fewest cycles seen between two consecutive commands, each given as {rasn, casn, wen}.
  std::map<std::pair<unsigned, unsigned>, uint64_t> closest;
  std::map<uint64_t, uint8_t> bytes;  ///< the array; bytes that were never written are missing

  /// Returns whether the burst overlaps no burst in progress in the other direction.
  bool Free(const Burst& burst, bool write) const {
    const auto apart = [&](const std::deque<Burst>& others) {
      for (const Burst& other : others)
        if (burst.First() < other.End() && other.First() < burst.End()) return false;
      return true;
    };
    return write ? apart(reads_out_) : apart(writes_out_);
  }
  void Read(const Burst& burst) {
    reads_out_.push_back(burst);
    ar_.push_back(burst);
  }
  void Write(const Burst& burst, bool data_too = true) {
    writes_out_.push_back(burst);
    aw_.push_back(burst);
    if (data_too) WriteData(burst);
  }
  void WriteData(const Burst& burst) {
    for (unsigned i = 0; i < burst.beats; ++i) {
      W& beat = w_.emplace_back();
      beat.data = burst.data[i], beat.strb = burst.strobes[i], beat.last = i + 1 == burst.beats;
    }
  }
  size_t outstanding() const { return reads_out_.size() + writes_out_.size(); }
  const std::deque<Burst>& writes_out() const { return writes_out_; }
  void Finish() {
    Until([&] { return outstanding() == 0; }, "the last answers", 40'000 + 1'000 * outstanding());
  }

  uint8_t Byte(uint64_t address) const {
    const auto found = bytes.find(address);
    return found == bytes.end() ? untouched_.Byte(address) : found->second;
  }

  void Step() override {
    t.s_ar_valid_i = ar_offer_.Now(!ar_.empty(), *this, manner.idle_percent);
    if (t.s_ar_valid_i) t.s_ar_i = Address(ar_.front());
    t.s_aw_valid_i = aw_offer_.Now(!aw_.empty(), *this, manner.idle_percent);
    if (t.s_aw_valid_i) t.s_aw_i = Address(aw_.front());
    t.s_w_valid_i = w_offer_.Now(!w_.empty(), *this, manner.idle_percent);
    if (t.s_w_valid_i) t.s_w_i = Pack(w_.front());
    t.s_r_ready_i = !Stall();
    t.s_b_ready_i = !Stall();
    Settle();
    if (t.s_ar_valid_i && t.s_ar_ready_o[n]) ar_.pop_front(), ar_offer_.Taken();
    if (t.s_aw_valid_i && t.s_aw_ready_o[n]) aw_.pop_front(), aw_offer_.Taken();
    if (t.s_w_valid_i && t.s_w_ready_o[n]) w_.pop_front(), w_offer_.Taken();
    const auto r = Unpack<R>(t.s_r_o[n]);
    const auto b = Unpack<B>(t.s_b_o[n]);
    if (r_stands_.Look(t.s_r_valid_o[n], t.s_r_ready_i, {r.id, r.resp, r.last, r.resp ? 0 : r.data})) LookAtRead(r);
    if (b_stands_.Look(t.s_b_valid_o[n], t.s_b_ready_i, {b.id, b.resp, 0, 0})) LookAtAnswer(b);
    Clock();
  }

  /// Resets for `cycles` cycles. Drops the bursts in progress, and returns the writes among them.
  std::deque<Burst> ResetNow(unsigned cycles) {
    const std::deque<Burst> lost = writes_out_;
    reads_out_.clear(), writes_out_.clear(), ar_.clear(), aw_.clear(), w_.clear();
    ar_offer_.Taken(), aw_offer_.Taken(), w_offer_.Taken();
    r_stands_.Forget(), b_stands_.Forget();
    t.s_ar_valid_i = t.s_aw_valid_i = t.s_w_valid_i = 0;
    t.rst_i = 1;
    for (unsigned i = 0; i < cycles; ++i) Settle(), Clock();
    t.rst_i = 0;
    beat_ = 0;
    return lost;
  }

  void ExpectNoFinding() {
    for (const sim::SdramFinding& finding : chip.findings())
      ADD_FAILURE() << sim::Name(finding.rule) << " at edge " << finding.edge << ": " << finding.text;
  }

 private:
  /// Makes the edge of clk_i and then the chip's clock edge, which follows within the same cycle.
  void Clock() {
    Edge();
    sim::SdramPins pins;
    pins.cke = t.cke_o[n], pins.csn = t.csn_o[n], pins.rasn = t.rasn_o[n], pins.casn = t.casn_o[n];
    pins.wen = t.wen_o[n], pins.ba = t.ba_o[n], pins.a = t.a_o[n], pins.dqm = t.dqm_o[n];
    pins.dq_driven = t.dq_oe_o[n], pins.dq = t.dq_o[n];
    if (const unsigned command = pins.rasn << 2 | pins.casn << 1 | pins.wen; command != 7) {
      const auto known = closest.emplace(std::pair{last_command_, command}, chip.edges() - last_edge_);
      known.first->second = std::min(known.first->second, chip.edges() - last_edge_);
      last_command_ = command;
      last_edge_ = chip.edges();
    }
    way_.push_back(chip.Edge(pins).dq);
    t.dq_i = way_.front();
    way_.pop_front();
  }
  void LookAtRead(const R& r) {
    if (reads_out_.empty()) {
      ADD_FAILURE() << "a beat that nobody asked for";
      return;
    }
    const Burst& burst = reads_out_.front();
    EXPECT_EQ(r.id, burst.id);
    EXPECT_EQ(r.resp, burst.Inside() ? 0 : 2);
    EXPECT_EQ(r.last, beat_ + 1 == burst.beats);
    for (unsigned i = 0; burst.Inside() && i < 8; ++i) {
      const uint64_t address = burst.First() + 8 * beat_ + i;
      if (address >= burst.address)
        EXPECT_EQ(r.data >> (8 * i) & 0xff, Byte(address)) << "address " << std::hex << address;
    }
    if (beats_done++ == 0) first_beat = now;
    last_beat = now;
    if (++beat_ == burst.beats) reads_out_.pop_front(), beat_ = 0, ++reads_done;
  }
  void LookAtAnswer(const B& b) {
    if (writes_out_.empty()) {
      ADD_FAILURE() << "an answer that nobody waits for";
      return;
    }
    const Burst burst = writes_out_.front();
    writes_out_.pop_front();
    ++writes_done;
    EXPECT_EQ(b.id, burst.id);
    EXPECT_EQ(b.resp, burst.Inside() ? 0 : 2);
    for (unsigned i = 0; burst.Inside() && i < 8 * burst.beats; ++i) {
      if (burst.strobes[i / 8] >> (i % 8) & 1)
        bytes[burst.First() + i] = static_cast<uint8_t>(burst.data[i / 8] >> (i % 8 * 8));
    }
    // The chip must hold the data, unless a write in progress overlaps it.
    if (burst.Inside() && Free(burst, false))
      for (uint64_t a = burst.First(); a < burst.End(); ++a)
        EXPECT_EQ(chip.Byte(a), Byte(a)) << "address " << std::hex << a;
  }

  const sim::SdramChip untouched_{sim::kAs4c16m16sa7, 10'000};
  std::deque<uint16_t> way_;
  std::deque<Burst> ar_, aw_, reads_out_, writes_out_;
  std::deque<W> w_;
  Offer ar_offer_, aw_offer_, w_offer_;
  Standing<std::array<uint64_t, 4>> r_stands_{"R"}, b_stands_{"B"};
  unsigned beat_ = 0;
  unsigned last_command_ = 7;
  uint64_t last_edge_ = 0;
};

}  // namespace gmmu::bench
