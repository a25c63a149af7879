// SPDX-License-Identifier: Apache-2.0
// gmmu_walk_judge against docs/page-tables.md: what leaves in the cycle of a beat, what comes one cycle later, and the
// walk cache's pointer after two.
#include <array>

#include "inner.h"

namespace gmmu::inner {
namespace {

class WalkJudgeTest : public InnerTest {
 protected:
  struct Beat {
    bool valid = false;
    unsigned row = 0, level = 0, beat = 0;
    bool k64 = false, to_64k = false, nothing = false, dual = false;
    bool wide = false, error = false, last = false, descends = false, sent = false, taken = false, big = false;
    uint64_t entry = 0, high_word = 0;
    Key key;
  };
  struct Pointer {
    bool valid = false;
    unsigned level = 0, space = 0;
    uint64_t tag = 0, pfn = 0;
    bool vram = false, k64 = false, half = false;
  };
  Beat before_;
  Pointer pointer_;  ///< for the walk cache
  unsigned descends_ = 0, directs_ = 0, faults_ = 0, pointers_ = 0, stale_ = 0, killed_ = 0, to_64k_ = 0, nothing_ = 0;

  /// One cycle with this beat, if it is valid; all else is chance.
  void Cycle(Beat beat, uint64_t entry, bool kill) {
    const unsigned words = t.data_words_o;
    std::array<Walk, 9> walk;
    for (unsigned r = 0; r < 9; ++r) {
      walk[r] = Walk::Of(rng() & ((uint64_t{1} << Walk::kBits) - 1));
      walk[r].level = Random(6);
      if (r == beat.row) walk[r].level = beat.level, walk[r].wide = beat.wide, walk[r].beat = beat.beat;
      walk[r].k64 = walk[r].k64 && walk[r].level == 0;
      if (r == beat.row) walk[r].k64 = beat.level == 0 && beat.k64;
      walk[r].upper = walk[r].level != 0 || walk[r].k64;
      if (r == before_.row && r != beat.row && Random(2)) walk[r].stale = false;
      t.walk_i[r] = walk[r].Raw();
    }
    const Walk& own = walk[beat.row];
    const unsigned beat_word = Random(8), word = (beat.level == 0 ? own.word : beat_word) % words;
    for (unsigned w = 0; w < 8; ++w) t.word_i[w] = w == word ? entry : SomeEntry(rng);
    beat.high_word = t.word_i[words - 1];
    const bool block_ok = Random(2) != 0;
    t.key_i = beat.key.Raw();
    t.kill_i = kill;
    t.ju_valid_i = beat.valid;
    t.ju_id_i = static_cast<uint8_t>(beat.row);
    t.ju_error_i = beat.error;
    t.ju_last_i = beat.last;
    t.ju_beat_word_i = static_cast<uint8_t>(beat_word);
    t.ju_block_ok_i = block_ok;
    const unsigned shift = before_.level == 0 ? 0 : Random(36), judge_word = Random(8);
    t.ju_shift_i = static_cast<uint8_t>(shift);
    t.ju_word_i = static_cast<uint8_t>(judge_word);
    t.ju_sent_i = t.ju_take_i = 0;
    Settle();

    // In the cycle of the beat.
    const Entry e{entry};
    beat.entry = entry;
    const bool names = !beat.error && e.NamesTable(1);
    beat.to_64k = !beat.error && e.NamesTable64() && own.Takes64K();
    beat.descends = (names && own.Takes4K()) || beat.to_64k;
    beat.nothing = !beat.error && !e.Valid() && !e.Zero() && own.GoesOn();
    beat.dual = own.dual;
    to_64k_ += beat.valid && beat.to_64k, nothing_ += beat.valid && beat.nothing;
    const unsigned fault = beat.error ? kTableRead : e.Fault(0, 0);
    const Page page = e.PageAt(0, 0, beat.key.vpn, block_ok);
    beat.big = page.big;
    ASSERT_EQ(t.ju_beat_rows_o[n], beat.valid ? 1u << beat.row : 0u);
    const bool descend = beat.valid && own.to_table && names, direct = beat.valid && own.to_who;
    ASSERT_EQ(t.ju_descend_o[n] != 0, descend);
    ASSERT_EQ(t.ju_direct_o[n] != 0, direct);
    if (beat.valid) {
      ASSERT_EQ(t.ju_beat_row_o[n], beat.row);
      ASSERT_EQ(t.ju_beat_low_o[n], beat.level & 1);
      ASSERT_EQ(t.ju_wide_o[n] != 0, beat.wide);
    }
    if (descend) {
      ASSERT_EQ(t.ju_pfn_o[n], e.page() & kVpnMask);
      ASSERT_EQ(t.ju_vram_o[n] != 0, e.target() == 1);
      ASSERT_EQ(t.ju_next_line_o[n] != 0, own.to_line);
    }
    if (direct) {
      ASSERT_EQ(t.ju_cause_o[n], fault);
      if (fault == 0) ASSERT_EQ(Page::Of(t.ju_page_o[n]).Seen(), page.Seen());
      ++(fault != 0 ? faults_ : directs_);
    }
    descends_ += descend;
    beat.sent = descend && Random(2) != 0;
    beat.taken = direct && Random(2) != 0;
    t.ju_sent_i = beat.sent;
    t.ju_take_i = beat.taken;
    Settle();

    // What the beat before has told.
    ASSERT_EQ(t.ju_judged_o[n], before_.valid ? 1u << before_.row : 0u);
    ASSERT_EQ(t.ju_line_o[n] != 0, before_.valid);
    const bool table = before_.valid && before_.descends && before_.level != 0;
    ASSERT_EQ(t.ju_table_o[n] != 0, table);
    if (before_.valid) {
      const unsigned verdict = before_.last << 7 | before_.error << 6 | before_.descends << 5 | before_.to_64k << 4 |
                               before_.nothing << 3 | before_.sent << 2 | before_.taken << 1 | before_.big;
      ASSERT_EQ(t.ju_verdict_o[n] >> 1, verdict >> 1);
      if (before_.taken && Entry{before_.entry}.Fault(0, 0) == 0) ASSERT_EQ(t.ju_verdict_o[n] & 1, verdict & 1);
      ASSERT_EQ(t.ju_row_o[n], before_.row);
      ASSERT_EQ(t.ju_low_o[n], before_.level & 1);
      ASSERT_EQ(t.ju_line_beat_o[n],
                before_.level == 0 && before_.wide && !before_.k64 ? before_.beat : judge_word / words);
      ASSERT_EQ(t.ju_line_word_o[n], before_.high_word);
    }
    if (table) {
      ASSERT_EQ(t.ju_table_pfn_o[n], Entry{before_.entry}.page() & kVpnMask);
      ASSERT_EQ(t.ju_table_vram_o[n] != 0, Entry{before_.entry}.target() == 1);
    }
    ASSERT_EQ(t.ju_wc_o[n] != 0, pointer_.valid) << "cycle " << now;
    if (pointer_.valid) {
      ++pointers_;
      ASSERT_EQ(t.ju_wc_level_o[n], pointer_.level);
      ASSERT_EQ(t.ju_wc_space_o[n], pointer_.space);
      ASSERT_EQ(t.ju_wc_tag_o[n], pointer_.tag);
      ASSERT_EQ(t.ju_wc_pfn_o[n], pointer_.pfn);
      ASSERT_EQ(t.ju_wc_vram_o[n] != 0, pointer_.vram);
      ASSERT_EQ(t.ju_wc_k64_o[n] != 0, pointer_.k64);
      ASSERT_EQ(t.ju_wc_half_o[n] != 0, pointer_.half);
    }
    const bool stale = walk[before_.row].stale;
    stale_ += table && stale;
    killed_ += table && kill;
    pointer_ = {table && !stale && !kill,
                before_.level,
                before_.key.space,
                before_.key.vpn >> shift << shift,
                Entry{before_.entry}.page() & kVpnMask,
                Entry{before_.entry}.target() == 1,
                before_.to_64k,
                before_.to_64k && before_.dual};
    Step();
    before_ = beat;
  }
  Beat SomeBeat(unsigned percent) {
    Beat beat;
    beat.valid = Chance(percent);
    beat.row = Random(rows);
    beat.level = Random(3) == 0 ? 1 : Random(6);
    beat.beat = Random(8 / t.data_words_o);
    beat.wide = Random(2) != 0;
    beat.k64 = Random(2) != 0;
    beat.error = Random(10) == 0;
    beat.last = Random(2) != 0;
    beat.key = {Random(64), rng() & kVpnMask, Random(8) == 0};
    return beat;
  }
};

TEST_P(WalkJudgeTest, JudgesAsThePageOfTheFormatSays) {
  for (int i = 0; i < 20000 && !HasFatalFailure(); ++i) {
    const Beat beat = SomeBeat(i % 4000 < 2000 ? 100 : 50);
    uint64_t entry = SomeEntry(rng);
    if (Random(4) == 0) entry |= 1u << 9;
    if (Random(3) == 0) entry = (entry & ~uint64_t{0xf000}) | (beat.key.vpn & 15) << 12;  // contiguous ones that agree
    Cycle(beat, entry, Random(20) == 0);
  }
  EXPECT_GT(descends_, 500u);
  EXPECT_GT(directs_, 500u);
  EXPECT_GT(faults_, 500u);
  EXPECT_GT(pointers_, 500u);
  EXPECT_GT(stale_, 100u);
  EXPECT_GT(killed_, 50u);
  EXPECT_GT(to_64k_, 50u);
  EXPECT_GT(nothing_, 50u);
}

/// Each single bit wrong in an entry that is good by itself.
TEST_P(WalkJudgeTest, EachBitOfAnEntryAlone) {
  for (const uint64_t good :
       {uint64_t{0x345678041}, uint64_t{0x345678001}, uint64_t{0x8000345678005}, uint64_t{0x345678241}}) {
    for (unsigned bit = 0; bit < 64 && !HasFatalFailure(); ++bit) {
      for (unsigned level = 0; level < 3; ++level) {
        Beat beat = SomeBeat(100);
        beat.level = level;
        beat.error = false;
        Cycle(beat, good ^ uint64_t{1} << bit, false);
      }
    }
  }
}

TEST_P(WalkJudgeTest, NothingIsSaidWithoutABeatNorInReset) {
  Cycle(SomeBeat(100), 0x345678041, false);
  if (HasFatalFailure()) return;
  t.ju_valid_i = 1;
  Reset(1);
  t.ju_valid_i = 0;
  Settle();
  EXPECT_EQ(t.ju_judged_o[n], 0);
  EXPECT_FALSE(t.ju_line_o[n] || t.ju_table_o[n] || t.ju_wc_o[n]);
}

INSTANTIATE_TEST_SUITE_P(Sizes, WalkJudgeTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::inner
