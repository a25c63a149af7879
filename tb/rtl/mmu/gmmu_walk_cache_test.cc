// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_walk_cache against a map in C++. A probe finds only entries that were written and not
// dropped, at the lowest cached level, and finds the latest write at once. Large pages are checked
// against a list: a hit returns the page number of the searched page.
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "blocks.h"

namespace gmmu::bench {
namespace {

class WalkCacheTest : public BlocksTest {
 protected:
  static constexpr std::array<unsigned, 6> kShift{0, 9, 18, 27, 30, 33};  // bit positions in page numbers
  struct Pointer {
    uint64_t pfn;
    bool vram;
  };
  std::array<std::map<Key, Pointer>, 6> model_;

  WalkCacheTest() {
    uint64_t shifts = 0;
    for (unsigned l = 1; l < 6; ++l) shifts |= uint64_t{kShift[l]} << ((l - 1) * 6);
    t.wc_shifts_i = static_cast<uint32_t>(shifts);
    t.wc_leaves_i = 1;
    SetScope(true);
    for (unsigned s = 0; s < 16; ++s) Sweep(s);
    Run(3);
  }
  Key SomeKey() {
    Key key;
    key.space = Random(2);
    key.vpn = (uint64_t{Random(3)} << 33 | uint64_t{Random(2)} << 27 | uint64_t{Random(3)} << 18 |
               uint64_t{Random(4)} << 9 | Random(512)) &
              kVpnMask;
    return key;
  }
  static Key Masked(const Key& key, unsigned level) {
    return {key.space, key.vpn >> kShift[level] << kShift[level], false};
  }
  /// Probes, and compares the result with the model. `must`: the probe has to hit at this level or
  /// a lower one; nullopt: it may miss.
  void Probe(const Key& key, std::optional<unsigned> must) {
    SetKey(key);
    t.wc_enable_i = 1;
    Step();
    t.wc_enable_i = 0;
    Step();
    if (must) {
      ASSERT_TRUE(t.wc_hit_o[n]);
      ASSERT_LE(t.wc_level_o[n], *must);
    }
    if (!t.wc_hit_o[n]) return;
    const auto& level = model_[t.wc_level_o[n]];
    const auto found = level.find(Masked(key, t.wc_level_o[n]));
    ASSERT_NE(found, level.end()) << "never written, or dropped";
    ASSERT_EQ(Page(t.lg_page_o[n]).pfn(), found->second.pfn);
    ASSERT_EQ(t.wc_vram_o[n], found->second.vram);
    ++hits_;
  }
  /// Probes only to load the key for a sweep.
  void Take(const Key& key) {
    SetKey(key);
    t.wc_enable_i = 1;
    Step();
    t.wc_enable_i = 0;
  }
  unsigned hits_ = 0;
};

TEST_P(WalkCacheTest, FindsOnlyWhatWasWrittenAndNotDropped) {
  for (int i = 0; i < 3000 && !HasFatalFailure(); ++i) {
    const Key key = SomeKey();
    std::optional<unsigned> must;
    if (Random(2) == 0) {
      const unsigned level = 1 + Random(5);
      const bool killed = Random(10) == 0;
      const Pointer pointer{rng() & kVpnMask, Random(2) != 0};
      SetOther(Masked(key, level));
      t.wc_write_i = 1;
      t.wc_level_i = static_cast<uint8_t>(level);
      t.wc_pfn_i = pointer.pfn;
      t.wc_vram_i = pointer.vram;
      t.kill_valid_i = killed;
      Step();
      t.wc_write_i = t.kill_valid_i = 0;
      if (!killed) {
        model_[level][Masked(key, level)] = pointer;
        must = level;
      }
    }
    Probe(must ? key : SomeKey(), must);
    if (Random(60) == 0) {
      const bool all = Random(4) == 0, ranged = Random(2) == 0;
      const unsigned space = Random(2);
      const uint64_t first = SomeKey().vpn, tail = first + (uint64_t{1} << Random(20));
      SetScope(all, ranged, space, first, tail);
      Take({space, first, false});
      for (unsigned s = 0; s < 16; ++s) Sweep(s);
      for (int step = 0; step < 3; ++step) Step();
      const auto [from, to] = Widened(first, tail);
      for (unsigned level = 1; level < 6; ++level) {
        const uint64_t rest = (uint64_t{1} << kShift[level]) - 1;
        for (auto at = model_[level].begin(); at != model_[level].end();) {
          const bool overlaps = at->first.vpn <= to && (at->first.vpn | rest) >= from;
          const bool drop = all || (at->first.space == space && (!ranged || overlaps));
          at = drop ? model_[level].erase(at) : std::next(at);
        }
      }
    }
  }
  EXPECT_GT(hits_, 500u);
}

TEST_P(WalkCacheTest, AnAnswerStandsUntilTheNextProbeWhateverIsWritten) {
  for (unsigned i = 0; i < 100 && !HasFatalFailure(); ++i) {
    const unsigned level = 1 + Random(5);
    const Key key{Random(2), (uint64_t{i} << 9 | uint64_t{4} << 33) & kVpnMask, false};
    Take(Key{key.space, 0, false});
    Probe(key, std::nullopt);
    if (t.wc_hit_o[n]) continue;  // Skip keys that an earlier pointer already covers.
    SetOther(Masked(key, level));
    t.wc_write_i = 1;
    t.wc_level_i = static_cast<uint8_t>(level);
    t.wc_pfn_i = i;
    t.wc_vram_i = 1;
    Step();
    t.wc_write_i = 0;
    for (int cycle = 0; cycle < 4; ++cycle) {
      ASSERT_FALSE(t.wc_hit_o[n]) << "cycle " << cycle << " after the write, key " << i;
      Step();
    }
    model_[level][Masked(key, level)] = {i, true};
    Probe(key, level);
    ++hits_;
  }
  EXPECT_GT(hits_, 5u);
}

/// The pointer in one half of a pair is found only by walks that read that half; other pointers are
/// found by every walk.
TEST_P(WalkCacheTest, BothHalvesOfAPairAreKeptAndToldApart) {
  const auto write = [&](const Key& key, uint64_t pfn, bool k64, bool half) {
    SetOther(Masked(key, 1));
    t.wc_level_i = 1;
    t.wc_pfn_i = pfn;
    t.wc_k64_i = k64;
    t.wc_write_half_i = half;
    t.wc_write_i = 1;
    Step();
    t.wc_write_i = 0;
  };
  const auto probe = [&](const Key& key, bool half) -> std::optional<uint64_t> {
    SetKey(key);
    t.wc_half_i = half;
    t.wc_enable_i = 1;
    Step();
    t.wc_enable_i = 0;
    Step();
    if (!t.wc_hit_o[n]) return std::nullopt;
    EXPECT_EQ(t.wc_level_o[n], 1);
    return Page(t.lg_page_o[n]).pfn() << 1 | t.wc_k64_o[n];
  };
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    Key key = SomeKey();
    key.space = 1;
    const uint64_t narrow = rng() & kVpnMask, wide = rng() & kVpnMask;
    const bool first = Random(2) != 0;
    write(key, first ? narrow : wide, !first, !first);
    EXPECT_EQ(probe(key, first), std::nullopt) << "the other half has not been written";
    write(key, first ? wide : narrow, first, first);
    EXPECT_EQ(probe(key, false), narrow << 1);
    EXPECT_EQ(probe(key, true), wide << 1 | 1);
    key.space = 0;
    const bool k64 = Random(2) != 0;
    write(key, narrow, k64, false);
    EXPECT_EQ(probe(key, false), narrow << 1 | k64);
    SetScope(true);
    for (unsigned s = 0; s < 16; ++s) Sweep(s);
    for (int step = 0; step < 3; ++step) Step();
    EXPECT_EQ(probe(key, false), std::nullopt);
  }
}

class LargeTest : public WalkCacheTest {
 protected:
  struct Entry {
    unsigned space, level;
    uint64_t vpn, pfn;
    uint64_t Rest() const { return (uint64_t{1} << kShift[level]) - 1; }
  };
  std::vector<Entry> entered_;

