// SPDX-License-Identifier: Apache-2.0
#include "replay/footprint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gmmu::replay {
namespace {

using testing::ElementsAre;

constexpr uint64_t kRegion = 2 << 20;

TEST(Footprint, CountsEveryPageOfAnAccess) {
  Footprint footprint;
  footprint.Add(0x1FF8, 8);
  EXPECT_EQ(footprint.pages(), 1u);
  footprint.Add(0x1FF8, 9);
  footprint.Add(0x1FF8, 9);
  EXPECT_EQ(footprint.pages(), 2u);
  footprint.Add(0x7FFF'FFFF'F000, 4096);
  EXPECT_THAT(footprint.Pieces(4096), ElementsAre(1, 2, 0x7'FFFF'FFFF));
  EXPECT_THAT(footprint.Pieces(65536), ElementsAre(0, 0x7FFF'FFFF));
}

TEST(Rebase, KeepsOrderAndWhatIsInsideARegion) {
  Footprint footprint;
  const uint64_t heap = 0x5555'5560'0000, stack = 0x7FFF'FFE0'0000;
  footprint.Add(stack + 0x1F'FFC0, 64);
  footprint.Add(heap + 0x12'3456, 4);
  footprint.Add(heap + kRegion, 4);
  const Rebase moved(footprint, kRegion, 0x4000'0000);
  EXPECT_EQ(moved.regions(), 3u);
  EXPECT_EQ(moved(heap + 0x12'3456), 0x4012'3456u);
  EXPECT_EQ(moved(heap + kRegion + 8), 0x4020'0008u);
  EXPECT_EQ(moved(stack + 0x1F'FFC0), 0x405F'FFC0u);
  EXPECT_EQ(Rebase::Span(footprint, kRegion, false), 3 * kRegion);
  const Rebase far(footprint, kRegion, 0x4000'0000, true);
  EXPECT_EQ(far(stack + 0x1F'FFC0) - far(heap), stack + 0x1F'FFC0 - heap);
  EXPECT_EQ(Rebase::Span(footprint, kRegion, true), stack + kRegion - heap);
}

}  // namespace
}  // namespace gmmu::replay
