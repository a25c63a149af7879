// SPDX-License-Identifier: Apache-2.0

#include "tb/sim/twin/work.h"

namespace gmmu::sim::twin {
namespace {

using regs::Target;

TEST_F(Work, NothingLeavesByAPortThatClosesInTheMiddle) {
  b.Put(0, 0, BareMachine::Copy(Target::kVram, 0, Target::kVram, 0x200000, 1 << 20), 7);
  b.Ring(0, 1);
  EXPECT_FALSE(b.machine.WaitForMessage(10'000));
  b.machine.ConfigWrite(BareMachine::kGpu, 4, 2, 2);
  EXPECT_FALSE(b.machine.WaitForMessage(1'000'000));
  EXPECT_EQ(b.Fence(0), 0u);
  b.machine.ConfigWrite(BareMachine::kGpu, 4, 2, 6);
  EXPECT_TRUE(b.machine.WaitForMessage(10'000));
  EXPECT_EQ(b.Fence(0), 7u);
}

}  // namespace
}  // namespace gmmu::sim::twin
