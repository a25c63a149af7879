// SPDX-License-Identifier: Apache-2.0
// Tests that gmmu_reset outputs its input one cycle later, from a register.
#include "inner_prims.h"

namespace gmmu::inner {
namespace {

class ResetTest : public InnerPrimTest {};

TEST_P(ResetTest, IsItsInputOneCycleLater) {
  bool before = false;
  Step();
  unsigned changes = 0;
  for (int i = 0; i < 2000; ++i) {
    const bool reset = Chance(i < 1000 ? 50 : 5);
    t.rst_i = reset;
    Settle();
    ASSERT_EQ(t.reset_o != 0, before) << "cycle " << i;
    Step();
    ASSERT_EQ(t.reset_o != 0, reset) << "cycle " << i;
    changes += reset != before;
    before = reset;
  }
  EXPECT_GT(changes, 100u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ResetTest, Seeds(3));

}  // namespace
}  // namespace gmmu::inner
