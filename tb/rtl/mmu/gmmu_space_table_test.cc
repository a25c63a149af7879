// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_space_table against a map in C++, and gmmu_sweep against the steps that it must
// output.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>

#include "control_machine.h"

namespace gmmu::bench {
namespace {

struct Row {
  bool enable = false;
  unsigned top = 0;
  std::array<uint32_t, VL_WORDS_I(sizeof(Vgmmu_mmu_control_bench::st_rest_i) * 8)> rest{};
};

class SpaceTableTest : public ControlBenchTest {
 protected:
  Row AnyRow() {
    Row row{Random(2) == 0, Random(6), {}};
    for (auto& word : row.rest) word = static_cast<uint32_t>(rng());
    return row;
  }
  /// Checks that the table outputs `row`; nullopt stands for a row that was never written or does
  /// not exist.
  void ExpectRead(const std::optional<Row>& row) {
    if (!row) {
      ASSERT_EQ(t.st_enable_o, 0);
      ASSERT_EQ(t.st_top_o, 0);
      return;
    }
    ASSERT_EQ(t.st_enable_o, row->enable);
    ASSERT_EQ(t.st_top_o, row->top);
    ASSERT_NO_FATAL_FAILURE(ExpectRest(t.st_rest_o, row->rest));
  }
  template <typename Wide, typename Words>
  void ExpectRest(const Wide& seen, const Words& written) {
    // The mask clears bits beyond the row and the bits of enable and top, which read as zeros.
    for (unsigned i = 0; i < written.size(); ++i) {
      ASSERT_EQ(seen[i], written[i] & mask_[i]) << "word " << i;
    }
  }
  /// Runs one cycle of the table and compares it with the model.
  void Cycle(std::optional<unsigned> read, std::optional<std::pair<unsigned, Row>> write) {
    t.st_read_i = read.has_value();
    t.st_read_space_i = static_cast<uint8_t>(read ? *read : Random(64));
    t.st_write_i = write.has_value();
    t.st_write_space_i = static_cast<uint8_t>(write ? write->first : Random(64));
    const Row noise = AnyRow();
    const Row& in = write ? write->second : noise;
    t.st_other_space_i = static_cast<uint8_t>(
        rows_.empty() ? 0 : std::next(rows_.begin(), Random(static_cast<unsigned>(rows_.size())))->first);
    t.st_enable_i = in.enable;
    t.st_top_i = static_cast<uint8_t>(in.top);
    for (unsigned i = 0; i < in.rest.size(); ++i) t.st_rest_i[i] = in.rest[i] & (mask_[i] | now_[i]);
    Settle();
    if (shown_) ASSERT_NO_FATAL_FAILURE(ExpectRead(*shown_));
    if (read && rows_.count(*read)) {
      for (unsigned i = 0; i < now_.size(); ++i) {
        ASSERT_EQ(t.st_now_o[n][i], (rows_[*read].rest[i] & now_[i]) | known_now_[i]) << i;
      }
    }
    if (rows_.count(t.st_other_space_i)) {
      const unsigned bit = kRowBits - kDualFromTop;
      ASSERT_EQ(t.st_other_dual_o[n], rows_[t.st_other_space_i].rest[bit / 32] >> bit % 32 & 1);
    }
    if (read) {
      const auto found = rows_.find(*read);
      shown_ = found == rows_.end() ? std::optional<Row>() : found->second;
      found == rows_.end() ? ++unknown_ : ++known_;
    }
    if (write) rows_[write->first] = write->second;
    Step();
  }
  void SetUp() override {
    // Find the implemented bits of `rest`: those that read back as 1 after a 1 was written.
    mask_.fill(~0u);
    Row ones;
    ones.rest.fill(~0u);
    t.st_write_i = 1;
    t.st_write_space_i = 0;
    t.st_enable_i = 1;
    t.st_top_i = 7;
    for (unsigned i = 0; i < ones.rest.size(); ++i) t.st_rest_i[i] = ones.rest[i];
    const unsigned bits = kRowBits;
    if (bits % 32 != 0) t.st_rest_i[bits / 32] = (1u << bits % 32) - 1;
    Step();
    t.st_write_i = 0;
    t.st_read_i = 1;
    t.st_read_space_i = 0;
    Step();
    std::array<uint32_t, std::tuple_size_v<decltype(now_)>> ones_then{};
    for (unsigned i = 0; i < now_.size(); ++i) ones_then[i] = t.st_now_o[n][i];
    for (unsigned i = 0; i < ones.rest.size(); ++i) mask_[i] = t.st_rest_o[i];
    t.st_read_i = 0;
    t.st_write_i = 1;
    t.st_enable_i = t.st_top_i = 0;
    for (unsigned i = 0; i < ones.rest.size(); ++i) t.st_rest_i[i] = 0;
    Step();
    t.st_write_i = 0;
    Settle();
    unsigned ones_read = 0, ones_now = 0;
    for (unsigned i = 0; i < mask_.size(); ++i) {
      known_now_[i] = t.st_now_o[n][i];  // bits that read as 1 whatever was written
      now_[i] = ones_then[i] & ~known_now_[i];
      for (unsigned b = 0; b < 32; ++b) ones_read += mask_[i] >> b & 1;
      for (unsigned b = 0; b < 32; ++b) ones_now += now_[i] >> b & 1;
    }
    ASSERT_EQ(ones_read, kRowBits - 4 - kKeepBits);
    ASSERT_EQ(ones_now, kVaryingKeepBits + 7);
    Reset();
  }

