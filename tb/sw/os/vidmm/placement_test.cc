// SPDX-License-Identifier: Apache-2.0
// Tests where allocations are placed: segment sets, preferences, alignment, contiguity, unusable
// ranges of a segment, and base addresses of segments. The expected behaviour follows Microsoft's
// documentation; it has not been observed on Windows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/sw/os/between.h"
#include "tb/sw/os/life_bench.h"
#include "os/miniport/allocation.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/aperture.h"
#include "os/vidmm/placement.h"
#include "workload/procedures/procedures.h"

namespace gmmu::os {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using workload::Life;

std::vector<UINT> OrderOf(const DXGK_ALLOCATIONINFO& info, const AdapterAnswers& answers) {
  std::vector<UINT> order;
  for (const Homes::Place& place : HomesOf(info, answers).places) order.push_back(place.segment);
  return order;
}

TEST(Placement, PreferredSegmentsOfTheWriteSetComeFirst) {
  AdapterAnswers answers;
  answers.driver.MemoryManagementCaps.GpuMmuSupported = 1;
  answers.segments.resize(4);
  answers.segments[0].Flags.Aperture = 1;
  DXGK_ALLOCATIONINFO info{};
  info.SupportedWriteSegmentSet = 0xF;
  info.FlagsWddm2.AccessedPhysically = 1;
  EXPECT_THAT(OrderOf(info, answers), ElementsAre(2u, 3u, 4u, 1u)) << "the aperture comes behind memory segments";
  info.PreferredSegment.SegmentId0 = 4;
  info.PreferredSegment.Direction0 = 1;
  info.PreferredSegment.SegmentId1 = 3;
  EXPECT_THAT(OrderOf(info, answers), ElementsAre(4u, 3u, 2u, 1u));
  EXPECT_TRUE(HomesOf(info, answers).places[0].from_end);
  EXPECT_FALSE(HomesOf(info, answers).places[1].from_end);
  info.SupportedWriteSegmentSet = 0x5;  // ignores preferences outside the set
  EXPECT_THAT(OrderOf(info, answers), ElementsAre(3u, 1u));
  info.FlagsWddm2.FromEndOfSegment = 1;
  EXPECT_TRUE(HomesOf(info, answers).places[0].from_end);
  info.FlagsWddm2.AccessedPhysically = 0;
  EXPECT_THAT(OrderOf(info, answers), ElementsAre(3u, 0u)) << "the aperture becomes system memory";
  info.PreferredSegment.SegmentId0 = 1;
  EXPECT_THAT(OrderOf(info, answers), ElementsAre(0u, 3u)) << "where it is preferred, too";
}

class Placed : public DriverWithAFront {
 protected:
  static inline UINT alignment, direction, set;
  Placed() {
    alignment = hw::kPageSize;
    direction = 0;
    set = 3;
    bench.options.driver = Entry;
    between.table = [](DRIVER_INITIALIZATION_DATA& table) {
      table.DxgkDdiCreateAllocation = [](HANDLE context, DXGKARG_CREATEALLOCATION* args) {
        const NTSTATUS status = between.real.DxgkDdiCreateAllocation(context, args);
        args->pAllocationInfo[0].Alignment = alignment;
        args->pAllocationInfo[0].PreferredSegment.Direction0 = direction;
        args->pAllocationInfo[0].SupportedWriteSegmentSet = set;
        return status;
      };
    };
  }
  /// Returns the page numbers of a nine-page allocation in VRAM.
  std::vector<uint64_t> Pages(bool accessed_physically, bool told = false) {
    std::vector<uint64_t> pages;
    const auto result = bench.RunOnWorker([&](Life& life) {
      // Shifts the start of the next allocation.
      Allocation* some = life.vidmm.CreateAllocation("some", 5 * hw::kPageSize);
      life.vidmm.MakeResident(*some);
      AllocationRequest request;
      request.name = "placed";
      request.bytes = 9 * hw::kPageSize;
      request.accessed_physically = accessed_physically;
      request.explicit_residency = told;
      Allocation* placed = life.vidmm.CreateAllocation(request);
      life.vidmm.MakeResident(*placed);
      for (uint64_t i = 0; i < 9; ++i) pages.push_back(placed->local->page(i));
      end = life.adapter.local_segment().size / hw::kPageSize;
      life.vidmm.DestroyAllocation(some);
      life.vidmm.DestroyAllocation(placed);
    });
    for (const Fault& fault : result.faults) text += fault.text;
    return pages;
  }
  static bool Consecutive(const std::vector<uint64_t>& pages) {
    for (size_t i = 1; i < pages.size(); ++i)
      if (pages[i] != pages[0] + i) return false;
    return !pages.empty();
  }
  test::LifeBench bench;
  uint64_t end = 0;
  std::string text;
};

TEST_F(Placed, AccessedPhysicallyIsContiguousInAMemorySegment) {
  EXPECT_FALSE(Consecutive(Pages(false)));
  EXPECT_TRUE(Consecutive(Pages(true)));
}

TEST_F(Placed, AlignmentIsThatOfTheFirstPage) {
  alignment = 0x20000;
  // Explicit residency notification must make no difference.
  for (const bool told : {false, true}) {
    const auto pages = Pages(true, told);
    EXPECT_TRUE(Consecutive(pages));
    EXPECT_EQ(pages[0] % (0x20000 / hw::kPageSize), 0u);
  }
}

TEST_F(Placed, ADirectionTakesItFromTheEndOfTheSegment) {
  direction = 1;
  const auto pages = Pages(true);
  ASSERT_THAT(pages, SizeIs(9));
  EXPECT_GT(pages[8], end - 64) << "behind everything but what has come before it";
}

TEST_F(Placed, OutsideOfItsSetAnAllocationIsNotPut) {
  set = 1;
  EXPECT_THAT(Pages(true), IsEmpty());
  EXPECT_THAT(text, HasSubstr("has no place in VRAM"));
}

TEST(SegmentMemoryState, WhatMustNotBeUsedIsNeverGivenOut) {
  constexpr uint64_t kBad = 0x40000, kBytes = 0x20000;
  test::LifeBench bench;
  bench.options.os.driver["BadVramBase"] = kBad;
  bench.options.os.driver["BadVramBytes"] = kBytes;
  const auto result = bench.RunOnWorker([&](Life& life) {
    std::vector<Allocation*> all;
    while (true) {
      all.push_back(life.vidmm.CreateAllocation("page", hw::kPageSize));
      if (!life.vidmm.placement().TryMakeResident(*all.back())) break;
      const uint64_t at = all.back()->local->page(0) * hw::kPageSize;
      EXPECT_TRUE(at + hw::kPageSize <= kBad || at >= kBad + kBytes) << std::hex << at;
    }
    EXPECT_GT(all.size(), 100u) << "the segment is full";
    for (Allocation* allocation : all) life.vidmm.DestroyAllocation(allocation);
  });
  EXPECT_THAT(result.faults, IsEmpty());
}

TEST(SegmentMemoryState, IsAskedOnlyWhereTheDescriptorHasRanges) {
  for (const uint64_t bytes : {0u, 0x1000u}) {
    static unsigned asked;
    asked = 0;
    between = {};
    between.query = [](const DXGKARG_QUERYADAPTERINFO& args) {
      asked += args.Type == DXGKQAITYPE_SEGMENTMEMORYSTATE;
      return between.real.DxgkDdiQueryAdapterInfo(between.context, &args);
    };
    test::LifeBench bench;
    bench.options.driver = Entry;
    bench.options.os.driver["BadVramBytes"] = bytes;
    bench.Run([](Life&) {});
    EXPECT_EQ(asked, bytes == 0 ? 0u : 1u) << "once, for one segment";
    between = {};
  }
}

TEST(SegmentMemoryState, ARangeOutsideOfItsSegmentIsRefused) {
  test::LifeBench bench;
  bench.options.os.driver["BadVramBase"] = uint64_t{1} << 40;
  bench.options.os.driver["BadVramBytes"] = 0x1000;
  const auto result = bench.Run([](Life&) { ADD_FAILURE() << "it was started"; });
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("DXGK_MEMORYRANGE of segment 2"));
}

TEST(SegmentBase, IsPartOfTheAddressesOfWddm1OperationsAndOfNothingElse) {
  constexpr uint64_t kBase = uint64_t{1} << 40;
  test::LifeBench bench;
  bench.options.os.driver["ApertureBase"] = kBase;
  bench.options.os.driver["VramBase"] = 2 * kBase;
  uint64_t transfers = 0;
  bench.options.os.trace_paging = [&](const std::string& line) {
    if (line.find("\"operation\": \"TRANSFER\"") == std::string::npos) return;
    ++transfers;
    EXPECT_THAT(line, ContainsRegex("\"Source.SegmentAddress\": \"0x100[0-9a-f]{8}\""));       // aperture, segment 1
    EXPECT_THAT(line, ContainsRegex("\"Destination.SegmentAddress\": \"0x200[0-9a-f]{8}\""));  // VRAM, segment 2
  };
  const auto result = bench.Run([](Life& life) { workload::RunSeededMainJob(life, 30'000); });
  EXPECT_TRUE(result.Passed());
  EXPECT_GT(transfers, 0u);
}

}  // namespace
}  // namespace gmmu::os
