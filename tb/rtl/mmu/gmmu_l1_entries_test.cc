// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_l1_entries against a model of its entries and hints. A hint selects one entry, which
// hits only if its whole key matches. The model also predicts where a new entry goes and which
// entries a sweep drops.
#include <array>
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
  struct Hint {
    bool big = false;
    unsigned index = 0, check = ~0u;
  };
  const unsigned entries_ = n ? 2 : 16, spaces_ = n ? 2 : 16;
  std::vector<Item> items_ = std::vector<Item>(entries_);
  std::vector<Hint> pages_ = std::vector<Hint>(2 * entries_);
  std::vector<Hint> blocks_ = std::vector<Hint>(entries_);
  unsigned next_ = 0, victim_ = 0;
  std::optional<Item> filling_, placing_, writing_;  ///< the stages of a fill, one cycle each
  struct Found {
    bool near = false;
    unsigned index = 0;
    Key key;
  };
  Found found_;  ///< what the hints gave for the previous cycle's request
  Found place_;  ///< what the hints gave for the previous cycle's fill
  uint64_t hits_ = 0, near_only_ = 0, far_ = 0, again_ = 0, dropped_ = 0, old_hints_ = 0;

  L1EntriesTest() {  // Start as after a reset: all entries are invalid, but the hints are random.
    for (unsigned i = 0; i < entries_; ++i) Sweep(i, true, 0);
    while (Unknown()) {  // Repeat until the model knows every hint.
      Item item;
      item.key = {0, (rng() & 0xffff) | 0x80, false};
      Enter(item);
    }
    for (unsigned i = 0; i < entries_; ++i) Sweep(i, true, 0);
    hits_ = near_only_ = far_ = again_ = dropped_ = old_hints_ = 0;
  }

  bool Unknown() const {
    for (const auto* hints : {&pages_, &blocks_}) {
      for (const Hint& hint : *hints) {
        if (hint.check == ~0u) return true;
      }
    }
    return false;
  }
  static unsigned Block(const Key& key) {
    unsigned block = (key.space & 15) << 4 | key.space >> 4;
    for (unsigned i = 0; i < 4; ++i) block ^= key.vpn >> (4 + 8 * i) & 255;
    return block;
  }
  unsigned PageSet(const Key& key) const { return (Block(key) ^ (key.vpn & 15)) % (2 * entries_); }
  static unsigned PageCheck(const Key& key) { return (Block(key) >> 5 << 1 | 1) ^ (key.vpn & 15); }
  unsigned BlockSet(const Key& key) const { return Block(key) % entries_; }
  static unsigned BlockCheck(const Key& key) { return Block(key) >> 4 & 7; }

  Found Search(const Key& key) const {
    const Hint& block = blocks_[BlockSet(key)];
    if (block.big && block.check == BlockCheck(key)) return {true, block.index, key};
    const Hint& page = pages_[PageSet(key)];
    return {page.check == PageCheck(key), page.index, key};
  }
  bool Same(const Item& item, const Key& key) const {
    return item.valid && item.key.space == key.space &&
           (item.page.big ? item.key.vpn >> 4 == key.vpn >> 4 : item.key.vpn == key.vpn);
  }

  /// Runs one cycle. `look`: the request to offer. `accept`: accept the request unless there is a
  /// fill. `next`: the next item to enter. `stay`: keep the accepted request in its stage. `use`:
  /// entries that must not be replaced.
  void Cycle(std::optional<Key> look, bool accept, const std::optional<Item>& next = std::nullopt, bool stay = false,
             std::array<std::optional<unsigned>, 2> use = {}) {
    stay = stay && found_.near;
    accept = accept && look && !filling_ && !stay;
    const auto any = [&] { return rng() & ((uint64_t{1} << 43) - 1); };
    t.en_look_i = look.has_value();
    t.en_accept_i = accept;
    t.en_stay_i = stay;
    t.key_i = look.value_or(Key{Random(spaces_), rng() & kVpnMask, false}).Raw();
    t.other_i = filling_ ? filling_->key.Raw() : any();
    t.en_fill_i = filling_.has_value();
    t.en_place_i = placing_.has_value();
    t.en_place_key_i = placing_ ? placing_->key.Raw() : any();
    t.en_place_big_i = placing_ && placing_->page.big;
    t.en_write_i = writing_.has_value();
    t.en_write_key_i = writing_ ? writing_->key.Raw() : any();
    t.page_i = writing_ ? writing_->page.Raw() : rng() & ((uint64_t{1} << 52) - 1);
    t.en_key_i = found_.key.Raw();
    t.en_use_i = static_cast<uint8_t>(use[0].has_value() | use[1].has_value() << 1);
    for (unsigned i = 0; i < 2; ++i) t.en_use_index_i[i] = static_cast<uint8_t>(use[i].value_or(0));
    const unsigned shown = Random(entries_);
    t.en_page_index_i = static_cast<uint8_t>(found_.near ? found_.index : shown);
    Settle();
    Compare();

    Found found = found_;
    if (accept) {
      found = Search(*look);
    } else if (!stay) {
      found = {};
    }
    const Found place = filling_ ? Search(filling_->key) : Found{};
    std::optional<unsigned> entered;
    if (writing_) {
      const bool used = use[0] == victim_ || use[1] == victim_ || (found_.near && found_.index == victim_);
      dropped_ += used;
      if (!used) entered = victim_;
    }
    if (placing_) {
      const Item& there = items_[place_.index];
      const bool again = place_.near && (there.key.vpn >> 4 & 15) == (placing_->key.vpn >> 4 & 15) &&
                         (placing_->page.big || (there.key.vpn & 15) == (placing_->key.vpn & 15));
      again_ += again;
      victim_ = again ? place_.index : next_;
      if (!again) next_ = (next_ + 1) % entries_;
    }
    Step();
    if (entered) {
      Item item = *writing_;
      item.valid = true;
      items_[*entered] = item;
      pages_[PageSet(item.key)] = {false, *entered, PageCheck(item.key)};
      blocks_[BlockSet(item.key)] = {item.page.big, *entered, BlockCheck(item.key)};
    }
    writing_ = placing_;
    placing_ = filling_;
    filling_ = next;
    found_ = found;
    place_ = place;
  }
  void Enter(const Item& item) {
    Cycle(std::nullopt, false, item);
    for (int i = 0; i < 3; ++i) Cycle(std::nullopt, false);
  }
  void Sweep(unsigned index, bool all, unsigned space) {
    GMMU_STRUCT(gmmu_mmu_inner_bench, sweep_t) sweep{};
    sweep.valid = 1, sweep.index = static_cast<uint16_t>(index);
    sweep.all = all, sweep.space = static_cast<uint8_t>(space);
    t.en_sweep_i = Pack(sweep);
    Cycle(std::nullopt, false);
    sweep.valid = 0, t.en_sweep_i = Pack(sweep);
    Item& item = items_[index % entries_];
    if (all || item.key.space == space) {
      item.valid = false;
      if (index < entries_) swept_.push_back(index);
    }
  }
  std::vector<unsigned> swept_;
  void Compare() {
    ASSERT_EQ(t.en_near_o[n] != 0, found_.near) << "cycle " << now;
    if (!found_.near) {
      ++far_;
      return;
    }
    ASSERT_EQ(t.en_index_o[n], found_.index) << "cycle " << now;
    const Item& item = items_[found_.index];
    ASSERT_EQ(t.en_hit_o[n] != 0, Same(item, found_.key)) << "cycle " << now;
    ++(Same(item, found_.key) ? hits_ : near_only_);
    old_hints_ += item.valid && PageSet(item.key) != PageSet(found_.key);
    if (Same(item, found_.key)) {
      ASSERT_EQ(t.en_page_o[n], item.page.Raw());
    }
  }
  /// Returns a key from a few spaces and blocks, some of which have equal hashes.
  Key SomeKey() {
    Key key{Random(std::min(spaces_, 3u)), uint64_t{Random(n ? 2 : 5)} << 4 | Random(16), false};
    if (Random(3) == 0) {  // Change two slices of the page number equally, which keeps the hash.
      const uint64_t both = 1 + Random(3);
      key.vpn ^= both << 20 | both << 4;
      if (Random(2) == 0) key.vpn ^= both << 28 | both << 12;
    }
    return key;
  }
  Item SomeItem() {
    Item item;
    item.key = SomeKey();
    item.page = Page::Of(rng() & ((uint64_t{1} << 52) - 1));
    item.page.big = Random(3) == 0;
    return item;
  }
};

