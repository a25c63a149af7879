// SPDX-License-Identifier: Apache-2.0
#include "kmd/host_aperture.h"

#include <gtest/gtest.h>

#include <vector>

#include "kmd/segments.h"
#include "tb/sw/kmd/fake_kernel.h"

namespace gmmu::kmd::test {
namespace {

constexpr uint64_t kVisible = 1 << 20, kApertureAt = FakeKernel::kWindowBytes - (1 << 20);

struct HostApertureDriver : ::testing::Test {
  /// Starts the driver on hardware with 2^lg2 entries.
  NTSTATUS Start(unsigned lg2, bool leaf_64k = false) {
    kernel.parameters = {{"VisibleVramBytes", kVisible}, {"HostAperture", 1}, {"Leaf64k", leaf_64k}};
    EXPECT_EQ(kernel.Load(), STATUS_SUCCESS);
    kernel.reg(regs::Id::kOffset) = regs::Id{kernel.reg(regs::Id::kOffset)}.set_minor(5).raw;
    kernel.reg(regs::Cap2::kOffset) = regs::Cap2{kernel.reg(regs::Cap2::kOffset)}.set_host_aperture_lg2(lg2).raw;
    const NTSTATUS status = kernel.Start();
    started_ = NT_SUCCESS(status);
    return status;
  }
  ~HostApertureDriver() override {
    if (started_) kernel.Unload();
  }
  /// Returns the descriptor of the last segment.
  DXGK_SEGMENTDESCRIPTOR4 Hidden() {
    DXGK_QUERYSEGMENTOUT4 out{};
    DXGK_SEGMENTDESCRIPTOR4 segments[3];
    out.NbSegment = 3;
    out.pSegmentDescriptor = reinterpret_cast<BYTE*>(segments);
    out.SegmentDescriptorStride = sizeof segments[0];
    EXPECT_EQ(kernel.Query(DXGKQAITYPE_QUERYSEGMENT4, DXGK_QUERYSEGMENTIN4{0}, &out), STATUS_SUCCESS);
    return segments[2];
  }
  NTSTATUS Map(std::vector<UINT> window, std::vector<UINT64> pages, WORD segment = kHiddenSegment) {
    kernel.writes.clear();
    DXGKARG_MAPCPUHOSTAPERTURE args{};
    args.SegmentId = segment;
    args.NumberOfPages = pages.size();
    args.pCpuHostAperturePages = window.data();
    args.pMemorySegmentPages = pages.data();
    return kernel.table.DxgkDdiMapCpuHostAperture(kernel.adapter, &args);
  }
  NTSTATUS Unmap(std::vector<UINT> window, WORD segment = kHiddenSegment) {
    kernel.writes.clear();
    DXGKARG_UNMAPCPUHOSTAPERTURE args{};
    args.SegmentId = segment;
    args.NumberOfPages = window.size();
    args.pCpuHostAperturePages = window.data();
    return kernel.table.DxgkDdiUnmapCpuHostAperture(kernel.adapter, &args);
  }
  /// Returns the values that were written to register host_aperture_entry.
  std::vector<uint64_t> Entries() {
    std::vector<uint64_t> values;
    for (const FakeKernel::Access& write : kernel.writes)
      if (!write.window && write.offset == regs::HostApertureEntry::kOffset) values.push_back(write.value);
    return values;
  }
  static uint64_t Entry(uint64_t index, uint64_t vram) {
    return regs::HostApertureEntry{}.set_valid(1).set_index(index).set_page(vram / kPage).raw;
  }

  FakeKernel kernel;

