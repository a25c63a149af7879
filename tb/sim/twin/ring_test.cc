// SPDX-License-Identifier: Apache-2.0
#include "twin/ring.h"

#include <gtest/gtest.h>

namespace gmmu::sim::twin {
namespace {

TEST(Ring, SwitchingOnClearsHeadErrorAndLastFenceAndOffEndsALife) {
  Ring ring;
  ring.Write(regs::RingCtrl::kOffset, regs::RingCtrl().set_size_lg2(2).set_enable(1).raw);
  ring.head = 3, ring.last_fence = 9, ring.error_address = 5;
  ring.status.set_error(1);
  const uint64_t life = ring.life;
  ring.Write(regs::RingCtrl::kOffset, regs::RingCtrl().set_size_lg2(2).raw);
  EXPECT_NE(ring.life, life);
  EXPECT_EQ(ring.Read(regs::RingHead::kOffset), 3u);
  ring.Write(regs::RingCtrl::kOffset, regs::RingCtrl().set_size_lg2(2).set_enable(1).raw);
  for (const uint32_t offset : {regs::RingHead::kOffset, regs::RingLastFence::kOffset, regs::RingStatus::kOffset,
                                regs::RingErrorAddress::kOffset})
    EXPECT_EQ(ring.Read(offset), 0u) << offset;
  ring.Write(regs::RingTail::kOffset, 5);
  EXPECT_TRUE(ring.HasWork());  // tail 5 is index 1 in a ring of four
}

}  // namespace
}  // namespace gmmu::sim::twin