TEST_P(L1EntriesTest, EqualsItsEntriesAndHints) {
  for (int i = 0; i < 30000 && !HasFatalFailure(); ++i) {
    const unsigned idle = (i / 1000 % 3) * 40, fills = i / 500 % 4 == 3 ? 60 : 15;
    const bool fill = !filling_ && !placing_ && Chance(fills);
    std::optional<Key> look;
    const Item& known = items_[Random(entries_)];
    if (!Chance(idle)) look = known.valid && Random(2) == 0 ? known.key : SomeKey();
    if (look && Random(4) == 0) look->vpn ^= Random(16);  // another page of the same block
    std::array<std::optional<unsigned>, 2> use;
    for (auto& one : use) {
      if (Random(3) == 0) one = Random(entries_);
    }
    Cycle(look, Chance(85), fill ? std::optional<Item>(SomeItem()) : std::nullopt, Chance(10), use);
    if (i % 400 != 399) continue;
    for (int k = 0; k < 4; ++k) Cycle(std::nullopt, false);
    const bool all = Random(4) == 0;
    const unsigned space = Random(std::min(spaces_, 3u));
    for (unsigned k = 0; k < entries_; ++k) Sweep(k, all, space);
  }
  EXPECT_GT(hits_, 1500u);
  EXPECT_GT(near_only_, 100u);
  EXPECT_GT(far_, 1500u);
  EXPECT_GT(again_, 150u);
  EXPECT_GT(dropped_, 100u);
  if (!n) EXPECT_GT(old_hints_, 20u);
}