 private:
  bool started_ = false;
};

TEST_F(HostApertureDriver, IsTheEndOfTheWindowAndIsOnAfterTheStart) {
  ASSERT_EQ(Start(8), STATUS_SUCCESS);
  const DXGK_SEGMENTDESCRIPTOR4 hidden = Hidden();
  EXPECT_TRUE(hidden.Flags.SupportsCpuHostAperture);
  EXPECT_FALSE(hidden.Flags.CpuVisible);
  EXPECT_EQ(hidden.CpuHostAperture.PhysicalAddress.QuadPart,
            FakeKernel::kWindowAddress + static_cast<LONGLONG>(kApertureAt));
  EXPECT_EQ(hidden.CpuHostAperture.SizeInPages, 256u);
  EXPECT_TRUE(kernel.Reg<regs::HostAperture>().enable());
  EXPECT_EQ(kernel.Reg<regs::HostAperture>().first(), kApertureAt / kPage);
  EXPECT_EQ(Entries().size(), 256u);
  for (uint64_t i = 0; i < 256; ++i) EXPECT_EQ(Entries()[i], regs::HostApertureEntry{}.set_index(i).raw);
}

TEST_F(HostApertureDriver, MapsPagesOfTheHiddenSegment) {
  ASSERT_EQ(Start(8), STATUS_SUCCESS);
  ASSERT_EQ(Map({7, 255}, {3, 0}), STATUS_SUCCESS);
  EXPECT_EQ(Entries(), (std::vector{Entry(7, kVisible + 3 * kPage), Entry(255, kVisible)}));
  ASSERT_EQ(Unmap({7}), STATUS_SUCCESS);
  EXPECT_EQ(Entries(), std::vector{regs::HostApertureEntry{}.set_index(7).raw});
}

TEST_F(HostApertureDriver, APageOf64KHasSixteenEntries) {
  ASSERT_EQ(Start(8, true), STATUS_SUCCESS);
  EXPECT_EQ(Hidden().CpuHostAperture.SizeInPages, 16u);
  ASSERT_EQ(Map({15}, {2}), STATUS_SUCCESS);
  ASSERT_EQ(Entries().size(), 16u);
  for (uint64_t i = 0; i < 16; ++i) EXPECT_EQ(Entries()[i], Entry(240 + i, kVisible + 2 * kPage64k + i * kPage));
  EXPECT_EQ(Map({16}, {0}), STATUS_INVALID_PARAMETER);
}

TEST_F(HostApertureDriver, RefusesOtherSegmentsAndPagesThatItDoesNotHave) {
  ASSERT_EQ(Start(8), STATUS_SUCCESS);
  EXPECT_EQ(Map({0}, {0}, kVramSegment), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Map({0, 256}, {0, 0}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Map({0, 1}, {0, Hidden().Size / kPage}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Entries().size(), 0u);
  EXPECT_EQ(Unmap({256}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Unmap({0}, kVramSegment), STATUS_INVALID_PARAMETER);
}

TEST_F(HostApertureDriver, EntriesAreWrittenAgainAfterAResetOfTheAdapter) {
  ASSERT_EQ(Start(8), STATUS_SUCCESS);
  ASSERT_EQ(Map({7}, {3}), STATUS_SUCCESS);
  kernel.reg(regs::Status::kOffset) = 1;  // idle
  ASSERT_EQ(kernel.table.DxgkDdiResetFromTimeout(kernel.adapter), STATUS_SUCCESS);
  kernel.reg(regs::HostAperture::kOffset) = 0;
  kernel.writes.clear();
  ASSERT_EQ(kernel.table.DxgkDdiRestartFromTimeout(kernel.adapter), STATUS_SUCCESS);
  ASSERT_EQ(Entries().size(), 256u);
  EXPECT_EQ(Entries()[7], Entry(7, kVisible + 3 * kPage));
  EXPECT_TRUE(kernel.Reg<regs::HostAperture>().enable());
}

TEST_F(HostApertureDriver, NeedsHardwareThatHasOne) { EXPECT_EQ(Start(0), STATUS_NOT_SUPPORTED); }

TEST_F(HostApertureDriver, SupportsNoMoreEntriesThanItKeeps) {
  EXPECT_EQ(Start(HostAperture::kMostLg2 + 1), STATUS_NOT_SUPPORTED);
}

}  // namespace
}  // namespace gmmu::kmd::test
