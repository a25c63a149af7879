// SPDX-License-Identifier: Apache-2.0
#include "hw/round_up.h"

#include <gtest/gtest.h>

namespace gmmu::hw {
namespace {

TEST(RoundUp, ReturnsTheNextMultipleOfAnyUnit) {
  EXPECT_EQ(RoundUp(0, 4096), 0u);
  EXPECT_EQ(RoundUp(1, 4096), 4096u);
  EXPECT_EQ(RoundUp(4096, 4096), 4096u);
  EXPECT_EQ(RoundUp(4097, 4096), 8192u);
  EXPECT_EQ(RoundUp(7, 3), 9u);
}

TEST(RoundUp, ReachesTheLastMultipleWithoutAnOverflow) {
  constexpr uint64_t kMost = ~uint64_t{0};  // a multiple of 3
  EXPECT_EQ(RoundUp(kMost, 3), kMost);
  EXPECT_EQ(RoundUp(kMost - 1, 3), kMost);
}

}  // namespace
}  // namespace gmmu::hw
