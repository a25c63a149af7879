// SPDX-License-Identifier: Apache-2.0
#include "kmd/adapter.h"

#include <gtest/gtest.h>

#include "kmd/segments.h"
#include "tb/sw/kmd/started_driver.h"
#include "kmd/escape.h"

namespace gmmu::kmd::test {
namespace {

TEST(Allocations, TellTheirPlacesAndSurviveABadOneInTheMiddle) {
  StartedDriver driver;
  FakeKernel& kernel = driver.kernel;
  AllocationData wanted[2];
  wanted[0].bytes = 5000;
  wanted[1].bytes = 4096;
  wanted[1].accessed_physically = wanted[1].system_only = 1;
  DXGK_ALLOCATIONINFO infos[2]{};
  for (int i = 0; i < 2; ++i) {
    infos[i].pPrivateDriverData = &wanted[i];
    infos[i].PrivateDriverDataSize = sizeof wanted[i];
  }
  DXGKARG_CREATEALLOCATION args{};
  args.NumAllocations = 2;
  args.pAllocationInfo = infos;
  ASSERT_EQ(kernel.table.DxgkDdiCreateAllocation(kernel.adapter, &args), STATUS_SUCCESS);
  EXPECT_EQ(infos[0].Size, 8192u);
  EXPECT_EQ(infos[0].SupportedWriteSegmentSet, 3u);
  EXPECT_EQ(infos[0].PreferredSegment.SegmentId0, kVramSegment);
  EXPECT_FALSE(infos[0].FlagsWddm2.AccessedPhysically);
  EXPECT_EQ(infos[1].SupportedWriteSegmentSet, 1u);
  EXPECT_TRUE(infos[1].FlagsWddm2.AccessedPhysically);
  // Of the flags that have no effect in the OS model, the driver sets only Cached.
  for (const DXGK_ALLOCATIONINFO& info : infos) {
    EXPECT_TRUE(info.FlagsWddm2.Cached);
    EXPECT_FALSE(info.FlagsWddm2.PermanentSysMem || info.FlagsWddm2.ExistingSysMem ||
                 info.FlagsWddm2.ExistingKernelSysMem || info.FlagsWddm2.DisableLargePageMapping ||
                 info.FlagsWddm2.CpuVisibleOnDemand || info.Flags2.ShareBackingStoreWithKmd);
  }
  EXPECT_EQ(infos[1].EvictionSegmentSet, 1u);
  const HANDLE handles[2] = {infos[0].hAllocation, infos[1].hAllocation};
  DXGKARG_DESTROYALLOCATION destroy{};
  destroy.NumAllocations = 2;
  destroy.pAllocationList = handles;
  EXPECT_EQ(kernel.table.DxgkDdiDestroyAllocation(kernel.adapter, &destroy), STATUS_SUCCESS);

  const int64_t before = kernel.pool_blocks;
  wanted[1].bytes = 0;
  EXPECT_EQ(kernel.table.DxgkDdiCreateAllocation(kernel.adapter, &args), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(kernel.pool_blocks, before);
}

}  // namespace
}  // namespace gmmu::kmd::test
