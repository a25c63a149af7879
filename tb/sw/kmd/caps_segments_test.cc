// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "tb/sw/kmd/fake_kernel.h"
#include "tb/sw/kmd/started_driver.h"
#include "kmd/escape.h"
#include "kmd/segments.h"

namespace gmmu::kmd::test {
namespace {

TEST(Caps, VramThatTheCpuDoesNotSeeIsASegmentOfItsOwn) {
  FakeKernel kernel;
  kernel.parameters = {{"VisibleVramBytes", 1 << 20}, {"VramBase", 0x40000000}, {"ApertureBytes", 4096 * 512}};
  ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
  ASSERT_EQ(kernel.Start(), STATUS_SUCCESS);
  DXGK_QUERYSEGMENTOUT4 out{};
  ASSERT_EQ(kernel.Query(DXGKQAITYPE_QUERYSEGMENT4, DXGK_QUERYSEGMENTIN4{0}, &out), STATUS_SUCCESS);
  ASSERT_EQ(out.NbSegment, 3u);
  DXGK_SEGMENTDESCRIPTOR4 segments[3];
  out.pSegmentDescriptor = reinterpret_cast<BYTE*>(segments);
  out.SegmentDescriptorStride = sizeof segments[0];
  ASSERT_EQ(kernel.Query(DXGKQAITYPE_QUERYSEGMENT4, DXGK_QUERYSEGMENTIN4{0}, &out), STATUS_SUCCESS);
  EXPECT_TRUE(segments[1].Flags.CpuVisible);
  EXPECT_EQ(segments[1].Size, 1u << 20);
  EXPECT_FALSE(segments[2].Flags.CpuVisible || segments[2].Flags.Aperture);
  EXPECT_EQ(segments[2].Size, segments[2].CommitLimit);
  EXPECT_GE(segments[1].Size + segments[2].Size, kernel.vram_bytes - (64 << 10)) << "all but the aperture's table";
  EXPECT_EQ(segments[2].BaseAddress.QuadPart, 0x40000000 + (1 << 20));
  kernel.Unload();
}

TEST(Caps, LargePagesNeedAHiddenSegmentThatBeginsAtOne) {
  for (const auto& [visible, supported] : {std::pair{0x110000, 0u}, {0x200000, 1u}, {0x210000, 0u}, {0, 1u}}) {
    FakeKernel kernel;
    kernel.parameters = {{"VisibleVramBytes", visible}, {"PageTableBits0", 9}, {"ApertureBytes", 4096 * 512}};
    ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
    ASSERT_EQ(kernel.Start(), STATUS_SUCCESS);
    DXGK_GPUMMUCAPS caps{};
    ASSERT_EQ(kernel.Query(DXGKQAITYPE_GPUMMUCAPS, DXGK_QUERYGPUMMUCAPSIN{0}, &caps), STATUS_SUCCESS);
    EXPECT_EQ(caps.LargePageSupported, supported) << visible;
    kernel.Unload();
  }
}

TEST(Caps, VramBehindTheWindowIsASegmentOfItsOwnWithoutAnyValueOfTheKey) {
  FakeKernel kernel;
  kernel.vram_bytes = 3 * FakeKernel::kWindowBytes;
  ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
  ASSERT_EQ(kernel.Start(), STATUS_SUCCESS);
  DXGK_QUERYSEGMENTOUT4 out{};
  out.NbSegment = 3;
  DXGK_SEGMENTDESCRIPTOR4 segments[3];
  out.pSegmentDescriptor = reinterpret_cast<BYTE*>(segments);
  out.SegmentDescriptorStride = sizeof segments[0];
  ASSERT_EQ(kernel.Query(DXGKQAITYPE_QUERYSEGMENT4, DXGK_QUERYSEGMENTIN4{0}, &out), STATUS_SUCCESS);
  ASSERT_EQ(out.NbSegment, 3u);
  EXPECT_EQ(segments[1].Size, FakeKernel::kWindowBytes);
  EXPECT_EQ(segments[1].Size + segments[2].Size, kernel.vram_bytes - 4096 * 8 - 16384)
      << "all but the table of aperture entries and the save area";
  EXPECT_FALSE(segments[2].Flags.CpuVisible);
  EXPECT_EQ(segments[2].BaseAddress.QuadPart, static_cast<LONGLONG>(FakeKernel::kWindowBytes));
  kernel.Unload();
}

TEST(Caps, TheSaveAreaIsTheDriversAndIsAskedForByPhysicalAdapter) {
  FakeKernel kernel;
  kernel.parameters = {{"SaveAreaBytes", 0x8000}, {"ApertureBytes", 4096 * 512}};
  ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
  ASSERT_EQ(kernel.Start(), STATUS_SUCCESS);
  DXGK_FRAMEBUFFERSAVEAREA area{};
  EXPECT_EQ(kernel.Query(DXGKQAITYPE_FRAMEBUFFERSAVESIZE, UINT{0}, &area), STATUS_SUCCESS);
  EXPECT_EQ(area.MaximumSize, 0x8000u);
  EXPECT_EQ(kernel.Query(DXGKQAITYPE_FRAMEBUFFERSAVESIZE, UINT{1}, &area), STATUS_INVALID_PARAMETER);
  DXGK_QUERYSEGMENTOUT4 out{};
  std::vector<BYTE> descriptors(2 * sizeof(DXGK_SEGMENTDESCRIPTOR4));
  out.NbSegment = 2;
  out.pSegmentDescriptor = descriptors.data();
  out.SegmentDescriptorStride = sizeof(DXGK_SEGMENTDESCRIPTOR4);
  ASSERT_EQ(kernel.Query(DXGKQAITYPE_QUERYSEGMENT4, DXGK_QUERYSEGMENTIN4{0}, &out), STATUS_SUCCESS);
  DXGK_SEGMENTDESCRIPTOR4 vram{};
  std::memcpy(&vram, descriptors.data() + sizeof vram, sizeof vram);
  EXPECT_EQ(vram.Size, kernel.vram_bytes - 4096 - 0x8000) << "below the aperture table and the save area";
  kernel.Unload();
}

TEST(Rule11, SegmentsComeInTwoCallsAtTheCallersStride) {
  StartedDriver driver;
  DXGK_QUERYSEGMENTOUT4 out{};
  const DXGK_QUERYSEGMENTIN4 in{0};
  ASSERT_EQ(driver.kernel.Query(DXGKQAITYPE_QUERYSEGMENT4, in, &out), STATUS_SUCCESS);
  ASSERT_EQ(out.NbSegment, 2u);
  EXPECT_EQ(out.PagingBufferSize, 0u) << "the first call asks for the count only";

  constexpr size_t kStride = 0x90;  // larger than the descriptor in these headers
  std::vector<BYTE> descriptors(2 * kStride, 0xCC);
  out.pSegmentDescriptor = descriptors.data();
  out.SegmentDescriptorStride = kStride;
  ASSERT_EQ(driver.kernel.Query(DXGKQAITYPE_QUERYSEGMENT4, in, &out), STATUS_SUCCESS);
  DXGK_SEGMENTDESCRIPTOR4 aperture{}, vram{};
  std::memcpy(&aperture, descriptors.data(), sizeof aperture);
  std::memcpy(&vram, descriptors.data() + kStride, sizeof vram);
  EXPECT_TRUE(aperture.Flags.Aperture);
  EXPECT_FALSE(aperture.Flags.CpuVisible);
  EXPECT_EQ(aperture.Size, 16u << 20);
  EXPECT_EQ(aperture.CommitLimit, 16u << 20);
  EXPECT_TRUE(vram.Flags.CpuVisible);
  EXPECT_FALSE(vram.Flags.Aperture);
  EXPECT_EQ(vram.Size, (8u << 20) - 4096 * 8 - 16384) << "without the table of aperture entries and the save area";
  EXPECT_EQ(vram.CpuTranslatedAddress.QuadPart, FakeKernel::kWindowAddress);
  EXPECT_EQ(out.PagingBufferSegmentId, 0u);
  EXPECT_EQ(out.PagingBufferSize, 65536u);
  for (size_t i = sizeof aperture; i < kStride; ++i) EXPECT_EQ(descriptors[i], 0xCC);
}

}  // namespace
}  // namespace gmmu::kmd::test
