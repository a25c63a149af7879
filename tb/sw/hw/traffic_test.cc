// SPDX-License-Identifier: Apache-2.0
#include "hw/traffic.h"

#include <gmock/gmock.h>

#include <vector>

namespace gmmu::hw {
namespace {

using ::testing::ElementsAre;

std::vector<uint64_t> Take(const TrafficLines& lines, int n) {
  TrafficSequence sequence(lines);
  std::vector<uint64_t> taken;
  for (int i = 0; i < n; ++i) taken.push_back(sequence.Next());
  return taken;
}

TEST(Traffic, XorshiftGivesTheStatesThatItsAuthorPublished) {
  uint32_t x = 2463534242u;
  x = Xorshift32(x);
  EXPECT_EQ(x, 723471715u);
  x = Xorshift32(x);
  EXPECT_EQ(x, 2497366906u);
  x = Xorshift32(x);
  EXPECT_EQ(x, 2064144800u);
}

TEST(Traffic, OrderGoesThroughTheLinesByItsStep) {
  TrafficLines lines;
  lines.base = 0x10000000, lines.first = 1, lines.stride = 4, lines.count = 5, lines.step = 2;
  EXPECT_THAT(Take(lines, 6), ElementsAre(0x10000040, 0x10000240, 0x10000440, 0x10000140, 0x10000340, 0x10000040));
}

TEST(Traffic, AFootprintFoldsTheLines) {
  TrafficLines lines;
  lines.first = 3, lines.stride = 2, lines.count = 100, lines.step = 1, lines.footprint_lg2 = 3;
  EXPECT_THAT(Take(lines, 5), ElementsAre(3 * 64, 5 * 64, 7 * 64, 1 * 64, 3 * 64));
}

TEST(Traffic, RandomBeginsAfterTheSeedAndStaysInTheFootprint) {
  TrafficLines lines;
  lines.pattern = regs::Pattern::kRandom;
  lines.seed = 2463534242u, lines.footprint_lg2 = 8, lines.base = 0x4000;
  EXPECT_THAT(Take(lines, 3), ElementsAre(0x4000 + 64 * (723471715u & 255), 0x4000 + 64 * (2497366906u & 255),
                                          0x4000 + 64 * (2064144800u & 255)));
  lines.seed = 0x0000'0001'0000'0001;  // folds to 0, which is replaced by 1
  EXPECT_EQ(Take(lines, 1)[0], 0x4000 + 64 * (270369u & 255));
}

TEST(Traffic, TheAddressPatternDiffersBetweenAddressesAndSeeds) {
  EXPECT_EQ(AddressPattern(0, 0), 0u);
  EXPECT_EQ(AddressPattern(5, 8), 5u ^ 8u ^ uint64_t{8} << 21 ^ uint64_t{8} << 42);
  EXPECT_EQ(AddressPattern(0, uint64_t{1} << 63), uint64_t{1} << 63 ^ uint64_t{1} << 20 ^ uint64_t{1} << 41);
}

}  // namespace
}  // namespace gmmu::hw
