// SPDX-License-Identifier: Apache-2.0
// gmmu_walk_cache against a map in C++: a probe finds nothing but what was written and not dropped
// since, at the lowest level that is known; what was written last is found at once.
#include <array>
#include <map>
#include <optional>

#include "blocks.h"

namespace gmmu::bench {
namespace {

class WalkCacheTest : public BlockTest {
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
    blocks_.top->wc_shifts_i = static_cast<uint32_t>(shifts);
    blocks_.top->sweep_all_i = 1;
    for (unsigned s = 0; s < 16; ++s) blocks_.Sweep(s);
    for (int i = 0; i < 3; ++i) blocks_.Step();
  }
  Key SomeKey() {
    Key key;
    key.space = blocks_.Random(2);
    key.vpn = (uint64_t{blocks_.Random(3)} << 33 | uint64_t{blocks_.Random(2)} << 27 |
               uint64_t{blocks_.Random(3)} << 18 | uint64_t{blocks_.Random(4)} << 9 |
               blocks_.Random(512)) & kVpnMask;
    return key;
  }
  static Key Masked(const Key& key, unsigned level) {
    return {key.space, key.vpn >> kShift[level] << kShift[level], false};
  }
  /// Probes, and compares with what the model allows.
  void Probe(const Key& key, unsigned top_level, std::optional<unsigned> must) {
    auto& top = *blocks_.top;
    blocks_.SetKey(key);
    top.wc_top_i = static_cast<uint8_t>(top_level);
    top.wc_enable_i = 1;
    blocks_.Settle();
    blocks_.Step();
    top.wc_enable_i = 0;
    blocks_.Settle();
    blocks_.Step();
    if (must) {
      ASSERT_TRUE(top.wc_hit_o);
      ASSERT_LE(top.wc_level_o, *must);
    }
    if (!top.wc_hit_o) return;
    ASSERT_LE(top.wc_level_o, top_level);
    const auto& level = model_[top.wc_level_o];
    const auto found = level.find(Masked(key, top.wc_level_o));
    ASSERT_NE(found, level.end()) << "never written, or dropped";
    ASSERT_EQ(top.wc_pfn_o, found->second.pfn);
    ASSERT_EQ(top.wc_vram_o, found->second.vram);
    ++hits_;
  }
  unsigned hits_ = 0;
};

TEST_P(WalkCacheTest, FindsOnlyWhatWasWrittenAndNotDropped) {
  auto& top = *blocks_.top;
  for (int i = 0; i < 3000 && !HasFatalFailure(); ++i) {
    const Key key = SomeKey();
    std::optional<unsigned> must;
    if (blocks_.Random(2) == 0) {
      const unsigned level = 1 + blocks_.Random(5);
      const bool killed = blocks_.Random(10) == 0;
      const Pointer pointer{blocks_.random() & kVpnMask, blocks_.Random(2) != 0};
      blocks_.SetOther(Masked(key, level));
      top.wc_write_i = 1;
      top.wc_level_i = static_cast<uint8_t>(level);
      top.wc_pfn_i = pointer.pfn;
      top.wc_vram_i = pointer.vram;
      top.kill_valid_i = killed;
      blocks_.Settle();
      blocks_.Step();
      top.wc_write_i = top.kill_valid_i = 0;
      if (!killed) {
        model_[level][Masked(key, level)] = pointer;
        must = level;
      }
    }
    Probe(must ? key : SomeKey(), must ? 5 : 1 + blocks_.Random(5), must);
    if (blocks_.Random(60) == 0) {
      const bool all = blocks_.Random(4) == 0, ranged = blocks_.Random(2) == 0;
      const unsigned space = blocks_.Random(2);
      const uint64_t first = SomeKey().vpn, tail = first + (uint64_t{1} << blocks_.Random(20));
      top.sweep_all_i = all;
      top.sweep_ranged_i = ranged;
      top.kill_space_i = static_cast<uint8_t>(space);
      top.sweep_first_i = first;
      top.sweep_tail_i = tail;
      for (unsigned s = 0; s < 16; ++s) blocks_.Sweep(s);
      for (int step = 0; step < 3; ++step) blocks_.Step();
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
  auto& top = *blocks_.top;
  const auto write = [&](const Key& key, uint64_t pfn, bool k64, bool half) {
    blocks_.SetOther(Masked(key, 1));
    top.wc_level_i = 1;
    top.wc_pfn_i = pfn;
    top.wc_k64_i = k64;
    top.wc_write_half_i = half;
    top.wc_write_i = 1;
    blocks_.Settle();
    blocks_.Step();
    top.wc_write_i = 0;
  };
  const auto probe = [&](const Key& key, bool half) -> std::optional<uint64_t> {
    blocks_.SetKey(key);
    top.wc_top_i = 5;
    top.wc_half_i = half;
    top.wc_enable_i = 1;
    blocks_.Settle();
    blocks_.Step();
    top.wc_enable_i = 0;
    blocks_.Settle();
    blocks_.Step();
    if (!top.wc_hit_o) return std::nullopt;
    EXPECT_EQ(top.wc_level_o, 1);
    return top.wc_pfn_o << 1 | top.wc_k64_o;
  };
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    Key key = SomeKey();
    key.space = 1;
    const uint64_t narrow = blocks_.random() & kVpnMask, wide = blocks_.random() & kVpnMask;
    const bool first = blocks_.Random(2) != 0;
    write(key, first ? narrow : wide, !first, !first);
    EXPECT_EQ(probe(key, first), std::nullopt) << "the other half has not been written";
    write(key, first ? wide : narrow, first, first);
    EXPECT_EQ(probe(key, false), narrow << 1);
    EXPECT_EQ(probe(key, true), wide << 1 | 1);
    key.space = 0;
    const bool k64 = blocks_.Random(2) != 0;
    write(key, narrow, k64, false);
    EXPECT_EQ(probe(key, false), narrow << 1 | k64);
    top.sweep_all_i = 1;
    for (unsigned s = 0; s < 16; ++s) blocks_.Sweep(s);
    for (int step = 0; step < 3; ++step) blocks_.Step();
    EXPECT_EQ(probe(key, false), std::nullopt);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, WalkCacheTest, SizesAndSeeds(), SizeAndSeed);

}  // namespace
}  // namespace gmmu::bench
