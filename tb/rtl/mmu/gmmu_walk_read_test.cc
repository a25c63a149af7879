// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_walk_read against rows in C++ that start, descend, request indices and are killed.
// Each read leaves once, with the address given by its table and index, and only if it was reported
// as sent. Each index is the shifted and masked page number.
#include <array>
#include <deque>
#include <optional>

#include "inner.h"

namespace gmmu::inner {
namespace {

class WalkReadTest : public InnerTest {
 protected:
  struct Table {
    uint64_t pfn = 0;
    bool vram = false;
  };
  struct Shape {
    std::array<unsigned, 7> shift{}, bits{};  // [6]: a leaf table of 64 KiB entries
    bool dual = false;
  };
  struct Read {
    unsigned row;
    uint64_t address;
    unsigned len;
    bool vram;
    bool operator==(const Read& o) const {
      return row == o.row && address == o.address && len == o.len && vram == o.vram;
    }
  };
  struct Job {
    unsigned row, level;
    Key key;
    bool half, read, line, below, engine;
    unsigned cycles = 0, in_its_way = 0;
  };
  struct Row {
    std::optional<Table> started, named;
    std::optional<unsigned> latest;               ///< the row's latest index
    std::array<std::optional<unsigned>, 2> word;  ///< indexed by the lowest bit of the level
  };
  using Start = GMMU_STRUCT(gmmu_mmu_inner_bench, start_t);
  auto Ar() const { return Unpack<GMMU_STRUCT(gmmu_mmu_inner_bench, ax_t)>(t.re_ar_o[n]); }
  const unsigned spaces_ = n ? 2 : 16;
  std::array<Shape, 16> shapes_;
  std::array<Row, 9> row_;
  std::optional<Job> job_;
  std::optional<Read> port_;                         ///< the read that the port offers
  std::optional<Read> parked_;                       ///< the parked read, which waits until another read may start
  std::deque<std::pair<unsigned, unsigned>> asked_;  ///< requested shapes, each by space and level
  Standing<uint64_t> stands_{"a read"};
  unsigned starts_ = 0, put_off_ = 0, passed_ = 0, parks_[2] = {0, 0}, descends_ = 0, jobs_ = 0, reads_ = 0,
           aborts_ = 0, pairs_ = 0, quick_ = 0;

  void SetUp() override {
    for (unsigned s = 0; s < spaces_; ++s) {
      Shape& shape = shapes_[s];
      uint64_t shifts = 0, bits = 0;
      for (unsigned l = 0; l < 6; ++l) {
        shape.bits[l] = l == 0 ? 1 + Random(5) : 1 + Random(13);
        shape.shift[l] = Random(35);
        shifts |= uint64_t{shape.shift[l]} << (6 * l);
        bits |= uint64_t{shape.bits[l]} << (4 * l);
      }
      shape.shift[6] = 4, shape.bits[6] = Random(10), shape.dual = s % 2 != 0;
      t.re_write_i = 1;
      t.re_write_space_i = static_cast<uint8_t>(s);
      t.re_shifts_i = shifts;
      t.re_bits_i = static_cast<uint32_t>(bits);
      t.re_bits_64k_i = static_cast<uint8_t>(shape.bits[6]);
      t.re_dual_i = shape.dual;
      Step();
      t.re_write_i = 0;
      for (int i = 0; i < 7; ++i) Step();
    }
  }
  Table SomeTable() { return {Random(8) == 0 ? kVpnMask : rng() & kVpnMask, Random(2) != 0}; }
  static unsigned Masked(uint64_t value, unsigned bits) { return static_cast<unsigned>(value & ((1u << bits) - 1)); }
  Read ReadOf(unsigned row, const Table& table, unsigned index, bool line) const {
    const uint64_t word = line ? index & 0x1f8 : index & 0x1ff;
    return {row, ((table.pfn + (index >> 9)) & kVpnMask) << 12 | word << 3, line ? 8 / t.data_words_o - 1u : 0,
            table.vram};
  }
  unsigned IndexOf(const Job& job) {
    const Shape& shape = shapes_[job.key.space];
    unsigned index = Masked(job.key.vpn >> shape.shift[job.level], shape.bits[job.level]);
    // At the level of the pairs, the lowest index bit selects the half.
    if (shape.dual && job.level == 1) index = (index & ~1u) | unsigned{job.half}, ++pairs_;
    return index;
  }

