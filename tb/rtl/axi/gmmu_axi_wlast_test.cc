// SPDX-License-Identifier: Apache-2.0
#include "Vgmmu_axi_ids_bench.h"
#include "tb/rtl/block_test.h"

namespace gmmu {
namespace {

class AxiWlast : public BlockTest<BlockBench<Vgmmu_axi_ids_bench>> {
 protected:
  AxiWlast() { Reset(); }
  /// Runs one cycle. Returns whether an error of the previous cycle is reported.
  bool Cycle(bool aw, unsigned len, bool w, bool last) {
    t.last_aw_i = aw, t.last_len_i = static_cast<uint8_t>(len), t.last_w_i = w, t.last_i = last;
    Settle();
    const bool wrong = t.last_wrong_o;
    Edge();
    return wrong;
  }
};

TEST_P(AxiWlast, FindsEveryBeatWhoseLastIsWrong) {
  bool wrong_before = false;
  unsigned found = 0;
  for (int burst = 0; burst < 400; ++burst) {
    const unsigned len = Chance(10) ? Random(256) : Random(4);
    EXPECT_EQ(Cycle(true, len, false, Chance(50)), wrong_before);
    wrong_before = false;
    for (unsigned beat = 0; beat <= len; ++beat) {
      while (Chance(20)) EXPECT_EQ(Cycle(false, Random(256), false, Chance(50)), std::exchange(wrong_before, false));
      const bool wrong = Chance(10);
      EXPECT_EQ(Cycle(false, Random(256), true, (beat == len) != wrong), wrong_before);
      wrong_before = wrong;
      found += wrong;
    }
  }
  EXPECT_GT(found, 50u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, AxiWlast, Seeds(3), SizeAndSeed);

}  // namespace
}  // namespace gmmu
