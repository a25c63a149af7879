// SPDX-License-Identifier: Apache-2.0
#include "os/bug_check.h"

#include <gtest/gtest.h>

namespace gmmu::os {
namespace {

TEST(BugCheck, SaysNumberNameParametersAndCause) {
  const BugCheck stop(StopCode::kVideoMemoryManagementInternal,
                      {stop::kBuildPagingBuffer, 0, 0xC000000D, 0}, "the driver failed");
  EXPECT_STREQ(stop.what(),
               "bug check 0x10e VIDEO_MEMORY_MANAGEMENT_INTERNAL (0xb, 0x0, 0xc000000d, 0x0): "
               "the driver failed");
  EXPECT_EQ(stop.cause(), "the driver failed");
  EXPECT_EQ(stop.code(), StopCode::kVideoMemoryManagementInternal);
  EXPECT_EQ(stop.parameters()[2], 0xC000000Du);
}

TEST(BugCheck, WithoutAKnownNumberIsItsCause) {
  EXPECT_STREQ(BugCheck("a page is freed twice").what(), "bug check: a page is freed twice");
}

}  // namespace
}  // namespace gmmu::os
