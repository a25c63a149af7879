// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "hw/gmmu_regs.h"
#include "tb/rtl/top/blocks.h"

namespace gmmu::top {
namespace {

/// Sizes: 7 ports, 4 ports, not built.
class Events : public BlocksTest {
 protected:
  enum Lane { kBegin, kEnd, kFill, kEvict, kInvalidation, kCommands, kFault, kVram, kHost, kLanes };
  using Words = std::array<uint64_t, 3>;  // request id | sequence, word 1, word 2
  unsigned Ports() const { return n == 0 ? 7 : 4; }

  /// Sets the inputs of a cycle at random: each event has probability `busy` percent, and its data is always new.
  void Drive(unsigned busy) {
    const auto bits = [&](unsigned count) {
      unsigned mask = 0;
      for (unsigned i = 0; i < count; ++i) mask |= static_cast<unsigned>(Chance(busy)) << i;
      return mask;
    };
    t.ev_xlate_i = bits(7);
    for (auto& tag : t.ev_tag_i.m_storage) tag = static_cast<uint8_t>(rng());
    t.ev_begin_i = bits(1), t.ev_end_i = bits(1), t.ev_fill_i = bits(1), t.ev_evict_i = bits(1);
    t.ev_begin_row_i = Random(0, 63);
    t.ev_end_row_i = Random(0, 63);
    t.ev_fill_row_i = Random(0, 63);
    t.ev_port_i = Random(0, 127);
    t.ev_slot_i = Random(0, 63);
    for (unsigned i = 0; i < 3; ++i) {
      t.ev_space_i[i] = Random(0, 63);
      t.ev_vpn_i[i] = rng() & 0xf'ffff'ffff;
    }
    t.ev_inv_done_i = bits(1);
    t.ev_inv_start_i = rng();
    t.ev_inv_end_i = rng();
    t.ev_entry_i = bits(1);
    t.ev_commands_i = bits(1) ? Random(1, 3) : 0;
    t.ev_fault_i = bits(1);
    t.log_reason_i[0] = Random(0, 20);
    t.log_space_i[0] = Random(0, 63);
    t.log_port_i[0] = Random(0, 127);
    t.log_access_i[0] = Random(0, 2);
    t.log_level_i[0] = Random(0, 7);
    t.log_physical_i[0] = Chance(50);
    t.log_fence_i[0] = static_cast<uint32_t>(rng());
    t.log_address_i[0] = rng();
    t.ev_write_i = bits(2);
    for (unsigned i = 0; i < 2; ++i) {
      t.ev_write_id_i[i] = Random(0, 0x7fff);
      t.ev_write_addr_i[i] = rng() & 0xffff'ffff'ffff;
      t.ev_write_len_i[i] = static_cast<uint8_t>(rng());
    }
  }

  /// Expects an event in the form of README.md's table.
  void Expect(unsigned lane, uint32_t id, uint64_t first, uint64_t second, unsigned count = 1) {
    expected_[lane] = {uint64_t{id} << 32 | sequence_[lane], first, second};
    counts_[lane] = count;
  }
  void Model() {
    counts_ = {};
    const auto va = [&](unsigned i) { return uint64_t{t.ev_vpn_i[i]} << 12; };
    if (t.ev_begin_i) {
      Expect(kBegin, t.ev_begin_row_i, va(0),
             t.ev_space_i[0] | uint64_t{t.ev_port_i} << 8 | uint64_t{t.ev_slot_i} << 16);
    }
    if (t.ev_end_i) Expect(kEnd, t.ev_end_row_i, va(1), t.ev_space_i[1]);
    if (t.ev_fill_i) Expect(kFill, t.ev_fill_row_i, va(2), t.ev_space_i[2]);
    if (t.ev_evict_i) Expect(kEvict, t.ev_fill_row_i, va(2), t.ev_space_i[2]);
    if (t.ev_inv_done_i) {
      Expect(kInvalidation, sequence_[kInvalidation], t.ev_inv_start_i, t.ev_inv_end_i);
    }
    if (t.ev_commands_i) Expect(kCommands, entries_, t.ev_commands_i, 0, t.ev_commands_i);
    if (t.ev_fault_i) {
      const auto what = regs::FaultRecordWhat{}
                            .set_reason(static_cast<regs::Fault>(t.log_reason_i[0]))
                            .set_space(t.log_space_i[0])
                            .set_port_index(t.log_port_i[0])
                            .set_access(static_cast<regs::Access>(t.log_access_i[0]))
                            .set_level(t.log_level_i[0])
                            .set_physical(t.log_physical_i[0])
                            .set_fence(t.log_fence_i[0]);
      Expect(kFault, t.log_port_i[0], t.log_address_i[0], what.raw);
    }
    for (unsigned i = 0; i < 2; ++i) {
      if (t.ev_write_i >> i & 1) {
        Expect(kVram + i, t.ev_write_id_i[i], t.ev_write_addr_i[i], t.ev_write_len_i[i]);
      }
    }
  }
  void Cycle(unsigned busy) {
    Drive(busy);
    Settle();
    Model();
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const bool valid = t.ev_valid_o[n] >> lane & 1;
      ASSERT_EQ(valid, counts_[lane] != 0) << "lane " << lane;
      if (!valid) continue;
      for (unsigned i = 0; i < 3; ++i) {
        EXPECT_EQ(t.ev_word_o[n][lane][i], expected_[lane][i]) << "lane " << lane << " word " << i;
      }
      sequence_[lane] += counts_[lane];
    }
    entries_ += t.ev_entry_i;
    for (unsigned p = 0; p < Ports(); ++p) {
      if (!(t.ev_xlate_i >> p & 1)) continue;
      EXPECT_EQ(t.ev_xlate_id_o[n][p], uint64_t{t.ev_tag_i[p]} << 32 | lookups_[p]++) << "port " << p;
    }
    Edge();
  }

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
      for (unsigned w = 0; w < 3; ++w) EXPECT_EQ(t.ev_word_o[n][lane][w], 0u);
    }
    for (unsigned p = 0; p < 7; ++p) EXPECT_EQ(t.ev_xlate_id_o[n][p], 0u);
    Edge();
  }
}

INSTANTIATE_TEST_SUITE_P(Absent, NoEvents, testing::Combine(testing::Values(2), testing::Values(1)));

}  // namespace
}  // namespace gmmu::top
