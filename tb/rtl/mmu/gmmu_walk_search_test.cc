// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_walk_search against a list of rows: searches are back to back, and in either cycle of
// a search a row may begin for the key that was searched two cycles earlier.
#include <deque>
#include <optional>
#include <vector>

#include "inner.h"

namespace gmmu::inner {
namespace {

class WalkSearchTest : public InnerTest {
 protected:
  struct Row {
    Key key;
    bool free = true, open = false, wide = false;
  };
  struct Begin {
    unsigned row;
    Key key;
    bool wide;
  };
  struct Search {
    Key key;
    std::vector<Row> rows;  ///< rows at the time of the search
    std::optional<Begin> first, second;
    unsigned matches = 0;  ///< number of rows that can be joined
  };
  std::vector<Row> model_ = std::vector<Row>(9);
  std::deque<Search> past_;  ///< [0]: the previous cycle's search
  unsigned hits_ = 0, nears_ = 0, fresh_[2] = {0, 0}, several_ = 0, lines_ = 0;

  static bool SameLine(const Key& a, const Key& b) {
    return a.space == b.space && a.high == b.high && a.vpn >> 3 == b.vpn >> 3;
  }
  static bool Fits(const Key& key, bool wide, const Key& want) {
    return SameLine(key, want) && (wide || (key.vpn & 7) == (want.vpn & 7));
  }
  /// Runs one cycle: a search, and a row that begins for the key that was searched two cycles ago
  /// without a match.
  void Cycle(const Key& key, std::optional<unsigned> begin_row, bool wide) {
    std::optional<Begin> begin;
    if (begin_row && past_.size() >= 2 && past_[1].matches == 0) begin = Begin{*begin_row, past_[1].key, wide};
    unsigned free = 0, open = 0, wides = 0;
    for (unsigned r = 0; r < rows; ++r) {
      free |= unsigned{model_[r].free} << r;
      open |= unsigned{model_[r].open} << r;
      wides |= unsigned{model_[r].wide} << r;
    }
    t.key_i = key.Raw();
    t.se_begin_i = begin.has_value();
    t.se_begin_rows_i = static_cast<uint16_t>(1u << (begin ? begin->row : Random(rows)));
    t.other_i = begin ? begin->key.Raw() : Random(2) ? key.Raw() : rng() & ((uint64_t{1} << 43) - 1);
    t.se_wide_i = begin ? wide : Random(2);
    t.se_free_i = static_cast<uint16_t>(free);
    t.se_open_i = static_cast<uint16_t>(open);
    t.se_wide_rows_i = static_cast<uint16_t>(wides);
    const unsigned shown = Random(rows);
    t.se_keys_row_i = static_cast<uint8_t>(shown);
    Settle();
    if (!model_[shown].free) ASSERT_EQ(t.se_key_o[n], model_[shown].key.Raw());
    if (past_.size() >= 2) {  // se_match_o comes one cycle after se_hit_o.
      const Search& search = past_[1];
      if (search.matches != 0) {
        ASSERT_NE(One(t.se_match_o[n]), 64u) << "cycle " << now;
        ASSERT_NE(t.se_match_o[n] & search.matches, 0u) << "cycle " << now;
      }
    }
    if (!past_.empty()) {
      Search& search = past_[0];
      search.second = begin;
      bool near = false;
      unsigned matches = 0;
      for (unsigned r = 0; r < rows; ++r) {
        const Row& row = search.rows[r];
        near |= !row.free && SameLine(row.key, search.key);
        if (!row.free && row.open && Fits(row.key, row.wide, search.key)) matches |= 1u << r;
      }
      for (const auto& b : {search.first, search.second}) {
        if (!b) continue;
        near |= SameLine(b->key, search.key);
        if (Fits(b->key, b->wide, search.key)) matches |= 1u << b->row, ++fresh_[begin && b->row == begin->row ? 1 : 0];
      }
      ASSERT_EQ(t.se_hit_o[n] != 0, matches != 0) << "cycle " << now;
      ASSERT_EQ(t.se_near_o[n] != 0, near) << "cycle " << now;
      several_ += matches != 0 && One(matches) == 64;
      search.matches = matches;
      hits_ += matches != 0;
      nears_ += near && matches == 0;
    }
    Search search{key, model_, begin, std::nullopt, 0};
    Step();
    if (begin) model_[begin->row] = {begin->key, false, true, wide};
    past_.push_front(search);
    if (past_.size() > 3) past_.pop_back();
  }
  Key SomeKey() {
    Key key{Random(2), uint64_t{0x345670} + Random(24), Random(8) == 0};
    if (Random(8) == 0) key.vpn ^= uint64_t{1} << (3 + Random(33));
    return key;
  }
};

TEST_P(WalkSearchTest, FindsTheRowThatWalksForThePage) {
  unsigned begun = 0;
  for (int i = 0; i < 20000 && !HasFatalFailure(); ++i) {
    std::optional<unsigned> begin;
    const unsigned row = Random(rows);
    if (model_[row].free && Random(3) == 0) begin = row;
    // Sometimes search a recent key again: its line may be that of a row that begins now.
    Key key = SomeKey();
    if (!past_.empty() && Random(4) == 0) key = past_[Random(static_cast<unsigned>(past_.size()))].key;
    if (Random(5) == 0) key.vpn ^= Random(8);
    Cycle(key, begin, Random(2) != 0);
    begun += begin && !model_[row].free;
    for (unsigned r = 0; r < rows; ++r) {
      if (model_[r].free || begin == r) continue;
      if (Random(20) == 0) model_[r].open = !model_[r].open;
      if (Random(n ? 8 : 30) == 0) model_[r].free = true, model_[r].open = false;
    }
  }
  EXPECT_GT(begun, 1000u);
  EXPECT_GT(hits_, 1000u);
  EXPECT_GT(nears_, 500u);
  EXPECT_GT(fresh_[0], 100u);
  EXPECT_GT(fresh_[1], 100u);
  EXPECT_GT(several_, n ? 1u : 20u);
}

TEST_P(WalkSearchTest, ALookupBehindTheOneThatBeginsFindsItsRow) {
  for (const bool wide : {false, true}) {
    for (unsigned apart = 1; apart <= 3; ++apart) {
      for (unsigned sub = 0; sub < 2; ++sub) {
        for (Row& row : model_) row = Row();
        const Key key{3, 0x777770, false}, idle{5, 0x10, false};
        const Key next{3, 0x777770 + sub, false};
        for (int i = 0; i < 3; ++i) Cycle(idle, std::nullopt, false);
        for (unsigned c = 0; c < 6 && !HasFatalFailure(); ++c) {
          const auto begins = c == 2 ? std::optional<unsigned>(rows - 1) : std::nullopt;
          Cycle(c == 0 ? key : c == apart ? next : idle, begins, wide);
          if (c == apart + 1) EXPECT_EQ(t.se_match_o[n] != 0, wide || sub == 0) << apart;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, WalkSearchTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::inner