  void Cycle(unsigned busy, unsigned stall, bool kill) {
    // A job is offered until it is done or aborted.
    if (!job_ && Chance(busy)) {
      Job job{Random(rows),   Random(7),      {Random(spaces_), rng() & kVpnMask, false},
              Random(2) != 0, Random(2) != 0, Random(3) == 0,
              Random(2) != 0, Random(4) == 0};
      const Row& row = row_[job.row];
      if (!job.read || (job.below ? row.named : row.started)) job_ = job;
    }
    const bool gives_up = job_ && Random(30) == 0;
    t.re_job_i = job_.has_value();
    if (job_) {
      t.key_i = job_->key.Raw();
      t.re_job_row_i = static_cast<uint8_t>(job_->row);
      t.re_job_level_i = static_cast<uint8_t>(job_->level);
      t.re_job_half_i = job_->half;
      t.re_job_read_i = job_->read;
      t.re_job_line_i = job_->line;
      t.re_job_below_i = job_->below;
      t.re_job_engine_i = job_->engine;
    }
    const bool full = Chance(40), engine = Random(4) == 0;
    t.re_full_i = full;
    t.re_start_engine_i = engine;
    t.re_abort_i = gives_up || kill;
    t.kill_i = kill;
    // Drive a start of another row.
    const unsigned s = Random(rows);
    const bool starts = !kill && Chance(busy / 2) && !(job_ && job_->row == s);
    const Table table = SomeTable();
    const unsigned level = Random(3) == 0 ? 0 : Random(6), cause = Random(8) == 0 ? 1 + Random(5) : 0;
    const unsigned index = Random(8192), bits = 1 + Random(13);
    const bool index_valid = Random(2) != 0, k64 = level == 0 && Random(3) == 0, start_line = Random(3) == 0;
    const Key page{0, rng() & kVpnMask, false};
    t.re_start_i = starts;
    t.re_start_row_i = static_cast<uint8_t>(s);
    t.other_i = page.Raw();
    Start start{};
    start.cause = static_cast<uint8_t>(cause), start.level = static_cast<uint8_t>(level), start.k64 = k64;
    start.pfn = table.pfn, start.vram = table.vram;
    start.index_valid = index_valid, start.index = static_cast<uint16_t>(index);
    start.bits = static_cast<uint8_t>(bits);
    t.start_i = Pack(start);
    t.re_start_line_i = start_line;
    // Drive a beat of a row whose next index is known.
    const unsigned b = Random(rows);
    const bool beat = row_[b].latest && Chance(busy / 2), descends = Random(4) != 0, line = Random(3) == 0;
    const Table next = SomeTable();
    const unsigned low = Random(2);
    t.re_beat_i = beat;
    t.re_beat_row_i = static_cast<uint8_t>(b);
    t.re_beat_low_i = low != 0;
    t.re_descend_i = descends;
    t.re_descend_pfn_i = next.pfn;
    t.re_descend_vram_i = next.vram;
    t.re_descend_line_i = line;
    // Drive a pointer for later jobs.
    const unsigned w = Random(rows);
    const bool writes = Random(4) == 0 && !(job_ && job_->row == w);
    const Table named = SomeTable();
    t.re_table_i = writes;
    t.re_table_row_i = static_cast<uint8_t>(w);
    t.re_table_pfn_i = named.pfn;
    t.re_table_vram_i = named.vram;
    t.re_shape_space_i = static_cast<uint8_t>(Random(spaces_));
    t.re_shape_level_i = static_cast<uint8_t>(Random(7));
    t.re_ar_ready_i = !Chance(stall);
    Settle();

    // A start bypasses the port's register if that is empty.
    const bool known = index_valid || level == 0, knows = starts && cause == 0 && known;
    const bool begins = knows && (engine || (!full && !parked_)), passes = begins && !port_;
    const unsigned first = index_valid ? index : Masked(k64 ? page.vpn >> 4 : page.vpn, bits);
    const std::optional<Read> offered = passes ? ReadOf(s, table, first, start_line) : port_;
    ASSERT_EQ(t.re_ar_valid_o[n] != 0, offered.has_value()) << "cycle " << now;
    if (offered) {
      const Read shown{Ar().id, Ar().addr, Ar().len, Ar().port == 0};
      ASSERT_TRUE(shown == *offered) << "cycle " << now << " row " << shown.row << " " << std::hex << shown.address
                                     << ", not " << offered->row << " " << offered->address;
    }
    passed_ += passes;
    stands_.Look(t.re_ar_valid_o[n], t.re_ar_ready_i, Ar().addr);
    if (row_[b].word[0]) ASSERT_EQ(t.re_own_o[n], *row_[b].word[0]) << "cycle " << now;
    if (row_[b].word[low] && t.data_words_o > 1) ASSERT_EQ(t.re_lane_o[n], *row_[b].word[low]) << "cycle " << now;
    ASSERT_EQ(t.re_job_busy_o[n] != 0, job_ && job_->cycles > 0) << "cycle " << now;
    if (asked_.size() == 2) {
      const Shape& shape = shapes_[asked_.front().first];
      const unsigned l = asked_.front().second, leaf = shape.bits[0];
      ASSERT_EQ(t.re_shape_shift_o[n], shape.shift[l] + (shape.dual && l == 1));
      ASSERT_EQ(t.re_shape_line_o[n], leaf >= 3 ? 7u : (1u << leaf) - 1);
      asked_.pop_front();
    }
    asked_.push_back({t.re_shape_space_i, t.re_shape_level_i});

    // Priority at the port: beat, start, parked read, job.
    const bool free = !offered || t.re_ar_ready_i;
    std::optional<Read> sent;
    const bool descend_sent = beat && descends && free && !kill;
    ASSERT_EQ(t.re_descend_sent_o[n] != 0, descend_sent) << "cycle " << now;
    if (descend_sent) sent = ReadOf(b, next, *row_[b].latest, line), ++descends_;
    const bool start_sent = begins && (passes || (free && !beat));
    ASSERT_EQ(t.re_start_sent_o[n] != 0, start_sent) << "cycle " << now;
    if (start_sent && !passes) sent = ReadOf(s, table, first, start_line);
    starts_ += start_sent;
    put_off_ += starts && !start_sent;
    const std::optional<Read> parked = parked_;
    const bool start_parked = knows && !begins && !parked;
    ASSERT_EQ(t.re_start_parked_o[n] != 0, start_parked) << "cycle " << now;
    if (start_parked) parked_ = ReadOf(s, table, first, start_line), ++parks_[0];
    const bool parked_sent = parked && !full && free && !beat && (passes || !begins) && !kill;
    ASSERT_EQ(t.re_parked_sent_o[n] != 0, parked_sent) << "cycle " << now;
    if (parked_sent) sent = parked, parked_.reset();
    const bool done = t.re_job_done_o[n] != 0;
    if (job_) {
      const bool may = job_->engine || (!full && !parked);
      const bool blocked = starts || kill || (job_->read && (may ? !free || beat || parked_sent : parked.has_value()));
      ASSERT_EQ(done, job_->cycles >= 3 && !blocked) << "cycle " << now << " " << job_->cycles;
      job_->in_its_way += blocked;
      if (done) {
        const unsigned found = IndexOf(*job_);
        Row& row = row_[job_->row];
        ASSERT_EQ(t.re_job_parked_o[n] != 0, job_->read && !may) << "cycle " << now;
        if (job_->read) {
          const Read read = ReadOf(job_->row, job_->below ? *row.named : *row.started, found, job_->line);
          (may ? sent : parked_) = read;
          ++(may ? reads_ : parks_[1]);
        }
        row.latest = found;
        row.word[job_->level & 1] = found & 7;
        quick_ += job_->cycles == 3;
        ++jobs_;
      }
    } else {
      ASSERT_FALSE(done);
    }
    Step();

    if (kill) parked_.reset();
    if (passes && !free) port_ = offered;
    else if (free) port_ = sent;
    if (starts) {
      row_[s].started = table;
      row_[s].word[level & 1] = known ? std::optional<unsigned>(first & 7) : std::nullopt;
    }
    if (writes) row_[w].named = named;
    if (job_) {
      ++job_->cycles;
      if (done) job_.reset();
      else if (gives_up || kill) job_->cycles = 0, ++aborts_;
      if (job_ && gives_up && Random(2)) job_.reset();
    }
  }
};

TEST_P(WalkReadTest, EachReadLeavesOnceWithItsAddress) {
  for (int i = 0; i < 6000 && !HasFatalFailure(); ++i) {
    const int round = i / 500 % 4;
    Cycle(round == 0 ? 100 : round == 1 ? 20 : 60, round == 2 ? 60 : round == 3 ? 95 : 0, Random(100) == 0);
  }
  EXPECT_GT(starts_, 100u);
  EXPECT_GT(passed_, 50u);
  EXPECT_GT(parks_[0], 50u);
  EXPECT_GT(parks_[1], 50u);
  EXPECT_GT(put_off_, 100u);
  EXPECT_GT(descends_, 100u);
  EXPECT_GT(jobs_, 300u);
  EXPECT_GT(reads_, 50u);
  EXPECT_GT(quick_, 50u);
  EXPECT_GT(pairs_, 10u);
  EXPECT_GT(aborts_, 20u);
}

TEST_P(WalkReadTest, AStartLeavesAtOnceAndGoesBeforeAJob) {
  Cycle(0, 0, false);
  t.re_ar_ready_i = 1;
  t.re_job_i = t.re_job_read_i = 1;
  t.re_job_row_i = 1;
  t.re_job_below_i = t.re_job_line_i = 0;
  t.re_job_level_i = 6;
  t.re_beat_i = t.re_abort_i = t.kill_i = t.re_table_i = 0;
  t.re_full_i = t.re_start_engine_i = t.re_job_engine_i = 0;
  t.key_i = Key{0, 0, false}.Raw();
  for (int i = 0; i < 3; ++i) Step();
  t.re_start_i = 1;
  t.re_start_row_i = 0;
  Start start{};
  start.level = 3, start.pfn = 0x345, start.vram = 1;
  start.index_valid = 1, start.index = 0x203;
  t.start_i = Pack(start);
  t.re_start_line_i = 0;
  Settle();
  EXPECT_TRUE(t.re_start_sent_o[n]);
  EXPECT_FALSE(t.re_job_done_o[n]);
  ASSERT_TRUE(t.re_ar_valid_o[n]);
  EXPECT_EQ(Ar().addr, 0x346018u);
  EXPECT_EQ(Ar().id, 0);
  Step();
  t.re_start_i = 0;
  Settle();
  EXPECT_FALSE(t.re_ar_valid_o[n]);
  EXPECT_TRUE(t.re_job_done_o[n]);
  Step();
  t.re_job_i = 0;
  Settle();
  ASSERT_TRUE(t.re_ar_valid_o[n]);
  EXPECT_EQ(Ar().id, 1);
  Step();
  Settle();
  EXPECT_FALSE(t.re_ar_valid_o[n]);
}

INSTANTIATE_TEST_SUITE_P(Sizes, WalkReadTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::inner
