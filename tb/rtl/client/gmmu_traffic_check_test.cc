// SPDX-License-Identifier: Apache-2.0
#include "hw/traffic.h"
#include "tb/rtl/client/blocks.h"

namespace gmmu::client {
namespace {

/// Tests gmmu_traffic_check. The word may change every cycle, and a model checksums and compares
/// the counted words.
class TrafficCheck : public BlocksTest {
 protected:
  void Begin(bool verify, uint64_t seed) {
    t.check_verify_i = verify;
    t.check_seed_i = seed;
    t.check_clear_i = 1;
    Clock(0, 0, false);
    t.check_clear_i = 0;
  }
  /// Drives a word for one cycle. `count`: include the previous cycle's word in the results.
  void Clock(uint64_t word, uint64_t at, bool count) {
    t.check_word_i = word;
    t.check_at_i = at & (~uint64_t{0} >> 3);
    t.check_count_i = count;
    Settle();
    EXPECT_EQ(t.check_word_o, last_);
    EXPECT_EQ(t.check_crc_o, crc_);
    EXPECT_EQ(t.check_busy_o, busy_);
    if (!busy_) EXPECT_EQ(t.check_mismatches_o, mismatches_);
    if (t.check_clear_i) {
      crc_ = mismatches_ = 0;
      busy_ = false;
    } else {
      if (count) {
        crc_ = ~Crc32cStep(~crc_, last_);
        mismatches_ += t.check_verify_i && last_ != hw::AddressPattern(t.check_seed_i, 8 * last_at_);
      }
      busy_ = count && t.check_verify_i;
    }
    last_ = word;
    last_at_ = t.check_at_i;
    Edge();
  }
  uint64_t Right(uint64_t at) const { return hw::AddressPattern(t.check_seed_i, 8 * at); }

  uint32_t crc_ = 0, mismatches_ = 0;

 private:
  uint64_t last_ = 0, last_at_ = 0;
  bool busy_ = false;
};

TEST_P(TrafficCheck, EveryBitOfAWordIsCompared) {
  Begin(true, rng());
  for (unsigned bit = 0; bit < 64; ++bit) {
    const uint64_t at = rng() >> 3;
    Clock(Right(at) ^ uint64_t{1} << bit, at, false);
    Clock(Right(at + 1), at + 1, true);
    Clock(0, 0, true);  // The word counted here matches.
    Clock(0, 0, false);
    EXPECT_EQ(mismatches_, bit + 1);
  }
}

TEST_P(TrafficCheck, NothingDiffersWithoutVerify) {
  Begin(false, 1);
  Clock(1, 1, false);
  for (unsigned i = 0; i < 20; ++i) Clock(rng(), i, true);
  Clock(0, 0, false);
  EXPECT_EQ(t.check_mismatches_o, 0u);
}

TEST_P(TrafficCheck, ClearDropsTheWordThatIsNotCounted) {
  for (unsigned gap = 0; gap < 4; ++gap) {
    Begin(true, 3);
    Clock(7, 9, false);
    Clock(0, 0, true);
    for (unsigned i = 0; i < gap; ++i) Clock(0, 0, false);
    t.check_clear_i = 1;
    Clock(0, 0, gap == 0);
    t.check_clear_i = 0;
    for (int i = 0; i < 4; ++i) Clock(0, 0, false);
    EXPECT_EQ(t.check_mismatches_o, 0u);
    EXPECT_EQ(t.check_crc_o, 0u);
  }
}

TEST_P(TrafficCheck, RandomWords) {
  for (int run = 0; run < 8; ++run) {
    Begin(run % 2, rng());
    bool have = false;
    for (int i = 0; i < 600; ++i) {
      const uint64_t at = rng() >> 3;
      const uint64_t wrong = Chance(30) ? uint64_t{1} << Random(0, 63) : 0;
      const bool count = have && !Idle();
      Clock(Chance(20) ? rng() : Right(at) ^ wrong, at, count);
      have = true;
    }
    if (run % 2) EXPECT_GT(mismatches_, 40u);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, TrafficCheck, Seeds(4));

}  // namespace
}  // namespace gmmu::client
