// SPDX-License-Identifier: Apache-2.0
// Models the surroundings of the register port: an AXI4-Lite manager and a register bus.
#pragma once

#include <algorithm>
#include <optional>

#include "tb/rtl/top/blocks.h"

namespace gmmu::top {

struct Write {
  uint16_t address;
  uint64_t data;
  uint8_t strobes;
};
struct Commit {
  uint16_t address;
  uint64_t data;
};

/// Models the effect of writes: a 64-bit write takes effect at once. A low half is stored until the
/// write of the high half commits both.
class WriteModel {
 public:
  /// Returns {response, committed write}.
  std::pair<unsigned, std::optional<Commit>> Take(const Write& write) {
    const uint16_t at = write.address & ~7u;
    const bool joins = write.strobes == 0xf0 && low_ && low_->address == at;
    const uint64_t low = joins ? low_->data : 0;
    low_.reset();
    if (write.strobes == 0xff) return {0, Commit{at, write.data}};
    if (joins) return {0, Commit{at, write.data >> 32 << 32 | low}};
    if (write.strobes != 0x0f) return {2, std::nullopt};
    low_ = Commit{at, write.data & 0xffffffff};
    return {0, std::nullopt};
  }

 private:
  std::optional<Commit> low_;
};

/// Models an AXI4-Lite manager on one side and a register bus, whose data changes every cycle, on
/// the other.
class RegPort : public BlocksTest {
 protected:
  static constexpr uint64_t kBound = 400;  // bound for one access, in cycles
  unsigned ReadCycles() const { return n == 0 ? 4 : 1; }

  void Step() override {
    Drive();
    Settle();
    aw_stands_ = t.reg_awvalid_i[n] && !t.reg_awready_o[n];
    w_stands_ = t.reg_wvalid_i[n] && !t.reg_wready_o[n];
    if (t.reg_awvalid_i[n] && t.reg_awready_o[n]) ++aw_taken_, aw_.Taken();
    if (t.reg_wvalid_i[n] && t.reg_wready_o[n]) ++w_taken_, w_.Taken();
    const bool offers = t.reg_awvalid_i[n] || t.reg_wvalid_i[n] || t.reg_arvalid_i[n];
    EXPECT_EQ(t.reg_idle_o[n], !offers && !Works());
    EXPECT_FALSE(t.reg_rd_o[n] && t.reg_wr_valid_o[n]) << "one access at a time";
    const bool bus = t.reg_rd_o[n] || t.reg_wr_valid_o[n];
    if (stopped_) EXPECT_FALSE(bus) << "it had said that nothing is under way";
    stopping_ = t.reg_stop_i[n] ? stopping_ + 1 : 0;
    if (stopping_ > 3 && !bus_) EXPECT_FALSE(bus) << "an access begins while it is stopped";  // deciding takes two
    stopped_ = t.reg_stop_i[n] && t.reg_stopped_o[n];
    bus_ = bus;
    CheckWrite();
    CheckRead();
    address_ = t.reg_addr_o[n];
    Edge();
  }
  /// Steps until every access has its response.
  void Finish() {
    uint64_t last = now;
    size_t seen = 0;
    while (answers_ + reads_done_ < writes.size() + reads.size() && now - last < kBound) {
      Step();
      if (answers_ + reads_done_ != seen) seen = answers_ + reads_done_, last = now;
    }
    EXPECT_EQ(answers_, writes.size()) << "writes were not answered";
    EXPECT_EQ(reads_done_, reads.size()) << "reads were not answered";
    Run(10);
  }
  /// Steps until every read has its response. Writes may still be pending.
  void FinishReads() {
    Until([&] { return reads_done_ == reads.size(); }, "the reads to be answered", kBound * (1 + reads.size()));
  }
  /// Steps until either the AW or the W of the latest write has been accepted.
  void TakeHalfOfAWrite() {
    Until([&] { return std::max(aw_taken_, w_taken_) == writes.size(); }, "half of a write to be taken", kBound);
    EXPECT_NE(aw_taken_, w_taken_);
  }
  /// Makes a single write and returns its response.
  unsigned Put(uint16_t address, uint64_t data, uint8_t strobes) {
    writes.push_back({address, data, strobes});
    Finish();
    return response_;
  }
  uint64_t Get(uint16_t address) {
    reads.push_back(address);
    Finish();
    return read_;
  }
  void ForgetHalves() {
    model_ = {};
    kept_.reset();
  }
  Write AnyWrite() {
    static constexpr uint8_t kStrobes[] = {0xff, 0x0f, 0xf0, 0x0f, 0xf0, 0x01, 0x00, 0xfe, 0x7f, 0xf8};
    Write write{static_cast<uint16_t>(8 * Random(0, 2) + Random(0, 7)), rng(),
                kStrobes[Random(0, std::size(kStrobes) - 1)]};
    if (!writes.empty() && writes.back().strobes == 0x0f && Chance(70)) {  // the other half
      write.address = writes.back().address ^ 4;
      write.strobes = 0xf0;
    }
    return write;
  }
  void AddRandom(int count) {
    for (int i = 0; i < count; ++i) {
      if (Chance(50)) {
        writes.push_back(AnyWrite());
      } else {
        const bool behind = !reads.empty() && Chance(50);
        reads.push_back(behind ? reads.back() ^ 4 : 8 * Random(0, 2) + Random(0, 7));
      }
    }
  }

