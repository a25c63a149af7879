// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_fill and its RAM against a map in C++. A read returns the page that was entered last,
// and hits every page that the latest fill has entered. Faulting entries, and words past the end of
// a small table, are never entered.
#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "blocks.h"

namespace gmmu::bench {
namespace {

/// Returns the page that a level-0 entry maps (docs/page-tables.md), or no value.
std::optional<Page> Judge(uint64_t word) {
  const auto bits = [word](unsigned low, unsigned count) { return word >> low & ((uint64_t{1} << count) - 1); };
  const bool valid = bits(0, 1), zero = bits(1, 1);
  uint64_t raw = bits(12, 36) << 16 | bits(6, 2) << 14 | bits(52, 6) << 8;
  if (zero) return Page(raw | 1 << 7);
  const bool reserved = bits(63, 1) || bits(9, 1) || bits(48, 4) || bits(5, 1) || (bits(52, 6) != 0 && bits(6, 2) != 3);
  if (!valid || reserved) return std::nullopt;
  return Page(raw | bits(2, 1) << 6 | bits(3, 1) << 5 | bits(4, 1) << 4);
}

class FillTest : public BlocksTest {
 protected:
  std::map<Key, uint64_t> model_;  ///< the newest page that was entered for each key
  const unsigned rows_ = small() ? 2 : 9;

