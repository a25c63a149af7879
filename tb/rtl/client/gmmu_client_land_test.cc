// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "tb/rtl/client/blocks.h"

namespace gmmu::client {
namespace {

constexpr unsigned kBeats = kLine / kBeat;  // beats per line

/// Tests gmmu_client_land. Bursts of several slots arrive interleaved, and their rows may be read
/// as soon as the end of the burst is reported.
class Land : public BlocksTest {
 protected:
  static constexpr uint64_t kEnd = 2;  // cycles from the last R beat to end_valid_o

  struct Burst {
    unsigned first = 0, beats = 1, done = 0;
    bool error = false;
    std::vector<std::vector<uint8_t>> data;
  };
  struct End {
    uint64_t due;
    unsigned slot;
    bool error;
  };

  /// Reserves a free slot for a burst of `beats` beats, the first of which is row `first` of its line.
  void Reserve(unsigned slot, unsigned first, unsigned beats) {
    ASSERT_EQ(open_.count(slot), 0u);
    open_[slot].first = first;
    open_[slot].beats = beats;
    ended_.erase(slot);
    told_.erase(std::remove(told_.begin(), told_.end(), slot), told_.end());
    t.land_first_i = 1;
    t.land_first_slot_i = static_cast<uint8_t>(slot);
    t.land_first_beat_i = static_cast<uint8_t>(first);
    Step();
    t.land_first_i = 0;
  }
  /// Offers the next beat of a slot in this cycle.
  void Beat(unsigned slot, bool error) {
    Burst& burst = open_.at(slot);
    t.land_r_valid_i = 1;
    GMMU_STRUCT(gmmu_client_blocks_bench, r_t) r{};
    r.id = static_cast<uint8_t>(slot);
    RandomBytes(r.data, *this);
    r.error = error;
    r.last = burst.done + 1 == burst.beats;
    t.land_r_i = Pack(r);
    burst.error |= error;
    burst.data.push_back(BytesOf(r.data));
    if (++burst.done == burst.beats) {
      ends_.push_back({now + kEnd, slot, burst.error});
      ended_[slot] = burst;
      open_.erase(slot);
    }
    Step();
    t.land_r_valid_i = 0;
  }
  void Step() override {
    // Sometimes read a row of a slot whose end has been reported. The output is stable until the
    // next read.
    t.land_read_i = !told_.empty() && !Stall();
    std::vector<uint8_t> next = expected_;
    if (t.land_read_i) {
      const unsigned slot = told_[Random(0, told_.size() - 1)];
      const Burst& burst = ended_[slot];
      const unsigned beat = static_cast<unsigned>(Random(0, burst.data.size() - 1));
      t.land_row_i = static_cast<uint16_t>(slot * kBeats + burst.first + beat);
      next = burst.data[beat];
    }
    Settle();
    if (!expected_.empty()) EXPECT_EQ(BytesOf(t.land_data_o), expected_);
    const bool due = !ends_.empty() && ends_.front().due == now;
    ASSERT_EQ(t.land_end_valid_o, due);
    if (due) {
      EXPECT_EQ(t.land_end_slot_o, ends_.front().slot);
      EXPECT_EQ(t.land_end_error_o, ends_.front().error);
      ++told_ends_;
      ends_.pop_front();
    }
    expected_ = next;
    Edge();
    // A slot may be read from the cycle in which the end of its burst is reported.
    told_.clear();
    for (const auto& [slot, burst] : ended_) {
      bool waits = false;
      for (const End& end : ends_) waits |= end.slot == slot && end.due > now;
      if (!waits) told_.push_back(slot);
    }
  }
  void Quiet() {
    Run(6);
    EXPECT_TRUE(ends_.empty());
  }

  std::map<unsigned, Burst> open_, ended_;
  std::deque<End> ends_;
  std::vector<unsigned> told_;
  std::vector<uint8_t> expected_;
  unsigned told_ends_ = 0;
};

TEST_P(Land, EveryShapeOfALineInEverySlot) {
  for (unsigned first = 0; first < kBeats; ++first) {
    for (unsigned beats = 1; first + beats <= kBeats; ++beats) {
      const unsigned slot = (first * 8 + beats * 5) % slots();
      Reserve(slot, first, beats);
      for (unsigned i = 0; i < beats; ++i) Beat(slot, false);
      Quiet();
    }
  }
  for (unsigned slot = 0; slot < slots(); ++slot) Reserve(slot, 0, kBeats);
  for (unsigned i = 0; i < kBeats; ++i) {
    for (unsigned slot = 0; slot < slots(); ++slot) Beat(slot, false);
  }
  Quiet();
}

TEST_P(Land, AnErrorOfAnyBeatIsOfItsBurstAlone) {
  for (unsigned wrong = 0; wrong < kBeats; ++wrong) {
    Reserve(3, 0, kBeats);
    Reserve(4, 0, kBeats);
    for (unsigned i = 0; i < kBeats; ++i) Beat(3, i == wrong), Beat(4, false);
    Quiet();
    Reserve(3, 0, kBeats);  // An error of the slot's previous burst has no effect.
    for (unsigned i = 0; i < kBeats; ++i) Beat(3, false);
    Quiet();
  }
}

TEST_P(Land, ResetForgetsWhatHalfABurstLeft) {
  if (kBeats == 1) GTEST_SKIP() << "a burst has one beat";
  Reserve(5, 0, kBeats);
  Beat(5, true);
  open_.clear();
  Run(3);
  Reset();
  Reserve(5, 0, kBeats);
  for (unsigned i = 0; i < kBeats; ++i) Beat(5, false);
  Quiet();
}

TEST_P(Land, RandomBurstsInterleaved) {
  for (int i = 0; i < 6000; ++i) {
    const unsigned slot = static_cast<unsigned>(Random(0, slots() - 1));
    bool told = true;  // A slot is free once its end has been reported.
    for (const End& end : ends_) told &= end.slot != slot;
    if (open_.count(slot) == 0 && told && Chance(40)) {
      const unsigned first = static_cast<unsigned>(Random(0, kBeats - 1));
      Reserve(slot, first, static_cast<unsigned>(Random(1, kBeats - first)));
    } else if (!open_.empty() && !Idle()) {
      auto pick = open_.begin();
      std::advance(pick, Random(0, std::min<size_t>(open_.size(), 4) - 1));
      Beat(pick->first, Chance(5));
    } else {
      Step();
    }
  }
  EXPECT_GT(told_ends_, 300u);
  Quiet();
}

INSTANTIATE_TEST_SUITE_P(Seeds, Land, Seeds(8));

}  // namespace
}  // namespace gmmu::client