TEST_P(L1EntriesTest, ABlockHitsForEachOfItsPagesAndIsOneEntry) {
  Item block;
  block.page.big = true;
  // Enter the block once per page, as if a miss on each page had been answered.
  for (unsigned i = 0; i < 16; ++i) {
    block.key = {1, 0x120 + i, false};
    block.page.pfn = 0x700;
    Enter(block);
  }
  for (unsigned i = 0; i < 16 && !HasFatalFailure(); ++i) Cycle(Key{1, 0x120 + i, false}, true);
  Cycle(std::nullopt, false);
  EXPECT_EQ(hits_, 16u);
  unsigned of_it = 0;
  for (const Item& item : items_) of_it += item.valid && item.key.vpn >> 4 == 0x12;
  EXPECT_EQ(of_it, 1u);
}

TEST_P(L1EntriesTest, AsManyPagesHitAsThereAreEntries) {
  // Neighbouring pages have separate hints. A page that is entered twice occupies only one entry.
  for (int twice = 0; twice < 2; ++twice) {
    for (unsigned i = 0; i < entries_; ++i) {
      Item page;
      page.key = {1, 0x340 + i, false};
      page.page.pfn = 0x500 + i;
      Enter(page);
    }
  }
  for (unsigned i = 0; i < entries_ && !HasFatalFailure(); ++i) Cycle(Key{1, 0x340 + i, false}, true);
  Cycle(std::nullopt, false);
  EXPECT_EQ(hits_, entries_);
}

TEST_P(L1EntriesTest, ASweepDropsItsScopeOnly) {
  for (unsigned i = 0; i < entries_; ++i) {
    Item page;
    page.key = {i % 2, 0x340 + i, false};
    Enter(page);
  }
  // Sweep indices beyond the last entry wrap around.
  for (unsigned i = 0; i < entries_; ++i) Sweep(entries_ + i, false, 1);
  for (unsigned i = 0; i < entries_ && !HasFatalFailure(); ++i) Cycle(Key{i % 2, 0x340 + i, false}, true);
  Cycle(std::nullopt, false);
  EXPECT_EQ(hits_, entries_ / 2);
  for (unsigned i = 0; i < entries_; ++i) Sweep(i, true, 1);
  hits_ = 0;
  for (unsigned i = 0; i < entries_ && !HasFatalFailure(); ++i) Cycle(Key{i % 2, 0x340 + i, false}, true);
  Cycle(std::nullopt, false);
  EXPECT_EQ(hits_, 0u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, L1EntriesTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::inner