  std::vector<Write> writes;
  std::vector<uint16_t> reads;
  bool stopped_ = false;        ///< the port is stopped and reports that no access is in progress
  bool together = false;        ///< reads and writes are offered at the same time
  bool aw_late = false;         ///< no new AW is offered; a pending AW stays
  bool w_late = false;          ///< no new W beat is offered; a pending beat stays
  unsigned lag = 0;             ///< if not 0, aw_late and w_late change at random, at least every `lag` cycles
  int busy_percent = 20;        ///< share of cycles in which a read is stalled
  std::vector<Commit> commits;  ///< writes seen on the register bus

 private:
  bool Works() const { return answers_ != aw_taken_ || answers_ != w_taken_ || reads_done_ != ar_taken_; }
  void Drive() {
    // Unless `together` is set, reads and writes are never in progress at the same time, and writes
    // have priority.
    const bool writing = aw_taken_ != answers_ || w_taken_ != answers_;
    const bool reading = reading_offered_ || ar_taken_ != reads_done_;
    const bool may_write = together || !reading, may_read = together || !writing;
    if (lag != 0 && now >= lag_until_) aw_late = Chance(40), w_late = Chance(40), lag_until_ = now + Random(1, lag);
    const bool may_aw = may_write && (!aw_late || aw_stands_), may_w = may_write && (!w_late || w_stands_);
    aw_taken_before_ = aw_taken_, w_taken_before_ = w_taken_;
    t.reg_awvalid_i[n] = aw_.Now(may_aw && aw_taken_ < writes.size(), *this, manner.idle_percent);
    t.reg_wvalid_i[n] = w_.Now(may_w && w_taken_ < writes.size(), *this, manner.idle_percent);
    const bool also_writes = t.reg_awvalid_i[n] || t.reg_wvalid_i[n];
    t.reg_arvalid_i[n] = ar_.Now(may_read && (together || !also_writes) && ar_taken_ < reads.size(), *this,
                                 manner.idle_percent);
    reading_offered_ = t.reg_arvalid_i[n];
    if (t.reg_awvalid_i[n]) t.reg_awaddr_i[n] = writes[aw_taken_].address;
    if (t.reg_wvalid_i[n]) {
      t.reg_wdata_i[n] = writes[w_taken_].data;
      t.reg_wstrb_i[n] = writes[w_taken_].strobes;
    }
    if (t.reg_arvalid_i[n]) t.reg_araddr_i[n] = reads[ar_taken_];
    t.reg_bready_i[n] = !Stall();
    t.reg_rready_i[n] = !Stall();
    t.reg_wr_ready_i[n] = !Stall();
    t.reg_rd_busy_i[n] = Chance(busy_percent);
    t.reg_rd_data_i[n] = rng();
  }

