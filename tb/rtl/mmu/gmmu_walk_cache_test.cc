// SPDX-License-Identifier: Apache-2.0
// gmmu_walk_cache against a map in C++: a probe finds nothing but what was written and not dropped
// since, at the lowest level that is known; what was written last is found at once.
#include <array>
#include <map>
#include <optional>

#include "blocks.h"

namespace gmmu::bench {
namespace {

class WalkCacheTest : public BlocksTest {
 protected:
  static constexpr std::array<unsigned, 6> kShift{0, 9, 18, 27, 30, 33};  // in page numbers
  struct Pointer {
    uint64_t pfn;
    bool vram;
  };
  std::array<std::map<Key, Pointer>, 6> model_;

  WalkCacheTest() {
    uint64_t shifts = 0;
    for (unsigned l = 1; l < 6; ++l) shifts |= uint64_t{kShift[l]} << ((l - 1) * 6);
    t.wc_shifts_i = static_cast<uint32_t>(shifts);
    t.sweep_all_i = 1;
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
  /// Probes, and compares with what the model allows.
  void Probe(const Key& key, unsigned top_level, std::optional<unsigned> must) {
    SetKey(key);
    t.wc_top_i = static_cast<uint8_t>(top_level);
    t.wc_enable_i = 1;
    Step();
    t.wc_enable_i = 0;
    Step();
    if (must) {
      ASSERT_TRUE(t.wc_hit_o);
      ASSERT_LE(t.wc_level_o, *must);
    }
    if (!t.wc_hit_o) return;
    ASSERT_LE(t.wc_level_o, top_level);
    const auto& level = model_[t.wc_level_o];
    const auto found = level.find(Masked(key, t.wc_level_o));
    ASSERT_NE(found, level.end()) << "never written, or dropped";
    ASSERT_EQ(t.wc_pfn_o, found->second.pfn);
    ASSERT_EQ(t.wc_vram_o, found->second.vram);
    ++hits_;
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
    Probe(must ? key : SomeKey(), must ? 5 : 1 + Random(5), must);
    if (Random(60) == 0) {
      const bool all = Random(4) == 0, ranged = Random(2) == 0;
      const unsigned space = Random(2);
      const uint64_t first = SomeKey().vpn, tail = first + (uint64_t{1} << Random(20));
      t.sweep_all_i = all;
      t.sweep_ranged_i = ranged;
      t.kill_space_i = static_cast<uint8_t>(space);
      t.sweep_first_i = first;
      t.sweep_tail_i = tail;
      for (unsigned s = 0; s < 16; ++s) Sweep(s);
      for (int step = 0; step < 3; ++step) Step();
      for (unsigned level = 1; level < 6; ++level) {
        const uint64_t rest = (uint64_t{1} << kShift[level]) - 1;
        for (auto at = model_[level].begin(); at != model_[level].end();) {
          const bool overlaps = at->first.vpn <= tail && (at->first.vpn | rest) >= first;
          const bool drop = all || (at->first.space == space && (!ranged || overlaps));
          at = drop ? model_[level].erase(at) : std::next(at);
        }
      }
    }
  }
  EXPECT_GT(hits_, 500u);
}

/// Of a pair each half is found by a walk that takes it, and only by that; elsewhere any pointer is.
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
    t.wc_top_i = 5;
    t.wc_half_i = half;
    t.wc_enable_i = 1;
    Step();
    t.wc_enable_i = 0;
    Step();
    if (!t.wc_hit_o) return std::nullopt;
    EXPECT_EQ(t.wc_level_o, 1);
    return t.wc_pfn_o << 1 | t.wc_k64_o;
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
    t.sweep_all_i = 1;
    for (unsigned s = 0; s < 16; ++s) Sweep(s);
    for (int step = 0; step < 3; ++step) Step();
    EXPECT_EQ(probe(key, false), std::nullopt);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, WalkCacheTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::bench
