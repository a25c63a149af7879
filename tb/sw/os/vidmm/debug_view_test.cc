// SPDX-License-Identifier: Apache-2.0
// Tests the debug view of page tables, capabilities and segments. The expected behaviour follows
// Microsoft's documentation; it has not been observed on Windows.
#include "os/vidmm/allocation.h"
#include "os/base/page_math.h"
#include "os/vidmm/debug_view.h"
#include "tb/sw/os/driver_front.h"

namespace gmmu::os::test {
namespace {

using ::testing::SizeIs;
using workload::Life;

class Debug : public DriverFront {};

TEST_F(Debug, GetPteWalksFromTheRootToTheEntriesOfOneTable) {
  RunOnWorker([&](Life& life) {
    const DebugView view(life.vidmm);
    GpuProcess* process = life.vidmm.CreateProcess("process");
    Allocation* data = Filled(life, 3, 1);
    const uint64_t va = life.vidmm.ReserveVa(*process, 8 * kPage);
    Protection read_only = Protection::All();
    read_only.type.Write = 0;
    life.vidmm.Map(*process, va + kPage, *data, 0, 3, read_only);
    const DXGK_ESCAPE_GPUMMUCAPS caps = view.EscapeGpuMmuCaps();
    D3DKMT_GET_PTE get{};
    for (UINT level = 0; level < caps.PageTableLevelCount; ++level) {
      const auto& desc = caps.PageTableLevelDesk[level];
      get.PageTableIndex[level] = static_cast<UINT>((va & desc.IndexMask) >> desc.IndexShift);
    }
    get.NumPtes = 5;
    ASSERT_EQ(view.GetPte(*process, get), STATUS_SUCCESS);
    EXPECT_EQ(get.NumPtes, 5u);
    EXPECT_EQ(get.NumValidEntries, 3u);
    EXPECT_FALSE(get.Pte[0].Valid);
    for (unsigned i = 0; i < 3; ++i) {
      EXPECT_TRUE(get.Pte[1 + i].Valid && get.Pte[1 + i].ReadOnly);
      EXPECT_EQ(get.Pte[1 + i].PageAddress, data->local->page(i));
    }
    for (UINT level = 1; level < caps.PageTableLevelCount; ++level) {
      get.PageTableLevel = level;
      get.NumPtes = 1;
      ASSERT_EQ(view.GetPte(*process, get), STATUS_SUCCESS);
      EXPECT_TRUE(get.Pte[0].Valid && !get.Pte[0].LargePage) << level;
    }
    get.PageTableLevel = 0;
    get.PageTableIndex[0] = (1u << caps.PageTableLevelDesk[0].IndexBitCount) - 2;
    get.NumPtes = 5;
    ASSERT_EQ(view.GetPte(*process, get), STATUS_SUCCESS);
    EXPECT_EQ(get.NumPtes, 2u) << "up to the end of the table";
    get.PageTableIndex[caps.PageTableLevelCount - 1] ^= 1;
    get.PageTableLevel = 0;
    EXPECT_EQ(view.GetPte(*process, get), STATUS_INVALID_PARAMETER) << "no table under that entry";
    get.PageTableIndex[caps.PageTableLevelCount - 1] ^= 1;
    get.NumPtes = D3DKMT_GET_PTE_MAX + 1;
    EXPECT_EQ(view.GetPte(*process, get), STATUS_INVALID_PARAMETER);
    life.vidmm.FreeVa(*process, va);
    life.vidmm.DestroyAllocation(data);
    life.vidmm.DestroyProcess(process);
  });
}

TEST_F(Debug, CapsAndSegmentsAreTheDrivers) {
  Run([&](Life& life) {
    const DebugView view(life.vidmm);
    const D3DKMT_GPUMMU_CAPS caps = view.GpuMmuCaps();
    EXPECT_TRUE(caps.Flags.ReadOnlyMemorySupported && caps.Flags.NoExecuteMemorySupported &&
                caps.Flags.CacheCoherentMemorySupported);
    EXPECT_EQ(caps.VirtualAddressBitCount, 48u);
    const DXGK_ESCAPE_GPUMMUCAPS all = view.EscapeGpuMmuCaps();
    EXPECT_TRUE(all.ZeroInPteSupported && all.LargePageSupported && !all.AllowNonAlignedLargePageAddress);
    EXPECT_EQ(all.PageTableLevelCount, 4u);
    EXPECT_EQ(all.PageTableLevelDesk[1].IndexBitCount, 9u);
    EXPECT_EQ(all.PageTableLevelDesk[1].IndexShift, 21u);
    EXPECT_EQ(all.PageTableLevelDesk[1].LowerLevelsMask, 0x1FFFFFu);
    EXPECT_EQ(all.PageTableLevelDesk[1].EntryCoverageInPages, 512u);
    const auto segments = view.SegmentCaps();
    ASSERT_THAT(segments, SizeIs(2));
    EXPECT_TRUE(segments[0].bAperture);
    EXPECT_EQ(segments[0].BudgetGroup, D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL);
    EXPECT_EQ(segments[1].Size, life.adapter.local_segment().size);
    EXPECT_EQ(segments[1].SegmentId, 2u);
    EXPECT_EQ(segments[1].PageSize, 4096u);
  });
}

}  // namespace
}  // namespace gmmu::os::test
