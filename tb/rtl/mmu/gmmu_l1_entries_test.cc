// SPDX-License-Identifier: Apache-2.0
// gmmu_l1_entries against a list of entries in C++: what agrees in its short tag is near, what agrees in all is a hit
// with its page; a new entry takes the place of those with its short tag, else the next in turn; kills.
#include <optional>
#include <vector>

#include "inner.h"

namespace gmmu::inner {
namespace {

class L1EntriesTest : public InnerTest {
 protected:
  struct Item {
    bool valid = false;
    Key key;
    Page page;
  };
  struct Kill {
    bool all;
    unsigned space;
  };
  const unsigned entries_ = n ? 2 : 16, spaces_ = n ? 2 : 16;
  std::vector<Item> items_ = std::vector<Item>(entries_);
  unsigned turn_ = 0;
  std::optional<Item> filling_, writing_;  ///< searched for, written in this cycle
  struct Found {
    bool accepted = false, may_miss = false;
    std::optional<Item> near;
    unsigned index = 0;
    Key key;
  };
  Found found_;  ///< of the cycle before
  uint64_t hits_ = 0, near_only_ = 0, misses_ = 0, shared_ = 0, hidden_ = 0;

  /// Sixteen folded bits of the number of the 64 KiB block.
  static unsigned Fold(uint64_t vpn) {
    const uint64_t block = vpn >> 4;
    return static_cast<unsigned>((block ^ block >> 16) & 0xffff);
  }
  static bool SameShortTag(const Key& a, bool a_big, const Key& b, bool b_big) {
    return a.space == b.space && Fold(a.vpn) == Fold(b.vpn) && (a_big || b_big || (a.vpn & 15) == (b.vpn & 15));
  }
  bool Dies(const Item& item, const Kill& kill) const { return kill.all || item.key.space == kill.space; }

  /// Where `item` goes, and what goes for it.
  std::pair<unsigned, std::vector<unsigned>> PlaceOf(const Item& item) const {
    std::vector<unsigned> goes;
    std::optional<unsigned> place;
    for (unsigned i = 0; i < entries_; ++i) {
      if (!items_[i].valid || !SameShortTag(items_[i].key, items_[i].page.big, item.key, item.page.big)) continue;
      goes.push_back(i);
      if (!item.page.big || items_[i].page.big) place = i;
    }
    return {place.value_or(turn_), goes};
  }

