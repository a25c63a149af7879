// SPDX-License-Identifier: Apache-2.0
// gmmu_fill in front of its RAM, against a map in C++: a page that is found is the one entered
// last; what a fill has entered is found; entries at fault and what lies behind a small table
// never are.
#include <array>
#include <map>
#include <optional>
#include <set>

#include "blocks.h"

namespace gmmu::bench {
namespace {

/// docs/page-tables.md, level 0: the page that an entry maps, or nothing.
std::optional<Page> Judge(uint64_t word) {
  const auto bits = [word](unsigned low, unsigned count) {
    return word >> low & ((uint64_t{1} << count) - 1);
  };
  const bool valid = bits(0, 1), zero = bits(1, 1);
  uint64_t raw = bits(12, 36) << 16 | bits(6, 2) << 14 | bits(52, 6) << 8;
  if (zero) return Page(raw | 1 << 7);
  const bool reserved = bits(63, 1) || bits(9, 1) || bits(48, 4) || bits(5, 1) ||
                        (bits(52, 6) != 0 && bits(6, 2) != 3);
  if (!valid || reserved) return std::nullopt;
  return Page(raw | bits(2, 1) << 6 | bits(3, 1) << 5 | bits(4, 1) << 4);
}

class FillTest : public BlockTest {
 protected:
  std::map<Key, uint64_t> model_;  ///< newest page of every key that was ever entered
  const unsigned rows_ = blocks_.small() ? 2 : 9;

