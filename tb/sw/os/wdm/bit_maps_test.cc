// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>

#include "ddi/wdm_strings.h"
#include "os/base/bug_check.h"

namespace gmmu::os {
namespace {

struct BitMap {
  BitMap() {
    RtlInitializeBitMap(&map, words.data(), 70);
    RtlClearAllBits(&map);
  }
  std::array<ULONG, 3> words{};
  RTL_BITMAP map;
};

TEST(BitMaps, SetClearAndCount) {
  BitMap bits;
  RtlSetBits(&bits.map, 30, 5);
  RtlSetBit(&bits.map, 69);
  EXPECT_EQ(bits.words[0], 0xC0000000u);
  EXPECT_EQ(bits.words[1], 7u);
  EXPECT_EQ(RtlNumberOfSetBits(&bits.map), 6u);
  EXPECT_EQ(RtlNumberOfClearBits(&bits.map), 64u);
  EXPECT_TRUE(RtlAreBitsSet(&bits.map, 30, 5));
  EXPECT_FALSE(RtlAreBitsSet(&bits.map, 30, 6));
  EXPECT_TRUE(RtlAreBitsClear(&bits.map, 0, 30));
  EXPECT_FALSE(RtlAreBitsClear(&bits.map, 60, 11)) << "past the end";
  RtlClearBits(&bits.map, 31, 2);
  RtlClearBit(&bits.map, 69);
  EXPECT_TRUE(RtlTestBit(&bits.map, 30));
  EXPECT_FALSE(RtlTestBit(&bits.map, 31));
  RtlSetAllBits(&bits.map);
  EXPECT_EQ(RtlNumberOfSetBits(&bits.map), 70u);
}

TEST(BitMaps, FindRunsFromTheHintOnAndThenFromTheBeginning) {
  BitMap bits;
  RtlSetBits(&bits.map, 4, 60);
  EXPECT_EQ(RtlFindClearBits(&bits.map, 3, 0), 0u);
  EXPECT_EQ(RtlFindClearBits(&bits.map, 5, 0), 64u);
  EXPECT_EQ(RtlFindClearBits(&bits.map, 4, 64), 64u);
  EXPECT_EQ(RtlFindClearBits(&bits.map, 7, 0), 0xFFFFFFFFu);
  EXPECT_EQ(RtlFindClearBitsAndSet(&bits.map, 4, 16), 64u);
  EXPECT_EQ(RtlFindClearBitsAndSet(&bits.map, 3, 64), 0u) << "around";
  EXPECT_EQ(RtlFindSetBits(&bits.map, 4, 0), 4u);
  EXPECT_EQ(RtlFindSetBitsAndClear(&bits.map, 64, 0), 4u);
  EXPECT_EQ(RtlNumberOfSetBits(&bits.map), 3u);
}

TEST(BitMaps, HaveNoBitsBeyondTheirEnd) {
  BitMap bits;
  EXPECT_THROW(RtlSetBits(&bits.map, 68, 3), BugCheck);
  EXPECT_THROW(RtlTestBit(&bits.map, 70), BugCheck);
  EXPECT_THROW(RtlClearBits(&bits.map, 0xFFFFFFFF, 2), BugCheck);
}

}  // namespace
}  // namespace gmmu::os
