// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/client/blocks.h"

namespace gmmu::client {
namespace {

/// Tests gmmu_client_write. The words of each write arrive in random order, then its burst is
/// requested, and the W beats are compared byte by byte.
class Write : public BlocksTest {
 protected:
  Write() : word_(n == 0 ? 8 : kBeat), line_(slots()), free_(slots(), true) {}

  struct Line {
    uint8_t data[kLine] = {};
    bool kept[kLine] = {};  // whether each byte is written; always true without strobes
  };
  struct Burst {
    unsigned slot, first, last;
    std::vector<unsigned> words;  // words that have not been sent
  };
  struct Beat {
    uint8_t data[kBeat] = {};
    uint64_t strobe = 0;
    bool last = false;
    unsigned slot = 0;
  };

  /// Queues a write. Step sends its words, and requests its burst after the last word.
  void Add(unsigned slot, unsigned first, unsigned last) {
    Burst burst{slot, first, last, {}};
    for (unsigned word = first / word_; word <= last / word_; ++word) burst.words.push_back(word);
    std::shuffle(burst.words.begin(), burst.words.end(), rng);
    writes_.push_back(burst);
    free_[slot] = false;
  }
  void Step() override { Step(true); }
  void Step(bool bursts) {
    PutWord();
    const bool have = bursts && !ready_.empty();
    t.write_burst_valid_i[n] = burst_.Now(have, *this, manner.idle_percent);
    if (t.write_burst_valid_i[n]) {
      t.write_slot_i = static_cast<uint8_t>(ready_.front().slot);
      t.write_first_i = static_cast<uint8_t>(ready_.front().first);
      t.write_last_i = static_cast<uint8_t>(ready_.front().last);
    }
    t.write_w_ready_i = !Stall();
    Settle();
    TakeW();
    if (t.write_burst_valid_i[n] && t.write_burst_ready_o[n]) {
      Expect(ready_.front());
      ready_.pop_front();
      burst_.Taken();
    }
    // A burst may be requested from the cycle after its last word on.
    for (auto it = writes_.begin(); it != writes_.end();) {
      if (it->words.empty()) ready_.push_back(*it), it = writes_.erase(it);
      else ++it;
    }
    Edge();
  }
  void Finish() {
    for (int i = 0; i < 2000 && !(writes_.empty() && ready_.empty() && beats_.empty()); ++i) Step();
    EXPECT_TRUE(writes_.empty() && ready_.empty() && beats_.empty());
    Run(5);
  }

  const unsigned word_;  // bytes per word
  std::vector<Line> line_;
  std::vector<bool> free_;
  std::vector<Burst> writes_;
  unsigned taken_ = 0;

 private:
  void PutWord() {
    t.write_word_valid_i[n] = !writes_.empty() && !Idle();
    if (!t.write_word_valid_i[n]) return;
    Burst& burst = writes_[Random(0, std::min<size_t>(writes_.size(), 3) - 1)];
    const unsigned word = burst.words.back();
    burst.words.pop_back();
    t.word_i = PackWord(burst.slot, word);
    RandomBytes(t.word_data_i, *this);
    RandomBytes(t.word_strobe_i, *this);
    if (Chance(30)) std::memset(&t.word_strobe_i, 0xff, sizeof t.word_strobe_i);
    const auto data = BytesOf(t.word_data_i);
    for (unsigned i = 0; i < word_; ++i) {
      line_[burst.slot].data[word * word_ + i] = data[i];
      line_[burst.slot].kept[word * word_ + i] = n == 0 || (t.word_strobe_i >> i & 1);
    }
  }
  void Expect(const Burst& burst) {
    for (unsigned row = burst.first / kBeat; row <= burst.last / kBeat; ++row) {
      Beat beat;
      beat.slot = burst.slot;
      beat.last = row == burst.last / kBeat;
      for (unsigned i = 0; i < kBeat; ++i) {
        const unsigned at = row * kBeat + i;
        if (at < burst.first || at > burst.last || !line_[burst.slot].kept[at]) continue;
        beat.data[i] = line_[burst.slot].data[at];
        beat.strobe |= uint64_t{1} << i;
      }
      beats_.push_back(beat);
    }
  }
  void TakeW() {
    const bool taken = t.write_w_valid_o[n] && t.write_w_ready_i;
    w_stands_.Look(t.write_w_valid_o[n], taken);
    if (!t.write_w_valid_o[n]) return;
    ASSERT_FALSE(beats_.empty()) << "a beat of no burst";
    const Beat& beat = beats_.front();
    const auto w = Unpack<GMMU_STRUCT(gmmu_client_blocks_bench, w_t)>(t.write_w_o[n]);
    EXPECT_EQ(w.strb, beat.strobe);
    EXPECT_EQ(w.last, beat.last);
    const auto data = BytesOf(w.data);
    for (unsigned i = 0; i < kBeat; ++i) {
      if (beat.strobe >> i & 1) EXPECT_EQ(data[i], beat.data[i]) << "byte " << i;
    }
    if (!taken) return;
    ++taken_;
    if (beat.last) free_[beat.slot] = true;
    beats_.pop_front();
  }

  std::deque<Burst> ready_;
  std::deque<Beat> beats_;
  Offer burst_;
  Standing<> w_stands_{"W"};
};

TEST_P(Write, EveryFirstAndLastByte) {
  for (unsigned first = 0; first < kLine; ++first) {
    for (unsigned last = first; last < kLine; last += last % 8 < 2 || last % 8 == 6 ? 1 : 3) {
      unsigned slot = (first * 13 + last) % slots();
      for (int i = 0; i < 200 && !free_[slot]; ++i) Step();
      ASSERT_TRUE(free_[slot]);
      Add(slot, first, last);
    }
  }
  Finish();
}

TEST_P(Write, ABeatACycle) {
  manner = {0, 0};
  for (unsigned slot = 0; slot < slots(); ++slot) Add(slot, 0, kLine - 1);
  unsigned cycles = 0;
  while (!writes_.empty() && cycles < 2000) Step(false), ++cycles;
  for (cycles = 0; taken_ < slots() * (kLine / kBeat) && cycles < 2000; ++cycles) Step();
  EXPECT_LE(cycles, slots() * (kLine / kBeat) + 4) << "beats follow without a gap";
  Finish();
}

TEST_P(Write, RandomWrites) {
  for (int i = 0; i < 4000; ++i) {
    const unsigned slot = static_cast<unsigned>(Random(0, slots() - 1));
    if (free_[slot] && writes_.size() < 12 && Chance(60)) {
      const unsigned first = Chance(30) ? 0 : static_cast<unsigned>(Random(0, 63));
      const auto last = static_cast<unsigned>(Chance(30) ? 63 : Random(first, 63));
      Add(slot, first, last);
    }
    Step();
  }
  EXPECT_GT(taken_, 200u);
  Finish();
}

TEST_P(Write, ResetForgetsItsBursts) {
  manner = {0, 100};
  for (unsigned slot = 0; slot < 4; ++slot) Add(slot, 0, kLine - 1);
  Run(60);
  EXPECT_TRUE(t.write_w_valid_o[n]);
  t.write_burst_valid_i[n] = 0;
  Reset();
  for (int i = 0; i < 10; ++i) {
    Settle();
    EXPECT_FALSE(t.write_w_valid_o[n]);
    EXPECT_TRUE(t.write_burst_ready_o[n]);
    Edge();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Write, SizesAndSeeds(2, 8));

}  // namespace
}  // namespace gmmu::client