  void CheckWrite() {
    // Write number answers_ is in progress. It may use the bus only after both its AW and its W
    // have been accepted.
    const bool whole = aw_taken_before_ > answers_ && w_taken_before_ > answers_;
    if (whole && !judged_) {
      std::tie(expected_response_, expected_) = model_.Take(writes[answers_]);
      judged_ = true;
    }
    if (t.reg_wr_valid_o[n]) {
      ASSERT_TRUE(judged_ && expected_) << "nothing is to be written";
      EXPECT_EQ(t.reg_addr_o[n], expected_->address);
      EXPECT_EQ(address_, expected_->address) << "the address stands a cycle before";
      EXPECT_EQ(t.reg_wr_data_o[n], expected_->data);
      if (t.reg_wr_ready_i[n]) commits.push_back(*expected_), expected_.reset();
    } else if (judged_ && expected_) {
      EXPECT_FALSE(stood_) << "an offer stands";
    }
    stood_ = t.reg_wr_valid_o[n] && !t.reg_wr_ready_i[n];
    if (!t.reg_bvalid_o[n]) {
      EXPECT_FALSE(b_stood_);
      return;
    }
    ASSERT_TRUE(judged_) << "an answer to nothing";
    EXPECT_FALSE(expected_.has_value()) << "answered before it was written";
    EXPECT_EQ(t.reg_bresp_o[n], expected_response_) << "write " << answers_;
    b_stood_ = !t.reg_bready_i[n];
    if (b_stood_) return;
    response_ = t.reg_bresp_o[n];
    judged_ = false;
    ++answers_;
  }

  void CheckRead() {
    const bool under_way = ar_taken_ > reads_done_;  // the AR was accepted in an earlier cycle
    const uint16_t address = under_way ? reads[reads_done_] : 0;
    if (t.reg_rd_o[n]) {
      ASSERT_TRUE(under_way && !word_) << "nothing is to be read";
      EXPECT_EQ(t.reg_addr_o[n], address & ~7u);
      if (read_for_ >= ReadCycles() && !t.reg_rd_busy_i[n]) {
        word_ = t.reg_rd_data_i[n];
        const bool high_half = address & 4;
        if (high_half && kept_ && kept_->address == (address & ~7u)) {
          word_ = *word_ << 32 >> 32 | kept_->data << 32;
        }
        kept_.reset();
        if (!high_half) kept_ = Commit{static_cast<uint16_t>(address & ~7u), *word_ >> 32};
      }
      ++read_for_;
    } else {
      EXPECT_TRUE(read_for_ == 0 || word_) << "the read bus stands until the data is taken";
    }
    if (t.reg_rvalid_o[n]) {
      ASSERT_TRUE(word_) << "an answer to nothing";
      // A read of the high half returns only that half.
      const unsigned unused = address & 4 ? 32 : 0;
      EXPECT_EQ(t.reg_rdata_o[n] >> unused, *word_ >> unused) << "read " << reads_done_;
      EXPECT_EQ(t.reg_rresp_o[n], 0);
      if (t.reg_rready_i[n]) read_ = t.reg_rdata_o[n], word_.reset(), read_for_ = 0, ++reads_done_;
    }
    if (t.reg_arvalid_i[n] && t.reg_arready_o[n]) ++ar_taken_, ar_.Taken(), reading_offered_ = false;
  }

  Offer aw_, w_, ar_;
  size_t aw_taken_ = 0, w_taken_ = 0, aw_taken_before_ = 0, w_taken_before_ = 0, answers_ = 0;
  size_t ar_taken_ = 0, reads_done_ = 0;
  WriteModel model_;
  std::optional<Commit> expected_, kept_;
  unsigned expected_response_ = 0, response_ = 0, read_for_ = 0;
  bool bus_ = false, aw_stands_ = false, w_stands_ = false;
  uint64_t lag_until_ = 0;
  unsigned stopping_ = 0;
  bool judged_ = false, stood_ = false, b_stood_ = false, reading_offered_ = false;
  std::optional<uint64_t> word_;
  uint64_t read_ = 0;
  uint16_t address_ = 0;
};

}  // namespace gmmu::top
