// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "tb/rtl/top/bits.h"
#include "tb/rtl/top/blocks.h"

namespace gmmu::top {
namespace {

/// Sizes 0 and 1 have 7 and 4 translation ports. Size 2 is built without the event port.
class Events : public BlocksTest {
 protected:
  enum Lane { kBegin, kEnd, kFill, kEvict, kInvalidation, kCommands, kFault, kVram, kHost, kLanes };
  using Words = std::array<uint64_t, 3>;  // {request id, sequence}, word 1, word 2
  unsigned Ports() const { return n == 0 ? 7 : 4; }

  /// Drives random inputs for one cycle: each event occurs with a probability of `busy` percent,
  /// and its data always changes.
  void Drive(unsigned busy) {
    const auto bits = [&](unsigned count) {
      unsigned mask = 0;
      for (unsigned i = 0; i < count; ++i) mask |= static_cast<unsigned>(Chance(busy)) << i;
      return mask;
    };
    t.ev_xlate_i = bits(7);
    for (auto& tag : t.ev_tag_i.m_storage) tag = static_cast<uint8_t>(rng());
    auto& e = event_;
    e.walk_start = bits(1), e.walk_end = bits(1), e.fill = bits(1), e.evict = bits(1);
    e.walk_row = Random(0, 63);
    e.end_row = Random(0, 63);
    e.fill_row = Random(0, 63);
    e.port = Random(0, 127);
    e.slot = Random(0, 63);
    for (auto* key : {&e.key, &e.end_key, &e.fill_key}) {
      key->space = Random(0, 63);
      key->vpn = rng() & 0xf'ffff'ffff;
    }
    t.ev_mmu_i = Pack(e);
    t.ev_inv_done_i = bits(1);
    t.ev_inv_start_i = rng();
    t.ev_inv_end_i = rng();
    t.ev_entry_i = bits(1);
    t.ev_commands_i = bits(1) ? Random(1, 3) : 0;
    t.ev_fault_i = bits(1);
    fault_ = AnyFault(Random(0, 20), true);
    t.log_fault_i[0] = Pack(fault_);
    t.ev_write_i = bits(2);
    for (unsigned i = 0; i < 2; ++i) {
      write_[i].id = Random(0, 0x7fff);
      write_[i].addr = rng() & 0xffff'ffff'ffff;
      write_[i].len = static_cast<uint8_t>(rng());
      t.ev_write_ax_i[i] = Pack(write_[i]);
    }
  }

  /// Records the event that `lane` must output. The format is specified in the table of
  /// rtl/top/README.md.
  void Expect(unsigned lane, uint32_t id, uint64_t first, uint64_t second, unsigned count = 1) {
    expected_[lane] = {uint64_t{id} << 32 | sequence_[lane], first, second};
    counts_[lane] = count;
  }
  void Model() {
    counts_ = {};
    const auto& e = event_;
    const auto va = [](const auto& key) { return uint64_t{key.vpn} << 12; };
    if (e.walk_start) {
      Expect(kBegin, e.walk_row, va(e.key), e.key.space | uint64_t{e.port} << 8 | uint64_t{e.slot} << 16);
    }
    if (e.walk_end) Expect(kEnd, e.end_row, va(e.end_key), e.end_key.space);
    if (e.fill) Expect(kFill, e.fill_row, va(e.fill_key), e.fill_key.space);
    if (e.evict) Expect(kEvict, e.fill_row, va(e.fill_key), e.fill_key.space);
    if (t.ev_inv_done_i) {
      Expect(kInvalidation, sequence_[kInvalidation], t.ev_inv_start_i, t.ev_inv_end_i);
    }
    if (t.ev_commands_i) Expect(kCommands, entries_, t.ev_commands_i, 0, t.ev_commands_i);
    if (t.ev_fault_i) Expect(kFault, fault_.port, fault_.address, What(fault_));
    for (unsigned i = 0; i < 2; ++i) {
      if (t.ev_write_i >> i & 1) {
        Expect(kVram + i, write_[i].id, write_[i].addr, write_[i].len);
      }
    }
  }
  uint64_t Word(unsigned lane, unsigned i) const { return Bits(t.ev_event_o[n], 192 * lane + 64 * i, 64); }
  void Cycle(unsigned busy) {
    Drive(busy);
    Settle();
    Model();
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const bool valid = t.ev_valid_o[n] >> lane & 1;
      ASSERT_EQ(valid, counts_[lane] != 0) << "lane " << lane;
      if (!valid) expected_[lane] = {};
      for (unsigned i = 0; i < 3; ++i) {
        EXPECT_EQ(Word(lane, i), expected_[lane][i]) << "lane " << lane << " word " << i;
      }
      sequence_[lane] += counts_[lane];
    }
    entries_ += t.ev_entry_i;
    for (unsigned p = 0; p < Ports(); ++p) {
      const bool lookup = t.ev_xlate_i >> p & 1;
      const uint64_t id = lookup ? uint64_t{t.ev_tag_i[p]} << 32 | lookups_[p]++ : 0;
      EXPECT_EQ(Bits(t.ev_xlate_id_o[n], 64 * p, 64), id) << "port " << p;
      for (unsigned w = 0; w < 3; ++w) EXPECT_EQ(Bits(t.ev_xlate_o[n], 192 * p + 64 * w, 64), 0u) << "port " << p;
    }
    Edge();
  }

  GMMU_STRUCT(gmmu_top_blocks_bench, mmu_event_t) event_ {};
  GMMU_STRUCT(gmmu_top_blocks_bench, port_ax_t) write_[2] = {};
  Fault fault_{};
  std::array<Words, kLanes> expected_{};
  std::array<unsigned, kLanes> counts_{};
  std::array<uint32_t, kLanes> sequence_{};
  std::array<uint32_t, 7> lookups_{};
  uint32_t entries_ = 0;
};

TEST_P(Events, EachLaneIsNumberedAndTellsItsRequest) {
  for (unsigned busy : {100u, 50u, 5u}) {
    for (int i = 0; i < 700 && !HasFailure(); ++i) Cycle(busy);
  }
  EXPECT_GT(sequence_[kCommands], 1000u);
  EXPECT_GT(entries_, 1000u);
}

TEST_P(Events, ResetBeginsTheNumbersAnew) {
  for (int i = 0; i < 20; ++i) Cycle(100);
  Reset();
  sequence_ = {};
  lookups_ = {};
  entries_ = 0;
  for (int i = 0; i < 20; ++i) Cycle(60);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Events, SizesAndSeeds(2, 4));

class NoEvents : public Events {};

TEST_P(NoEvents, NothingIsToldWhereTheyAreNotBuilt) {
  for (int i = 0; i < 100; ++i) {
    Drive(100);
    Settle();
    EXPECT_EQ(t.ev_valid_o[n], 0);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      for (unsigned w = 0; w < 3; ++w) EXPECT_EQ(Word(lane, w), 0u);
    }
    for (unsigned p = 0; p < 7; ++p) {
      EXPECT_EQ(Bits(t.ev_xlate_id_o[n], 64 * p, 64), 0u);
      for (unsigned w = 0; w < 3; ++w) EXPECT_EQ(Bits(t.ev_xlate_o[n], 192 * p + 64 * w, 64), 0u);
    }
    Edge();
  }
}

INSTANTIATE_TEST_SUITE_P(Absent, NoEvents, testing::Combine(testing::Values(2), testing::Values(1)));

}  // namespace
}  // namespace gmmu::top
