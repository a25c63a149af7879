// SPDX-License-Identifier: Apache-2.0
// gmmu_space_table against a map in C++, and gmmu_overlap against two comparisons.
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
  /// What the space reads as; `strange`: never written or not built.
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
    // The mask drops what lies above the row and the places of enable and top, which read as zeros.
    for (unsigned i = 0; i < written.size(); ++i) {
      ASSERT_EQ(seen[i], written[i] & mask_[i]) << "word " << i;
    }
  }
  /// One cycle of the table, compared with the model.
  void Cycle(std::optional<unsigned> read, std::optional<std::pair<unsigned, Row>> write) {
    t.st_read_i = read.has_value();
    t.st_read_space_i = static_cast<uint8_t>(read ? *read : Random(64));
    t.st_write_i = write.has_value();
    t.st_write_space_i = static_cast<uint8_t>(write ? write->first : Random(64));
    const Row noise = AnyRow();
    const Row& in = write ? write->second : noise;
    t.st_enable_i = in.enable;
    t.st_top_i = static_cast<uint8_t>(in.top);
    for (unsigned i = 0; i < in.rest.size(); ++i) t.st_rest_i[i] = in.rest[i] & mask_[i];
    Settle();
    if (shown_) ASSERT_NO_FATAL_FAILURE(ExpectRead(*shown_));
    if (read && rows_.count(*read)) {
      ASSERT_EQ(t.st_now_enable_o, rows_[*read].enable);
      ASSERT_EQ(t.st_now_top_o, rows_[*read].top);
      ASSERT_NO_FATAL_FAILURE(ExpectRest(t.st_now_rest_o, rows_[*read].rest));
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
    // Which bits are of the rest: written as ones they come back as ones.
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
    unsigned ones_read = 0;
    for (unsigned i = 0; i < mask_.size(); ++i) {
      mask_[i] = t.st_rest_o[i];
      for (unsigned b = 0; b < 32; ++b) ones_read += mask_[i] >> b & 1;
    }
    ASSERT_EQ(ones_read, kRowBits - 4);
    t.st_read_i = 0;
    Reset();
  }

  static constexpr unsigned kRowBits = 1 + 36 + 2 + 14 + 3 + 6 + 4 + 2 + 36 + 24 + 4 + 5 * 36 + 36;
  decltype(Row::rest) mask_{};
  std::map<unsigned, Row> rows_;
  std::optional<std::optional<Row>> shown_;  // what the last read found
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
  for (unsigned percent : {10u, 50u, 100u}) {  // reads and writes, of which some are of one space
    for (int i = 0; i < 3000; ++i) {
      std::optional<unsigned> read;
      std::optional<std::pair<unsigned, Row>> write;
      if (Random(100) < percent) read = Random(8) == 0 ? Random(64) : Random(Spaces());
      if (Random(100) < percent) write = {read && Random(2) ? *read % Spaces() : Random(Spaces()), AnyRow()};
      ASSERT_NO_FATAL_FAILURE(Cycle(read, write));
    }
  }
  EXPECT_GT(known_, 3000u);
  EXPECT_GT(unknown_, 50u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, SpaceTableTest, SizesAndSeeds(3, 4), SizeAndSeed);

class OverlapTest : public ControlBenchTest {
 protected:
  /// Near a value that matters: of a few bits, all ones, or close to another one.
  uint64_t Value(uint64_t near) {
    const uint64_t word = rng() & kVpnMask;
    switch (Random(5)) {
      case 0: return word;
      case 1: return near;
      case 2: return (near + Random(3) - 1) & kVpnMask;
      case 3: return near ^ uint64_t { 1 } << Random(36);
      default: return Random(2) ? kVpnMask >> Random(36) : (word >> Random(36));
    }
  }
  void Drive(const std::array<uint64_t, 4>& v) {
    t.low_i = v[0];
    t.high_i = v[1];
    t.first_i = v[2];
    t.tail_i = v[3];
  }
};

TEST_P(OverlapTest, TellsWhetherTwoRangesTouch) {
  std::optional<bool> expected;
  unsigned touched = 0, apart = 0;
  for (int i = 0; i < 50000; ++i) {
    std::array<uint64_t, 4> v;
    v[0] = Value(rng() & kVpnMask);
    for (unsigned k = 1; k < 4; ++k) v[k] = Value(v[Random(k)]);
    if (v[0] > v[1]) std::swap(v[0], v[1]);
    if (v[2] > v[3]) std::swap(v[2], v[3]);
    Drive(v);
    Settle();
    if (expected) ASSERT_EQ(t.touches_o, *expected) << "pair " << i;
    Step();
    expected = v[0] <= v[3] && v[1] >= v[2];
    *expected ? ++touched : ++apart;
  }
  EXPECT_GT(touched, 5000u);
  EXPECT_GT(apart, 5000u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, OverlapTest, Seeds(4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::bench
