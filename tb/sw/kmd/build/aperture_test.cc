// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tb/sw/kmd/build/build_bench.h"
#include "kmd/build/entry_format.h"
#include "kmd/escape.h"
#include "kmd/objects.h"
#include "kmd/paging_record.h"
#include "kmd/segments.h"

namespace gmmu::kmd::test {
namespace {

using testing::IsEmpty;

DXGKARG_BUILDPAGINGBUFFER MapAperture2(DXGK_ADL adl, SIZE_T offset, SIZE_T pages, ULONG adl_offset) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT2;
  auto& op = args.MapApertureSegment2;
  op.SegmentId = kApertureSegment;
  op.OffsetInPages = offset;
  op.NumberOfPages = pages;
  op.Adl = adl;
  op.AdlOffset = adl_offset;
  op.Flags.CacheCoherent = 1;
  return args;
}

DXGK_ADL ContiguousAdl(uint32_t count, uint64_t base) {
  DXGK_ADL adl{};
  adl.PageCount = count;
  adl.Flags.Contiguous = 1;
  adl.BasePageNumber = base;
  return adl;
}

uint64_t ApertureEntry(uint64_t page, bool coherent = true) {
  return regs::ApertureEntryEntry{}.set_valid(1).set_coherent(coherent).set_page(page).raw;
}

TEST_F(BuildTest, MapAperture2TakesBothFormsOfAdlAndCountsTheOffsetInPages) {
  const auto contiguous = Built(MapAperture2(ContiguousAdl(100, 0x5000), 20, 90, 10));
  EXPECT_EQ(contiguous.headers.size(), 1u) << "one command whatever the size";
  ASSERT_EQ(contiguous.aperture.size(), 90u);
  for (uint32_t i = 0; i < 90; ++i) EXPECT_EQ(contiguous.aperture.at(20 + i), ApertureEntry(0x5000 + 10 + i));

  std::vector<DXGK_PAGE_NUMBER> pages;
  for (uint64_t i = 0; i < 100; ++i) pages.push_back(0x9000 - i * 17);
  DXGK_ADL list{};
  list.PageCount = 100;
  list.Pages = pages.data();
  const auto listed = Built(MapAperture2(list, 20, 90, 10));
  ASSERT_EQ(listed.aperture.size(), 90u);
  for (uint32_t i = 0; i < 90; ++i) EXPECT_EQ(listed.aperture.at(20 + i), ApertureEntry(pages[10 + i]));

  for (const UINT bytes : {24u, 64u, 200u}) {
    CommandModel pieces;
    EXPECT_EQ(Build(MapAperture2(list, 20, 90, 10), bytes, &pieces), STATUS_SUCCESS);
    EXPECT_EQ(pieces.aperture, listed.aperture);
    EXPECT_THAT(pieces.errors, IsEmpty());
  }
}

TEST_F(BuildTest, MapApertureTakesTheMdl) {
  Mdl mdl({9, 8, 7, 6});
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT;
  auto& op = args.MapApertureSegment;
  op.SegmentId = kApertureSegment;
  op.OffsetInPages = 4094;
  op.NumberOfPages = 2;
  op.pMdl = mdl.get();
  op.MdlOffset = 2;
  const auto model = Built(args);
  EXPECT_EQ(model.aperture.at(4094), ApertureEntry(7, false));
  EXPECT_EQ(model.aperture.at(4095), ApertureEntry(6, false));
}

TEST_F(BuildTest, UnmapPointsTheRangeAtTheDummyPageOfTheSystem) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
  auto& op = args.UnmapApertureSegment;
  op.SegmentId = kApertureSegment;
  op.OffsetInPages = 5;
  op.NumberOfPages = 3;
  op.DummyPage.QuadPart = 0x12345000;
  const auto model = Built(args);
  ASSERT_EQ(model.aperture.size(), 3u);
  for (uint32_t i = 5; i < 8; ++i) EXPECT_EQ(model.aperture.at(i), ApertureEntry(0x12345));
}

TEST_F(BuildTest, ApertureRangesThatDoNotFitAreRefused) {
  EXPECT_EQ(Refused(MapAperture2(ContiguousAdl(10, 1), 4090, 7, 0)), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Refused(MapAperture2(ContiguousAdl(10, 1), ~SIZE_T{0}, 2, 0)), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Refused(MapAperture2(ContiguousAdl(10, 1), 0, 8, 3)), STATUS_INVALID_PARAMETER) << "past the ADL";
  Mdl mdl({9, 8, 7});
  DXGKARG_BUILDPAGINGBUFFER by_mdl{};
  by_mdl.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT;
  auto& op = by_mdl.MapApertureSegment;
  op.SegmentId = kApertureSegment;
  op.pMdl = mdl.get();
  op.NumberOfPages = 4;
  EXPECT_EQ(Refused(by_mdl), STATUS_INVALID_PARAMETER) << "past the MDL";
  op.NumberOfPages = 2;
  op.MdlOffset = 2;
  EXPECT_EQ(Refused(by_mdl), STATUS_INVALID_PARAMETER) << "past the MDL from its third page";
  op.NumberOfPages = 1;
  EXPECT_EQ(Built(by_mdl).aperture.size(), 1u);
  auto args = MapAperture2(ContiguousAdl(10, 1), 0, 1, 0);
  args.MapApertureSegment2.SegmentId = kVramSegment;
  EXPECT_EQ(Refused(args), STATUS_INVALID_PARAMETER);
}

}  // namespace
}  // namespace gmmu::kmd::test