  /// Returns the large page at place `place`. Every place has a different translation, which
  /// identifies it.
  static Entry At(unsigned place) {
    return {place & 1, 1 + place % 3, uint64_t{place} << 27, (uint64_t{place} + 100) << 27};
  }
  void Search(unsigned space, uint64_t vpn, bool counts, bool must) {
    SetKey({space, vpn, false});
    t.wc_half_i = dual_;
    t.wc_enable_i = 1;
    Step();
    t.wc_enable_i = 0;
    t.wc_leaves_i = counts;
    Step();
    t.wc_leaves_i = Random(2) != 0;
    const Page page(t.lg_page_o[n]);
    const bool hit = t.lg_hit_o[n];
    if (must) {
      ASSERT_TRUE(hit);
    }
    if (!hit) return;
    ASSERT_TRUE(counts);
    ASSERT_EQ(t.wc_level_o[n], page.level());
    ++hits_;
    for (const Entry& e : entered_) {
      if (e.space != space || ((e.vpn ^ vpn) & ~e.Rest()) != 0) continue;
      ASSERT_EQ(page.pfn(), e.pfn | (vpn & e.Rest()));
      ASSERT_EQ(page.level(), e.level);
      ASSERT_TRUE(page.big());
      return;
    }
    FAIL() << "never entered, or dropped";
  }
  /// Starts a fill, and delays it with pointer writes. Returns whether the page was entered rather
  /// than dropped by a kill.
  bool Fill(const Entry& e, uint64_t vpn) {
    SetOther({e.space, vpn, false});
    t.page_i = Page(e.pfn | (vpn & e.Rest()), e.level, true).raw;
    t.lg_shift_i = static_cast<uint8_t>(kShift[e.level]);
    t.lg_fill_i = 1;
    Step();
    t.lg_fill_i = 0;
    EXPECT_TRUE(t.lg_kept_o[n]);
    t.lg_dual_i = dual_;
    t.wc_level_i = 5;  // Writes of other pointers delay the fill.
    const bool killed = Random(10) == 0;
    const unsigned waits = Random(4);
    for (unsigned i = 0; i < 1 + waits; ++i) {
      SetOther({3, vpn, false});
      t.wc_write_i = i > 0 || Random(2) != 0;
      t.kill_valid_i = killed && i == waits;
      t.lg_fill_i = Random(2) != 0;  // While a fill waits, another one is dropped.
      Step();
      t.wc_write_i = t.kill_valid_i = t.lg_fill_i = 0;
      EXPECT_EQ(t.lg_kept_o[n], !(killed && i == waits)) << i;
    }
    Step();
    EXPECT_FALSE(t.lg_kept_o[n]);
    return !killed;
  }
  bool dual_ = false;
};

TEST_P(LargeTest, HitsAreWhatWasEnteredAndNotDropped) {
  dual_ = seed % 2 == 0;  // In a dual space, level 1 uses the rows of the 64 KiB halves.
  for (int i = 0; i < 4000 && !HasFailure(); ++i) {
    const Entry e = At(Random(24));
    const uint64_t vpn = e.vpn | (rng() & e.Rest());
    bool must = false;
    if (Random(3) == 0 && Fill(e, vpn)) {
      entered_.push_back(e);
      must = true;
    }
    Search(Random(8) == 0 && !must ? 2 : e.space, vpn, must || Random(9) != 0, must);
    if (Random(80) == 0) {
      const bool all = Random(4) == 0, ranged = Random(2) == 0;
      const unsigned space = Random(2);
      const uint64_t first = At(Random(24)).vpn + Random(600);
      const uint64_t tail = first + (uint64_t{1} << Random(28));
      SetScope(all, ranged, space, first, tail);
      Take({space, first, false});
      for (unsigned s = 0; s < 16; ++s) Sweep(s);
      Run(3);
      const auto [from, to] = Widened(first, tail);
      for (auto at = entered_.begin(); at != entered_.end();) {
        const bool overlaps = at->vpn <= to && (at->vpn | at->Rest()) >= from;
        const bool drop = all || (at->space == space && (!ranged || overlaps));
        at = drop ? entered_.erase(at) : at + 1;
      }
    }
  }
  EXPECT_GT(hits_, 500u);
}

/// A lower-level pointer has priority over a large page. A walk that requests pointers ignores the
/// large page.
TEST_P(LargeTest, ALargePageIsNoPointer) {
  const Entry e = At(1);  // a level-2 entry
  const auto write = [&](unsigned level, uint64_t pfn) {
    SetOther(Masked({e.space, e.vpn, false}, level));
    t.wc_level_i = static_cast<uint8_t>(level);
    t.wc_pfn_i = pfn;
    t.wc_write_i = 1;
    Step();
    t.wc_write_i = 0;
  };
  while (!Fill(e, e.vpn | 5)) {}
  entered_.push_back(e);
  Search(e.space, e.vpn | 77, true, true);
  Search(e.space, e.vpn | 77, false, false);
  EXPECT_FALSE(t.wc_hit_o[n]);
  write(3, 0x333);
  Search(e.space, e.vpn | 77, true, true);
  Search(e.space, e.vpn | 77, false, false);
  ASSERT_TRUE(t.wc_hit_o[n]);
  EXPECT_EQ(t.wc_level_o[n], 3);
  EXPECT_EQ(Page(t.lg_page_o[n]).pfn(), 0x333u);
  write(1, 0x111);
  Search(e.space, e.vpn | 77, true, false);
  EXPECT_FALSE(t.lg_hit_o[n]);
  ASSERT_TRUE(t.wc_hit_o[n]);
  EXPECT_EQ(t.wc_level_o[n], 1);
  EXPECT_EQ(Page(t.lg_page_o[n]).pfn(), 0x111u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, WalkCacheTest, SizesAndSeeds(2, 4), SizeAndSeed);
INSTANTIATE_TEST_SUITE_P(Sizes, LargeTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::bench
