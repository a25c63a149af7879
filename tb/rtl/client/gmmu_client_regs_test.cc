// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/client/blocks.h"

namespace gmmu::client {
namespace {

/// Tests gmmu_client_regs: control registers read back as written, and the other registers show the
/// state of a run.
class ClientRegs : public BlocksTest {
 protected:
  static constexpr unsigned kCtrl = regs::ClientCtrl::kOffset / 8;
  static constexpr unsigned kSeed = regs::ClientSeed::kOffset / 8;
  static constexpr uint64_t kCtrlKept = 0x3fff3f3e;  // `start` and unimplemented bits read as 0

  void Step() override {
    Settle();
    const bool busy = state_.busy || started_;
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
    state_.busy = busy;
    state_.fault = rng() % 2;
    state_.reason = static_cast<uint8_t>(Random(0, 15));
    state_.level = static_cast<uint8_t>(Random(0, 5));
    state_.count = static_cast<uint32_t>(rng());
    state_.crc = static_cast<uint32_t>(rng());
    state_.mismatches = static_cast<uint32_t>(rng());
    state_.fault_va = rng();
    t.regs_state_i = Pack(state_);
  }

  uint64_t words_[5] = {};
  unsigned starts_ = 0;

 private:
  uint64_t Word(unsigned word, bool busy) {
    if (word == kCtrl) return words_[word] & kCtrlKept;
    if (word <= kSeed) return words_[word];
    if (word == regs::ClientStatus::kOffset / 8)
      return regs::ClientStatus{}
          .set_busy(busy)
          .set_fault(state_.fault)
          .set_reason(static_cast<regs::Fault>(state_.reason))
          .set_level(state_.level)
          .set_count(state_.count)
          .raw;
    if (word == regs::ClientResult::kOffset / 8)
      return regs::ClientResult{}.set_crc(state_.crc).set_mismatches(state_.mismatches).raw;
    return state_.fault_va;
  }
  void CheckRun() {
    const regs::ClientCtrl ctrl{words_[kCtrl]};
    const auto run = Unpack<RunBits>(t.regs_cfg_o);
    EXPECT_EQ(run.access, static_cast<unsigned>(ctrl.access()));
    EXPECT_EQ(run.pattern, static_cast<unsigned>(ctrl.pattern()));
    EXPECT_EQ(run.verify, ctrl.verify());
    EXPECT_EQ(run.footprint_lg2, ctrl.footprint_lg2());
    EXPECT_EQ(run.space, ctrl.space() & 63);
    EXPECT_EQ(run.depth, ctrl.depth());
    EXPECT_EQ(run.base, words_[1]);
    EXPECT_EQ(run.first, regs::ClientLines{words_[2]}.first());
    EXPECT_EQ(run.stride, regs::ClientLines{words_[2]}.stride());
    EXPECT_EQ(run.count, regs::ClientOrder{words_[3]}.count());
    EXPECT_EQ(run.step, regs::ClientOrder{words_[3]}.step());
    EXPECT_EQ(run.seed, words_[4]);
  }

  StateBits state_{};
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
  Write(1, 0x1111);      // ignored, because start_o makes the client busy
  Write(kCtrl, 0xffff);  // starts again: start_o has fallen, and state_i.busy is still 0
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