  uint64_t SomeWord() {
    uint64_t word = (rng() & 0xffff'ffff'f000) | 1 | Random(32) << 2 << 1;
    word &= ~uint64_t{0x3e2};
    const unsigned kind = Random(12);
    if (kind == 0) word = rng() & ~uint64_t{3};
    if (kind == 1) word = rng() | 2;
    if (kind == 2) word |= uint64_t{1} << (Random(2) == 0 ? 63 : 48 + Random(10));
    if (kind == 3) word |= uint64_t{1} << (5 + Random(5));
    return word;
  }
  Key SomeKey() {
    Key key;
    key.space = Random(2);
    key.vpn = uint64_t{Random(small() ? 12 : 60)} << 4 | Random(16);
    return key;
  }
  void WriteLine(unsigned row, const std::array<uint64_t, 8>& line) {
    const unsigned words = t.data_words_o;
    for (unsigned beat = 0; beat < 8 / words; ++beat) {
      t.fi_line_valid_i = 1;
      t.fi_line_row_i = static_cast<uint8_t>(row);
      t.fi_line_beat_i = static_cast<uint8_t>(beat);
      for (unsigned w = 0; w < words; ++w) t.fi_line_word_i[w] = line[beat * words + w];
      Step();
      t.fi_line_valid_i = 0;
      if (Random(3) == 0) Step();
    }
  }
  void OfferPage(const Key& key, const Page& page) {
    SetOther(key);
    t.page_i = page.raw;
    t.fi_page_valid_i = 1;
    Step();
    t.fi_page_valid_i = 0;
  }
  void Finish() {
    for (int i = 0; !t.fi_idle_o[n]; ++i) {
      ASSERT_LT(i, 60) << "the fill unit does not become idle";
      Step();
    }
  }
  /// Reads a page. If `must` is set, the read has to hit.
  void Read(const Key& key, bool must) {
    SetKey(key);
    t.l2_read_i = 1;
    Step();
    t.l2_read_i = 0;
    Step();
    if (must) {
      ASSERT_TRUE(t.fi_hit_o[n]) << "space " << key.space << " page " << key.vpn;
    }
    if (!t.fi_hit_o[n]) return;
    const auto known = model_.find(key);
    ASSERT_NE(known, model_.end()) << "space " << key.space << " page " << key.vpn;
    ASSERT_EQ(t.fi_page_o[n], known->second);
  }
  void ReadBlock(const Key& key, const std::set<uint64_t>& must) {
    for (unsigned sub = 0; sub < 16 && !HasFatalFailure(); ++sub) {
      Key page = key;
      page.vpn = (key.vpn & ~uint64_t{15}) | sub;
      Read(page, must.count(page.vpn) != 0);
    }
  }
};

TEST_P(FillTest, WhatIsFoundIsWhatWasEnteredLast) {
  unsigned evictions = 0;
  for (int i = 0; i < 600 && !HasFatalFailure(); ++i) {
    const Key key = SomeKey();
    std::set<uint64_t> must;
    if (Random(2) == 0) {
      std::array<uint64_t, 8> line;
      for (uint64_t& word : line) word = SomeWord();
      const unsigned row = Random(rows_), mask = 7u >> Random(4);
      WriteLine(row, line);
      for (unsigned w = 0; w <= mask; ++w) {
        const auto page = Judge(line[w]);
        const Key entered{key.space, (key.vpn & ~uint64_t{mask}) | w, false};
        if (!page) continue;
        model_[entered] = page->raw;
        must.insert(entered.vpn);
      }
      // Another row's line arrives at the same time. In some rounds, a single page follows shortly
      // after the start.
      SetOther(key);
      t.fi_start_row_i = static_cast<uint8_t>(row);
      t.fi_start_line_i = static_cast<uint8_t>(mask);
      t.fi_start_valid_i = 1;
      Settle();
      ASSERT_TRUE(t.fi_start_ready_o[n]);
      Step();
      t.fi_start_valid_i = 0;
      bool done = false;
      Key with;
      const bool also = Random(3) == 0;
      const Page page(rng() & kVpnMask, 0, false);
      for (int wait = 0; wait < 30 && !done; ++wait) {
        if (also && wait == 2) {
          with = SomeKey();
          SetOther(with);
          t.page_i = page.raw;
          t.fi_page_valid_i = 1;
        }
        if (rows_ > 1 && Random(2) == 0) {
          t.fi_line_valid_i = 1;
          t.fi_line_row_i = static_cast<uint8_t>((row + 1) % rows_);
          t.fi_line_beat_i = 0;
          t.fi_line_word_i[0] = SomeWord();
        }
        Settle();
        done = t.fi_done_o[n];
        if (done) EXPECT_EQ(t.fi_done_row_o[n], row);
        evictions += t.fi_eviction_o[n];
        Step();
        t.fi_page_valid_i = t.fi_line_valid_i = 0;
      }
      ASSERT_TRUE(done);
      if (also) {
        Finish();
        model_[with] = page.raw;
        Read(with, true);
        // Entering the single page may have evicted the line's block, so its pages need not hit.
        if ((with.vpn >> 4) != (key.vpn >> 4)) must.clear();
      }
    } else {
      const bool big = Random(3) == 0;
      const uint64_t pfn = rng() & kVpnMask;
      const Page page = big ? Page((pfn & ~uint64_t{15}) | (key.vpn & 15), 0, true) : Page(pfn, 0, false);
      OfferPage(key, page);
      Finish();
      for (unsigned sub = 0; sub < 16; ++sub) {
        const Key entered{key.space, (key.vpn & ~uint64_t{15}) | sub, false};
        if (!big && entered.vpn != key.vpn) continue;
        model_[entered] = big ? page.WithLow(sub).raw : page.raw;
        must.insert(entered.vpn);
      }
    }
    if (HasFatalFailure()) return;
    ReadBlock(key, must);
    ReadBlock(SomeKey(), {});
  }
  EXPECT_GT(evictions, 5u);
}

// Enters lines as fast as they are accepted (neighbouring lines, lines of the same block, lines of
// other blocks in the same set, random lines), with single pages in between. A read that hits must
// return the page that was entered last.
TEST_P(FillTest, LinesAreTakenWhileOthersAreWritten) {
  Key key = SomeKey();
  unsigned done = 0, waits = 0;
  const auto cycle = [&] {
    Settle();
    done += t.fi_done_o[n];
    Step();
  };
  for (unsigned round = 0; round < 200 && !HasFatalFailure(); ++round) {
    std::vector<std::array<uint64_t, 8>> lines(rows_);
    for (unsigned r = 0; r < rows_; ++r) {
      for (uint64_t& word : lines[r]) word = SomeWord();
      WriteLine(r, lines[r]);
    }
    const unsigned page_before = Random(2 * rows_);
    for (unsigned r = 0; r < rows_; ++r) {
      if (r == page_before) {
        const Key single = SomeKey();
        const Page page(rng() & kVpnMask, 0, false);
        SetOther(single);
        t.page_i = page.raw;
        t.fi_page_valid_i = 1;
        cycle();
        t.fi_page_valid_i = 0;
        model_[single] = page.raw;
      }
      const unsigned kind = Random(4);
      if (kind < 2) key.vpn += 8;
      if (kind == 2) key.vpn ^= uint64_t{16} << Random(4);
      if (kind == 3 || key.vpn >> 4 >= (small() ? 12u : 60u)) key = SomeKey();
      const unsigned mask = 7u >> Random(4);
      SetOther(key);
      t.fi_start_row_i = static_cast<uint8_t>(r);
      t.fi_start_line_i = static_cast<uint8_t>(mask);
      t.fi_start_valid_i = 1;
      for (Settle(); !t.fi_start_ready_o[n]; Settle()) {
        ASSERT_LT(++waits, 100'000u) << "a line is not taken";
        cycle();
      }
      cycle();
      t.fi_start_valid_i = 0;
      for (unsigned w = 0; w <= mask; ++w) {
        if (const auto page = Judge(lines[r][w])) {
          model_[{key.space, (key.vpn & ~uint64_t{mask}) | w, false}] = page->raw;
        }
      }
    }
    for (int wait = 0; !t.fi_idle_o[n]; ++wait) {
      ASSERT_LT(wait, 100) << "the fill unit does not become idle";
      cycle();
    }
    EXPECT_EQ(done, (round + 1) * rows_);
    for (int block = 0; block < 6 && !HasFatalFailure(); ++block) ReadBlock(block == 0 ? key : SomeKey(), {});
  }
}

TEST_P(FillTest, NeighboursFollowEachOtherWithoutAGap) {
  std::array<uint64_t, 8> line;
  line.fill(uint64_t{0x1234} << 12 | 1);
  for (unsigned r = 0; r < rows_; ++r) WriteLine(r, line);
  Key key{1, 0, false};
  unsigned lines = 0, last = 0, cycles = 0;
  for (unsigned i = 0; lines < 12; ++i) {
    ASSERT_LT(i, 400u);
    SetOther(key);
    t.fi_start_row_i = static_cast<uint8_t>(key.vpn / 8 % rows_);
    t.fi_start_line_i = 7;
    t.fi_start_valid_i = 1;
    Settle();
    const bool takes = t.fi_start_ready_o[n];
    if (t.fi_done_o[n]) {
      if (lines > 1) cycles += i - last;
      last = i;
      ++lines;
    }
    Step();
    if (takes) key.vpn += 8;
  }
  EXPECT_EQ(cycles, 80u);
}

TEST_P(FillTest, LookupsInBetweenFindTheOldBlockWholeOrNothing) {
  for (int i = 0; i < 300 && !HasFatalFailure(); ++i) {
    std::array<uint64_t, 8> line;
    for (uint64_t& word : line) word = SomeWord();
    const unsigned row = Random(rows_);
    const Key key = SomeKey();
    WriteLine(row, line);
    auto after = model_;
    for (unsigned w = 0; w < 8; ++w) {
      if (const auto page = Judge(line[w])) {
        after[{key.space, (key.vpn & ~uint64_t{7}) | w, false}] = page->raw;
      }
    }
    SetOther(key);
    t.fi_start_row_i = static_cast<uint8_t>(row);
    t.fi_start_line_i = 7;
    t.fi_start_valid_i = 1;
    t.l2_read_i = 1;
    bool idle = false;
    Key read;  // the previous cycle's read, which returns in this cycle
    for (int wait = 0; wait < 40 && !idle; ++wait) {
      const Key next = SomeKey();
      SetKey(next);
      Step();
      t.fi_start_valid_i = 0;
      idle = wait > 1 && t.fi_idle_o[n];
      if (t.fi_hit_o[n] && wait > 0) {
        const bool old = model_.count(read) && model_[read] == t.fi_page_o[n];
        const bool fresh = after.count(read) && after[read] == t.fi_page_o[n];
        ASSERT_TRUE(old || fresh) << "space " << read.space << " page " << read.vpn;
      }
      read = next;
    }
    t.l2_read_i = 0;
    ASSERT_TRUE(idle);
    model_ = after;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, FillTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::bench
