// SPDX-License-Identifier: Apache-2.0
// Tests the simulation version of gmmu_sleep with a counter of the clock edges that it passes on.
#include "prims.h"

namespace gmmu::bench {
namespace {

class SleepTest : public PrimTest {
 protected:
  /// Runs `cycles` cycles with this awake_i; returns the number of clock edges that the block received.
  unsigned Edges(bool awake, unsigned cycles) {
    const uint32_t before = t.edges_o;
    for (unsigned i = 0; i < cycles; ++i) {
      t.awake_i = awake;
      Step();
    }
    return t.edges_o - before;
  }
};

TEST_P(SleepTest, ABlockHasAClockWhileItIsAwakeAndEightCyclesMore) {
  Edges(false, 600);
  EXPECT_EQ(Edges(false, 20), 0u) << "it sleeps";
  EXPECT_EQ(Edges(true, 1), 1u) << "it wakes in the very cycle";
  EXPECT_EQ(Edges(false, 30), 8u);
  EXPECT_EQ(Edges(true, 50), 50u);
  EXPECT_EQ(Edges(false, 5), 5u);
  EXPECT_EQ(Edges(true, 1), 1u);
  EXPECT_EQ(Edges(false, 100), 8u);
}

TEST_P(SleepTest, NoneSleepsInThe511CyclesAfterAReset) {
  Edges(false, 600);
  t.rst_i = 1;
  Edges(false, 2);
  t.rst_i = 0;
  EXPECT_EQ(Edges(true, 1) + Edges(false, 700), 511u);
}

TEST_P(SleepTest, EveryWakingCycleHasItsEdge) {
  unsigned left = 0, expected = 0;
  Edges(false, 600);
  const uint32_t before = t.edges_o;
  for (int i = 0; i < 5000; ++i) {
    const bool awake = Random(100) < 5;
    expected += awake || left != 0;
    left = awake ? 8 : left == 0 ? 0 : left - 1;
    Edges(awake, 1);
  }
  EXPECT_EQ(t.edges_o - before, expected);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SleepTest, Seeds(2));

}  // namespace
}  // namespace gmmu::bench