  static constexpr unsigned kKeepBits = 5 * 36;
  // The shift of level l lies between l and 13 * l, so only these keep bits vary.
  static constexpr unsigned kVaryingKeepBits = 12 + 24 + 33 + 32 + 31;
  static constexpr unsigned kRowBits = 1 + 36 + 2 + 14 + 3 + 6 + 4 + 2 + 36 + 24 + 4 + kKeepBits + 36;
  static constexpr unsigned kDualFromTop = 1 + 36 + 2 + 14 + 3 + 6 + 4 + 1;
  // mask_: bits of row_o; now_: bits visible in the cycle of the read.
  decltype(Row::rest) mask_{}, now_{}, known_now_{};
  std::map<unsigned, Row> rows_;
  std::optional<std::optional<Row>> shown_;  // result of the latest read
  unsigned known_ = 0, unknown_ = 0;
};

TEST_P(SpaceTableTest, ASpaceThatWasNeverWrittenOrIsNotBuiltIsNotEnabled) {
  for (unsigned space = 0; space < 64; ++space) {
    ASSERT_NO_FATAL_FAILURE(Cycle(space, {}));
    ASSERT_NO_FATAL_FAILURE(Cycle({}, {}));
  }
  Row row = AnyRow();
  row.enable = true;
  row.top = 3;
  for (unsigned space = 0; space < Spaces(); ++space) {
    ASSERT_NO_FATAL_FAILURE(Cycle({}, std::pair{space, row}));
  }
  for (unsigned space = 0; space < 64; ++space) {
    ASSERT_NO_FATAL_FAILURE(Cycle(space, {}));
    ASSERT_NO_FATAL_FAILURE(Cycle({}, {}));
  }
  EXPECT_EQ(known_, Spaces());
}

TEST_P(SpaceTableTest, ResetForgetsEveryRow) {
  Row row = AnyRow();
  row.enable = true;
  row.top = 5;
  for (unsigned space = 0; space < Spaces(); ++space) {
    ASSERT_NO_FATAL_FAILURE(Cycle({}, std::pair{space, row}));
  }
  t.st_write_i = t.st_read_i = 0;
  Reset();
  rows_.clear();
  shown_.reset();
  for (unsigned space = 0; space < Spaces(); ++space) ASSERT_NO_FATAL_FAILURE(Cycle(space, {}));
  ASSERT_NO_FATAL_FAILURE(Cycle({}, {}));
}

TEST_P(SpaceTableTest, FollowsTheModel) {
  // Reads and writes overlap, sometimes in the same space.
  for (unsigned percent : {10u, 50u, 100u}) {
    for (int i = 0; i < 3000; ++i) {
      std::optional<unsigned> read;
      std::optional<std::pair<unsigned, Row>> write;
      if (Random(100) < percent) read = Random(8) == 0 ? Random(64) : Random(Spaces());
      if (Random(100) < percent) write = {Random(Spaces()), AnyRow()};
      if (read && write && *read == write->first) write.reset();
      ASSERT_NO_FATAL_FAILURE(Cycle(read, write));
    }
  }
  EXPECT_GT(known_, 3000u);
  EXPECT_GT(unknown_, 50u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, SpaceTableTest, SizesAndSeeds(3, 4), SizeAndSeed);

class SweepTest : public ControlBenchTest {
 protected:
  struct Step {
    unsigned index = 0;
    bool all = false, ranged = false;
    uint64_t first = 0, tail = 0;
  };
  /// Returns the page number bits that a comparison must ignore: those below the block to which the
  /// range is widened, or all bits if there is no range.
  static uint64_t Loose(const Step& step) {
    if (step.all || !step.ranged) return kVpnMask;
    const auto [from, to] = Widened(step.first, step.tail);
    return to - from;
  }
};

TEST_P(SweepTest, TellsARowAndThenWhatOfItMayDiffer) {
  std::optional<Step> now, before;
  Step scope;
  unsigned wide = 0, narrow = 0;
  for (int i = 0; i < 20000; ++i) {
    std::optional<Step> next;
    if (!now && !before && Random(4) == 0) {  // The scope is stable while steps are in progress.
      scope = {0, Random(6) == 0, Random(3) != 0, rng() & kVpnMask >> Random(36), 0};
      scope.tail = (scope.first + (rng() >> (28 + Random(36)))) & kVpnMask;
      if (scope.tail < scope.first) std::swap(scope.first, scope.tail);
    }
    if (Random(3) != 0) next = scope;
    if (next) next->index = Random(1 << 16);
    GMMU_STRUCT(gmmu_mmu_control_bench, sweep_t) in{};
    in.valid = next.has_value();
    in.index = static_cast<uint16_t>(next ? next->index : Random(1 << 16));
    in.all = scope.all, in.ranged = scope.ranged;
    in.first = scope.first, in.tail = scope.tail;
    t.sw_i = Pack(in);
    Settle();
    const auto step = Unpack<GMMU_STRUCT(gmmu_mmu_control_bench, sweep_step_t)>(t.sw_o);
    ASSERT_EQ(step.valid, now.has_value());
    ASSERT_EQ(step.index, now ? now->index : 0);
    ASSERT_EQ(step.all, before && before->all);
    ASSERT_EQ(step.loose, before ? Loose(*before) : 0) << std::hex << scope.first << " to " << scope.tail;
    if (before && before->ranged && !before->all) Loose(*before) > 255 ? ++wide : ++narrow;
    ControlBenchTest::Step();
    before = now;
    now = next;
  }
  EXPECT_GT(wide, 1000u);
  EXPECT_GT(narrow, 1000u);
}

TEST_P(SweepTest, ARangeIsWidenedToABlockThatHoldsIt) {
  for (int i = 0; i < 50000; ++i) {
    uint64_t first = rng() & kVpnMask >> Random(36), tail = rng() & kVpnMask >> Random(36);
    if (Random(2) == 0) tail = (first + Random(64)) & kVpnMask;
    if (tail < first) std::swap(first, tail);
    const auto [from, to] = Widened(first, tail);
    ASSERT_LE(from, first);
    ASSERT_GE(to, tail);
    ASSERT_EQ(from & (to - from), 0u);
    if (first == tail) ASSERT_EQ(from, to);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SweepTest, Seeds(4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::bench
