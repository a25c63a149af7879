// SPDX-License-Identifier: Apache-2.0
#include "os/vidsch/vidsch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/sw/os/vidsch/vidsch_bench.h"

namespace gmmu::os::test {
namespace {

using ::testing::SizeIs;

TEST(VidSch, ADriverHoldsSoManyPacketsAndTheRestWaits) {
  SchedulerBench test;
  for (size_t i = 0; i < VidSch::kDepth + 2; ++i) test.Submit(test.Paging());
  EXPECT_THAT(test.driver.submitted, SizeIs(VidSch::kDepth));
  test.Run([&] {
    test.Complete(2);
    test.Sleep(1000);
    EXPECT_THAT(test.driver.submitted, SizeIs(VidSch::kDepth + 2));
    test.Complete(VidSch::kDepth + 2);
  });
  EXPECT_THAT(test.ended, SizeIs(VidSch::kDepth + 2));
}

}  // namespace
}  // namespace gmmu::os::test