  uint64_t SomeWord() {
    uint64_t word = (blocks_.random() & 0xffff'ffff'f000) | 1 | blocks_.Random(32) << 2 << 1;
    word &= ~uint64_t{0x3e2};
    const unsigned kind = blocks_.Random(12);
    if (kind == 0) word = blocks_.random() & ~uint64_t{3};
    if (kind == 1) word = blocks_.random() | 2;
    if (kind == 2) word |= uint64_t{1} << (blocks_.Random(2) == 0 ? 63 : 48 + blocks_.Random(10));
    if (kind == 3) word |= uint64_t{1} << (5 + blocks_.Random(5));
    return word;
  }
  Key SomeKey() {
    Key key;
    key.space = blocks_.Random(2);
    key.vpn = uint64_t{blocks_.Random(blocks_.small() ? 12 : 60)} << 4 | blocks_.Random(16);
    return key;
  }
  void Tick() {
    blocks_.Settle();
    blocks_.Step();
  }
  void WriteLine(unsigned row, const std::array<uint64_t, 8>& line) {
    auto& top = *blocks_.top;
    const unsigned words = top.data_words_o;
    for (unsigned beat = 0; beat < 8 / words; ++beat) {
      top.fi_line_valid_i = 1;
      top.fi_line_row_i = static_cast<uint8_t>(row);
      top.fi_line_beat_i = static_cast<uint8_t>(beat);
      for (unsigned w = 0; w < words; ++w) top.fi_line_word_i[w] = line[beat * words + w];
      Tick();
      top.fi_line_valid_i = 0;
      if (blocks_.Random(3) == 0) Tick();
    }
  }
  void OfferPage(const Key& key, const Page& page) {
    auto& top = *blocks_.top;
    blocks_.SetOther(key);
    top.page_i = page.raw;
    top.fi_page_valid_i = 1;
    Tick();
    top.fi_page_valid_i = 0;
  }
  void Finish() {
    for (int i = 0; !blocks_.top->fi_idle_o; ++i) {
      ASSERT_LT(i, 60) << "the fill unit does not become idle";
      Tick();
    }
  }
  /// Reads a page; `must`: it has to be there.
  void Read(const Key& key, bool must) {
    auto& top = *blocks_.top;
    blocks_.SetKey(key);
    top.l2_read_i = 1;
    Tick();
    top.l2_read_i = 0;
    Tick();
    if (must) {
      ASSERT_TRUE(top.fi_hit_o) << "space " << key.space << " page " << key.vpn;
    }
    if (!top.fi_hit_o) return;
    const auto known = model_.find(key);
    ASSERT_NE(known, model_.end()) << "space " << key.space << " page " << key.vpn;
    ASSERT_EQ(top.fi_page_o, known->second);
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
  auto& top = *blocks_.top;
  unsigned evictions = 0;
  for (int i = 0; i < 600 && !HasFatalFailure(); ++i) {
    const Key key = SomeKey();
    std::set<uint64_t> must;
    if (blocks_.Random(2) == 0) {
      std::array<uint64_t, 8> line;
      for (uint64_t& word : line) word = SomeWord();
      const unsigned row = blocks_.Random(rows_), mask = 7u >> blocks_.Random(4);
      WriteLine(row, line);
      for (unsigned w = 0; w <= mask; ++w) {
        const auto page = Judge(line[w]);
        const Key entered{key.space, (key.vpn & ~uint64_t{mask}) | w, false};
        if (!page) continue;
        model_[entered] = page->raw;
        must.insert(entered.vpn);
      }
      // Another row's line comes in meanwhile; and, at times, a page right behind the start.
      blocks_.SetOther(key);
      top.fi_start_row_i = static_cast<uint8_t>(row);
      top.fi_start_line_i = static_cast<uint8_t>(mask);
      top.fi_start_valid_i = 1;
      blocks_.Settle();
      ASSERT_TRUE(top.fi_start_ready_o);
      Tick();
      top.fi_start_valid_i = 0;
      bool done = false;
      Key with;
      const bool also = blocks_.Random(3) == 0;
      const Page page(blocks_.random() & kVpnMask, 0, false);
      for (int wait = 0; wait < 30 && !done; ++wait) {
        if (also && wait == 2) {
          with = SomeKey();
          blocks_.SetOther(with);
          top.page_i = page.raw;
          top.fi_page_valid_i = 1;
        }
        if (rows_ > 1 && blocks_.Random(2) == 0) {
          top.fi_line_valid_i = 1;
          top.fi_line_row_i = static_cast<uint8_t>((row + 1) % rows_);
          top.fi_line_beat_i = 0;
          top.fi_line_word_i[0] = SomeWord();
        }
        blocks_.Settle();
        done = top.fi_done_o;
        if (done) EXPECT_EQ(top.fi_done_row_o, row);
        evictions += top.fi_eviction_o;
        blocks_.Step();
        top.fi_page_valid_i = top.fi_line_valid_i = 0;
      }
      ASSERT_TRUE(done);
      if (also) {
        Finish();
        model_[with] = page.raw;
        Read(with, true);
        if ((with.vpn >> 4) != (key.vpn >> 4)) must.clear();  // it may have taken the place
      }
    } else {
      const bool big = blocks_.Random(3) == 0;
      const uint64_t pfn = blocks_.random() & kVpnMask;
      const Page page = big ? Page((pfn & ~uint64_t{15}) | (key.vpn & 15), 0, true)
                            : Page(pfn, 0, false);
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

TEST_P(FillTest, LookupsInBetweenFindTheOldBlockWholeOrNothing) {
  auto& top = *blocks_.top;
  for (int i = 0; i < 300 && !HasFatalFailure(); ++i) {
    std::array<uint64_t, 8> line;
    for (uint64_t& word : line) word = SomeWord();
    const unsigned row = blocks_.Random(rows_);
    const Key key = SomeKey();
    WriteLine(row, line);
    auto after = model_;
    for (unsigned w = 0; w < 8; ++w) {
      if (const auto page = Judge(line[w])) {
        after[{key.space, (key.vpn & ~uint64_t{7}) | w, false}] = page->raw;
      }
    }
    blocks_.SetOther(key);
    top.fi_start_row_i = static_cast<uint8_t>(row);
    top.fi_start_line_i = 7;
    top.fi_start_valid_i = 1;
    top.l2_read_i = 1;
    bool idle = false;
    Key read;  // of the cycle before: what it found shows now
    for (int wait = 0; wait < 40 && !idle; ++wait) {
      const Key next = SomeKey();
      blocks_.SetKey(next);
      blocks_.Settle();
      blocks_.Step();
      top.fi_start_valid_i = 0;
      idle = wait > 1 && top.fi_idle_o;
      if (top.fi_hit_o && wait > 0) {
        const bool old = model_.count(read) && model_[read] == top.fi_page_o;
        const bool fresh = after.count(read) && after[read] == top.fi_page_o;
        ASSERT_TRUE(old || fresh) << "space " << read.space << " page " << read.vpn;
      }
      read = next;
    }
    top.l2_read_i = 0;
    ASSERT_TRUE(idle);
    model_ = after;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, FillTest, SizesAndSeeds(), SizeAndSeed);

}  // namespace
}  // namespace gmmu::bench
