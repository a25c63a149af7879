// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/client/blocks.h"

namespace gmmu::client {
namespace {

/// Checks the control words of a client as software wrote them, and the state of a run, which a read returns combined.
class ClientRegs : public BlocksTest {
 protected:
  static constexpr unsigned kCtrl = regs::ClientCtrl::kOffset / 8;
  static constexpr unsigned kSeed = regs::ClientSeed::kOffset / 8;
  static constexpr uint64_t kCtrlKept = 0x3fff3f3e;  // start and bits that are not built read as 0

  void Step() override {
    Settle();
    const bool busy = t.regs_state_busy_i || started_;
    EXPECT_EQ(t.regs_start_o, started_);
    EXPECT_EQ(t.regs_busy_o, busy);
    EXPECT_EQ(t.regs_data_o, read_[1]) << "two cycles after the read";
    CheckRun();
    read_[1] = read_[0];
    read_[0] = t.regs_rd_i ? Word(t.regs_word_i, busy) : 0;
    started_ = false;
    if (t.regs_wr_i && !busy && t.regs_word_i <= kSeed) {
      words_[t.regs_word_i] = t.regs_data_i;
      started_ = t.regs_word_i == kCtrl && (t.regs_data_i & 1);
      starts_ += started_;
    }
    Edge();
    t.regs_wr_i = t.regs_rd_i = 0;
  }
  void Write(unsigned word, uint64_t data) {
    t.regs_wr_i = 1, t.regs_word_i = static_cast<uint8_t>(word), t.regs_data_i = data;
    Step();
  }
  void Read(unsigned word) {
    t.regs_rd_i = 1, t.regs_word_i = static_cast<uint8_t>(word);
    Step();
  }
  void ReadAll() {
    for (unsigned word = 0; word < 8; ++word) Read(word);
    Run(3);
  }
  void DrawState(bool busy) {
    t.regs_state_busy_i = busy;
    t.regs_state_fault_i = rng() % 2;
    t.regs_state_reason_i = static_cast<uint8_t>(Random(0, 15));
    t.regs_state_level_i = static_cast<uint8_t>(Random(0, 5));
    t.regs_state_count_i = static_cast<uint32_t>(rng());
    t.regs_state_crc_i = static_cast<uint32_t>(rng());
    t.regs_state_mismatches_i = static_cast<uint32_t>(rng());
    t.regs_state_fault_va_i = rng();
  }

  uint64_t words_[5] = {};
  unsigned starts_ = 0;

 private:
  uint64_t Word(unsigned word, bool busy) {
    if (word == kCtrl) return words_[word] & kCtrlKept;
    if (word <= kSeed) return words_[word];
    const auto& s = t;
    if (word == regs::ClientStatus::kOffset / 8)
      return regs::ClientStatus{}
          .set_busy(busy)
          .set_fault(s.regs_state_fault_i)
          .set_reason(static_cast<regs::Fault>(s.regs_state_reason_i))
          .set_level(s.regs_state_level_i)
          .set_count(s.regs_state_count_i)
          .raw;
    if (word == regs::ClientResult::kOffset / 8)
      return regs::ClientResult{}.set_crc(s.regs_state_crc_i).set_mismatches(s.regs_state_mismatches_i).raw;
    return s.regs_state_fault_va_i;
  }
  void CheckRun() {
    const regs::ClientCtrl ctrl{words_[kCtrl]};
    EXPECT_EQ(t.regs_access_o, static_cast<unsigned>(ctrl.access()));
    EXPECT_EQ(t.regs_pattern_o, static_cast<unsigned>(ctrl.pattern()));
    EXPECT_EQ(t.regs_verify_o, ctrl.verify());
    EXPECT_EQ(t.regs_footprint_lg2_o, ctrl.footprint_lg2());
    EXPECT_EQ(t.regs_space_o, ctrl.space() & 63);
    EXPECT_EQ(t.regs_depth_o, ctrl.depth());
    EXPECT_EQ(t.regs_base_o, words_[1]);
    EXPECT_EQ(t.regs_first_o, regs::ClientLines{words_[2]}.first());
    EXPECT_EQ(t.regs_stride_o, regs::ClientLines{words_[2]}.stride());
    EXPECT_EQ(t.regs_count_o, regs::ClientOrder{words_[3]}.count());
    EXPECT_EQ(t.regs_step_o, regs::ClientOrder{words_[3]}.step());
    EXPECT_EQ(t.regs_seed_o, words_[4]);
  }

  bool started_ = false;
  uint64_t read_[2] = {};
};

TEST_P(ClientRegs, ReadZeroUntilTheyAreWritten) {
  for (unsigned word = 0; word < 5; ++word) {
    ReadAll();
    Write(word, ~uint64_t{1});
    Step();
  }
  ReadAll();
  EXPECT_EQ(starts_, 0u);
}

TEST_P(ClientRegs, StartsOnlyByTheStartBitOfCtrl) {
  for (unsigned word = 1; word < 8; ++word) Write(word, ~uint64_t{0});
  Write(kCtrl, ~uint64_t{1});
  EXPECT_EQ(starts_, 0u);
  Write(kCtrl, 1);
  Write(1, 0x1111);      // The start pulse counts as busy.
  Write(kCtrl, 0xffff);  // The pulse has ended, and the run is not busy yet.
  EXPECT_EQ(starts_, 2u);
  Step();
  ReadAll();
}

TEST_P(ClientRegs, WritesWhileBusyAreIgnored) {
  for (unsigned word = 0; word < 5; ++word) Write(word, rng() & ~uint64_t{1});
  DrawState(true);
  for (unsigned word = 0; word < 8; ++word) Write(word, rng() | 1), Step();
  ReadAll();
  EXPECT_EQ(starts_, 0u);
  DrawState(false);
  ReadAll();
}

TEST_P(ClientRegs, RandomWritesReadsAndRuns) {
  unsigned written = 0;
  for (int i = 0; i < 6000; ++i) {
    if (Chance(5)) DrawState(Chance(40));
    const auto word = static_cast<unsigned>(Random(0, 7));
    if (Chance(30)) {
      Write(word, rng());
      written = word;
    } else if (Chance(60)) {
      Read(Chance(30) ? written : word);
    } else {
      Step();
    }
    if (Chance(1) && Chance(20)) {
      Run(3);
      Reset();
      for (uint64_t& value : words_) value = 0;
    }
  }
  EXPECT_GT(starts_, 20u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ClientRegs, Seeds(4));

}  // namespace
}  // namespace gmmu::client
