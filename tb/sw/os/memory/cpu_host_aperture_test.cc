// SPDX-License-Identifier: Apache-2.0
// Tests the CPU host aperture with a driver that records which page of the segment each page of
// BAR2 shows. The expected behaviour follows Microsoft's documentation; it has not been observed on
// Windows.
#include "os/memory/cpu_host_aperture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/sw/os/between.h"
#include "tb/sw/os/machine.h"
#include "os/base/bug_check.h"
#include "os/miniport/miniport.h"

namespace gmmu::os {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::map<UINT, UINT64> shown;  // the segment page that each window page shows
std::vector<UINT> segments;
NTSTATUS answer;
bool pointer_lived;
Kernel* kernel_now;
uint8_t* watched;

NTSTATUS MapPages(HANDLE, const DXGKARG_MAPCPUHOSTAPERTURE* args) {
  if (!NT_SUCCESS(answer)) return answer;
  segments.push_back(args->SegmentId);
  for (UINT64 i = 0; i < args->NumberOfPages; ++i) {
    EXPECT_EQ(shown.count(args->pCpuHostAperturePages[i]), 0u) << "a page of the window is pointed at one page";
    shown[args->pCpuHostAperturePages[i]] = args->pMemorySegmentPages[i];
  }
  return STATUS_SUCCESS;
}

NTSTATUS UnmapPages(HANDLE, const DXGKARG_UNMAPCPUHOSTAPERTURE* args) {
  if (watched != nullptr) {
    try {
      kernel_now->mmio().Resolve(watched, 1);
      pointer_lived = true;
    } catch (const BugCheck&) {
      pointer_lived = false;
    }
  }
  for (UINT64 i = 0; i < args->NumberOfPages; ++i) shown.erase(args->pCpuHostAperturePages[i]);
  return STATUS_SUCCESS;
}

struct Window : Machine {
  explicit Window(bool large = false) : miniport(kernel, Table()) {
    shown.clear();
    segments.clear();
    answer = STATUS_SUCCESS;
    watched = nullptr;
    kernel_now = &kernel;
    for (const PciFunction& function : kernel.pci().Enumerate())
      if (function.bars[2].size != 0) start = function.bars[2].address;
    DXGK_SEGMENTDESCRIPTOR4 segment{};
    segment.Flags.SupportsCpuHostAperture = 1;
    segment.Flags.Use64KBPages = large;
    segment.Size = 16 << 20;
    segment.CpuHostAperture.PhysicalAddress.QuadPart = static_cast<LONGLONG>(start);
    segment.CpuHostAperture.SizeInPages = 8;
    aperture.emplace(kernel, miniport, segment, 2, 0);
  }
  static DRIVER_INITIALIZATION_DATA Table() {
    DRIVER_INITIALIZATION_DATA table{};
    table.DxgkDdiMapCpuHostAperture = MapPages;
    table.DxgkDdiUnmapCpuHostAperture = UnmapPages;
    return table;
  }
  /// Returns the segment pages that a view shows, as last reported to the driver.
  std::vector<UINT64> Behind(const uint8_t* view, size_t pages) {
    std::vector<UINT64> found;
    const uint64_t first = (kernel.mmio().Resolve(view, 1) - start) / aperture->page_bytes();
    for (size_t i = 0; i < pages; ++i) found.push_back(shown.at(static_cast<UINT>(first + i)));
    return found;
  }
  Miniport miniport;
  uint64_t start = 0;
  std::optional<CpuHostAperture> aperture;
};

TEST(CpuHostAperture, AViewIsConsecutiveInTheWindowWhateverPagesItShows) {
  for (const bool large : {false, true}) {
    Window window(large);
    EXPECT_EQ(window.aperture->page_bytes(), large ? 65536u : 4096u) << "a page is the segment's";
    uint8_t* one = window.aperture->Map(nullptr, {7, 3, 200});
    uint8_t* two = window.aperture->Map(nullptr, {9});
    EXPECT_THAT(window.Behind(one, 3), ElementsAre(7u, 3u, 200u));
    EXPECT_THAT(window.Behind(two, 1), ElementsAre(9u));
    EXPECT_THAT(segments, ElementsAre(2u, 2u));
    window.aperture->Unmap(one);
    window.aperture->Unmap(two);
    EXPECT_THAT(shown, IsEmpty());
    EXPECT_EQ(window.aperture->views(), 0u);
  }
}

TEST(CpuHostAperture, ItsPointerIsGoneBeforeTheDriverIsToldToUnmap) {
  Window window;
  watched = window.aperture->Map(nullptr, {1});
  pointer_lived = true;
  window.aperture->Unmap(watched);
  EXPECT_FALSE(pointer_lived);
  EXPECT_THROW(window.aperture->Unmap(watched), BugCheck) << "twice";
}

TEST(CpuHostAperture, WhatDoesNotFitOrIsRefusedTakesNothing) {
  Window window;
  EXPECT_THROW(window.aperture->Map(nullptr, std::vector<uint64_t>(9, 1)), OsError);
  answer = STATUS_NO_MEMORY;
  EXPECT_THROW(window.aperture->Map(nullptr, {1}), OsError);
  answer = STATUS_SUCCESS;
  uint8_t* all = window.aperture->Map(nullptr, {0, 1, 2, 3, 4, 5, 6, 7});
  window.aperture->Unmap(all);
  EXPECT_THROW(window.aperture->Map(nullptr, {4096}), BugCheck) << "behind the segment's end";
}

TEST(CpuHostAperture, IsForSegmentsThatHaveOne) {
  Window window;
  EXPECT_THROW(CpuHostAperture(window.kernel, window.miniport, DXGK_SEGMENTDESCRIPTOR4{}, 2, 0), BugCheck);
}

/// Windows and the admission check accept a segment with a CPU host aperture, but this machine's
/// GPU has no such aperture.
class CpuHostApertureStart : public DriverWithAFront {};
TEST_F(CpuHostApertureStart, TablesBehindOneEndTheStartWithAWord) {
  between.query = [&](const DXGKARG_QUERYADAPTERINFO& args) {
    const NTSTATUS status = between.real.DxgkDdiQueryAdapterInfo(between.context, &args);
    if (args.Type != DXGKQAITYPE_QUERYSEGMENT4 || !NT_SUCCESS(status)) return status;
    auto* out = static_cast<DXGK_QUERYSEGMENTOUT4*>(args.pOutputData);
    if (out->pSegmentDescriptor == nullptr) return status;
    auto* vram = reinterpret_cast<DXGK_SEGMENTDESCRIPTOR4*>(out->pSegmentDescriptor + out->SegmentDescriptorStride);
    vram->Flags.CpuVisible = 0;
    vram->Flags.SupportsCpuHostAperture = 1;
    return status;
  };
  const auto result = Run();
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_NE(result.faults[0].text.find("through a host aperture only"), std::string::npos) << result.faults[0].text;
}

}  // namespace
}  // namespace gmmu::os