  /// One cycle. `look`: a request stands; `accept` it, if there is no fill. `next`: named as the next fill.
  void Cycle(std::optional<Key> look, bool accept, const std::optional<Item>& next = std::nullopt,
             std::optional<Kill> scope = std::nullopt, bool kill = false) {
    accept = accept && look && !filling_;
    t.en_look_i = look.has_value();
    t.en_accept_i = accept;
    t.key_i = look.value_or(Key{Random(spaces_), rng() & kVpnMask, false}).Raw();
    t.other_i = next ? next->key.Raw() : rng() & ((uint64_t{1} << 43) - 1);
    t.en_next_big_i = next ? next->page.big : Random(2);
    t.en_fill_i = filling_.has_value();
    t.en_write_i = writing_.has_value();
    t.en_write_key_i = writing_ ? writing_->key.Raw() : rng() & ((uint64_t{1} << 43) - 1);
    t.page_i = writing_ ? writing_->page.Raw() : rng() & ((uint64_t{1} << 52) - 1);
    t.en_b_key_i = found_.key.Raw();
    t.en_kill_i = kill;
    if (scope) t.en_kill_all_i = scope->all, t.en_kill_space_i = static_cast<uint8_t>(scope->space);
    Settle();
    Compare();

    // What a search of this cycle finds: nothing that changes in it.
    Found found;
    found.accepted = accept;
    found.key = look.value_or(Key{});
    const auto [place, goes] = writing_ ? PlaceOf(*writing_) : std::pair<unsigned, std::vector<unsigned>>{};
    if (accept) {
      for (unsigned i = 0; i < entries_; ++i) {
        if (!items_[i].valid || !SameShortTag(items_[i].key, items_[i].page.big, *look, false)) continue;
        bool hidden = kill && Dies(items_[i], *scope);
        if (writing_) {
          for (const unsigned gone : goes) hidden |= gone == i;
          hidden |= place == i;
          found.may_miss |= turn_ == i;
        }
        hidden_ += hidden;
        if (!hidden) found.near = items_[i], found.index = i;
      }
    }
    Step();
    if (writing_) {
      shared_ += !goes.empty();
      for (const unsigned gone : goes) items_[gone].valid = false;
      const bool turn = goes.empty() || (writing_->page.big && place == turn_ && !Shares(goes));
      if (!kill) {
        Item item = *writing_;
        if (item.page.zero) item.page.read_only = item.page.no_execute = false;
        item.valid = true;
        items_[place] = item;
      }
      if (turn) turn_ = (turn_ + 1) % entries_;
    }
    if (kill) {
      for (Item& item : items_) item.valid = item.valid && !Dies(item, *scope);
    }
    writing_ = kill ? std::nullopt : filling_;
    filling_ = next;
    found_ = found;
  }
  /// A block takes the place of a block; of pages, it takes none.
  bool Shares(const std::vector<unsigned>& goes) const {
    for (const unsigned gone : goes) {
      if (items_[gone].page.big) return true;
    }
    return false;
  }
  void Compare() {
    const unsigned near = t.en_near_o[n], groups = (entries_ + 3) / 4;
    ASSERT_EQ(t.en_far_o[n], ~near & ((1u << groups) - 1)) << "far is not the complement";
    if (found_.accepted && found_.near && !(found_.may_miss && near == 0)) {
      ASSERT_EQ(near, 1u << found_.index / 4) << "cycle " << now;
      const Item& item = *found_.near;
      const bool hit = item.page.big ? item.key.vpn >> 4 == found_.key.vpn >> 4 : item.key.vpn == found_.key.vpn;
      ASSERT_EQ(t.en_hit_o[n] != 0, hit);
      if (hit) {
        ASSERT_EQ(t.en_page_o[n], item.page.Raw());
      }
      ++(hit ? hits_ : near_only_);
    } else {
      ASSERT_EQ(near, 0u) << "cycle " << now;
      misses_ += found_.accepted;
    }
  }
  /// Few spaces, few blocks, and blocks of the same fold.
  Key SomeKey() {
    Key key{Random(std::min(spaces_, 3u)), uint64_t{Random(n ? 2 : 5)} << 4 | Random(16), false};
    if (Random(3) == 0) {  // the same fold: two pieces change alike
      const uint64_t both = 1 + Random(3);
      key.vpn ^= both << 20 | both << 4;
    }
    return key;
  }
  Item SomeItem() {
    Item item;
    item.key = SomeKey();
    item.page = Page::Of(rng() & ((uint64_t{1} << 52) - 1));
    item.page.big = Random(3) == 0;
    item.page.zero = Random(4) == 0;
    return item;
  }
};

TEST_P(L1EntriesTest, EqualsAListOfEntries) {
  Kill scope{false, 0};
  unsigned named = 0;
  for (int i = 0; i < 30000 && !HasFatalFailure(); ++i) {
    const unsigned idle = (i / 1000 % 3) * 40, fills = i / 500 % 4 == 3 ? 60 : 15;
    const bool kill = named > 0 && Random(60) == 0;
    if (named > 0 && !kill && Random(30) == 0) scope = {Random(4) == 0, Random(std::min(spaces_, 3u))}, named = 0;
    const bool fill = !kill && !filling_ && Chance(fills);
    std::optional<Key> look;
    const Item& known = items_[Random(entries_)];
    if (!Chance(idle)) look = known.valid && Random(2) == 0 ? known.key : SomeKey();
    Cycle(look, Chance(85), fill ? std::optional<Item>(SomeItem()) : std::nullopt, scope, kill);
    ++named;
  }
  EXPECT_GT(hits_, 1500u);
  EXPECT_GT(near_only_, 100u);
  EXPECT_GT(misses_, 1500u);
  EXPECT_GT(shared_, 500u);
  EXPECT_GT(hidden_, 50u);
}

TEST_P(L1EntriesTest, ABlockTakesThePlaceOfItsPages) {
  const auto enter = [&](const Item& item) {
    Cycle(std::nullopt, false, item);
    Cycle(std::nullopt, false);
    Cycle(std::nullopt, false);
  };
  Item page;
  for (unsigned i = 0; i < std::min(entries_, 12u); ++i) {
    page.key = {1, 0x120 + i, false};
    page.page.pfn = 0x500 + i;
    enter(page);
  }
  page.key = {1, 0x125, false};
  page.page.pfn = 0x700;
  page.page.big = true;
  enter(page);
  for (unsigned i = 0; i < 16 && !HasFatalFailure(); ++i) Cycle(Key{1, 0x120 + i, false}, true);
  Cycle(std::nullopt, false);
  EXPECT_EQ(hits_, 16u);
}

TEST_P(L1EntriesTest, AResetForgetsAll) {
  for (unsigned i = 0; i < entries_; ++i) {
    Item item;
    item.key = {1, 0x1000 + 64 * i, false};
    Cycle(std::nullopt, false, item);
    for (int k = 0; k < 2; ++k) Cycle(std::nullopt, false);
  }
  t.en_look_i = t.en_accept_i = t.en_fill_i = t.en_write_i = 0;
  Reset(1);
  for (Item& item : items_) item.valid = false;
  turn_ = 0;
  for (unsigned i = 0; i < entries_ && !HasFatalFailure(); ++i) {
    Cycle(Key{1, 0x1000 + 64 * i, false}, true);
  }
  Cycle(std::nullopt, false);
  EXPECT_EQ(hits_ + near_only_, 0u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, L1EntriesTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::inner
