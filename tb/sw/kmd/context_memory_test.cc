// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tb/sw/kmd/build/build_bench.h"
#include "kmd/build/entry_format.h"
#include "kmd/escape.h"
#include "kmd/objects.h"
#include "kmd/paging_record.h"
#include "kmd/segments.h"

namespace gmmu::kmd::test {
namespace {

TEST(ContextMemory, IsMadeMappedAndWrittenBeforeTheContextIsThereAndUndoneWhenAnyOfItFails) {
  for (const int failing : {-1, 0, 1, 2}) {
    StartedDriver driver({{"ContextBytes", 8192}});
    driver.kernel.fail_at_context_call = failing < 0 ? -1 : driver.kernel.context_calls + failing;
    NTSTATUS status = STATUS_SUCCESS;
    const size_t before = driver.kernel.context_allocations.size();
    const HANDLE context = driver.CreateContext(driver.device, false, &status);
    if (failing < 0) {
      ASSERT_EQ(status, STATUS_SUCCESS);
      ASSERT_EQ(driver.kernel.context_allocations.size(), before + 1);
      const auto& made = driver.kernel.context_allocations.rbegin()->second;
      EXPECT_EQ(made.args.Size, 8192u);
      EXPECT_TRUE(made.args.ContextAllocationFlags.MapGpuVirtualAddress);
      EXPECT_FALSE(made.args.ContextAllocationFlags.SharedAcrossContexts);
      EXPECT_EQ(made.args.EvictionSegmentSet, SegmentBit(kApertureSegment));
      ASSERT_EQ(made.words.size(), 3u);
      EXPECT_EQ(made.words[0], ContextRecord::kMagic);
      EXPECT_EQ(made.words[2], made.va);
      driver.kernel.table.DxgkDdiDestroyContext(context);
    } else {
      EXPECT_NE(status, STATUS_SUCCESS);
    }
    EXPECT_EQ(driver.kernel.context_allocations.size(), before) << failing;
  }
}

TEST(ContextMemory, SharedAcrossContextsIsOneForADevice) {
  StartedDriver driver({{"ContextBytes", 4096}, {"ContextShared", 1}});
  ASSERT_EQ(driver.kernel.context_allocations.size(), 1u) << "the fixture's context";
  const auto& made = driver.kernel.context_allocations.begin()->second.args;
  EXPECT_TRUE(made.ContextAllocationFlags.SharedAcrossContexts);
  EXPECT_EQ(made.hContext, nullptr) << "it belongs to no context";
  const HANDLE second = driver.CreateContext(driver.device, false);
  EXPECT_EQ(driver.kernel.context_allocations.size(), 1u);
  driver.kernel.table.DxgkDdiDestroyContext(second);
  EXPECT_EQ(driver.kernel.context_allocations.size(), 1u) << "until the device goes";
}

TEST(DriverAddresses, AreReservedInCreateProcessInWholeLeafTables) {
  StartedDriver driver({{"DriverVaBytes", 5000}, {"DriverVaUser", 1}});
  ASSERT_EQ(driver.kernel.reserved.size(), 1u) << "not in the system's process";
  EXPECT_EQ(driver.kernel.reserved[0].SizeInBytes, uint64_t{2} << 20);
  EXPECT_EQ(driver.kernel.reserved[0].Alignment, 2u << 20);
  EXPECT_TRUE(driver.kernel.reserved[0].AllowUserModeMapping);
  driver.kernel.fail_at_context_call = driver.kernel.context_calls;
  DXGKARG_CREATEPROCESS args{};
  EXPECT_EQ(driver.kernel.table.DxgkDdiCreateProcess(driver.kernel.adapter, &args), STATUS_INSUFFICIENT_RESOURCES);
}

}  // namespace
}  // namespace gmmu::kmd::test
