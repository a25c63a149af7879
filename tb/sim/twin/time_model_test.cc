// SPDX-License-Identifier: Apache-2.0
#include "twin/time_model.h"

#include <gtest/gtest.h>

namespace gmmu::sim::twin {
namespace {

TEST(TimeModel, ABusCarriesOneAccessAfterTheOther) {
  TimeModel time{TimeParameters{}};
  const Cost first = time.Vram(0, 4096, false), second = time.Vram(0, 4096, false);
  EXPECT_EQ(first.next, 512'000u);  // 8 bytes a cycle
  EXPECT_EQ(second.next, 2 * first.next);
  EXPECT_GT(first.done, first.next + 100'000);
  EXPECT_EQ(time.Vram(0, 4096, true).next, first.next);  // the other direction
}

TEST(TimeModel, FewReadsInFlightMakeTheHostSlow) {
  TimeModel many{TimeParameters{}}, few{TimeParameters{}};
  EXPECT_LT(many.HostRead(0, 4096, 1 << 20, 0).next, few.HostRead(0, 4096, 128, 0).next / 8);
}

}  // namespace
}  // namespace gmmu::sim::twin
