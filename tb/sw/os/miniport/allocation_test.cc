// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/allocation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "os/miniport/adapter_answers.h"
#include "os/miniport/admission.h"

namespace gmmu::os {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr UINT kApertureBit = 1, kVramBit = 2;

/// A valid description of an allocation, as a driver returns it.
struct Good {
  Good() {
    answers.version = 0x10004;
    answers.segments.resize(2);
    answers.segments[0].Flags.Aperture = 1;
    answers.driver.MemoryManagementCaps.MapAperture2Supported = 1;
    answers.driver.MemoryManagementCaps.GpuMmuSupported = 1;
    request.bytes = 10'000;
    info.hAllocation = this;
    info.Size = 12'288;
    info.Alignment = 4096;
    info.SupportedWriteSegmentSet = kApertureBit | kVramBit;
    info.EvictionSegmentSet = kApertureBit;
    info.AllocationPriority = 1;
    info.FlagsWddm2.AccessedPhysically = 1;
  }
  std::vector<std::string> Refused() {
    std::vector<std::string> fields;
    for (const Refusal& refusal : AdmitAllocation(request, info, answers)) fields.push_back(refusal.field);
    return fields;
  }
  AdapterAnswers answers;
  AllocationRequest request;
  DXGK_ALLOCATIONINFO info{};
};

TEST(AllocationRules, NameTheFieldThatBreaksThem) {
  EXPECT_THAT(Good().Refused(), IsEmpty());
  const std::vector<std::pair<const char*, std::function<void(Good&)>>> cases = {
      {"hAllocation", [](Good& g) { g.info.hAllocation = nullptr; }},
      {"Size", [](Good& g) { g.info.Size = 9'999; }},
      {"Alignment", [](Good& g) { g.info.Alignment = 12'288; }},
      {"Size", [](Good& g) { g.info.Size = ~SIZE_T{0} - 4095; }},
      {"SupportedWriteSegmentSet", [](Good& g) { g.info.SupportedWriteSegmentSet = 8; }},
      {"EvictionSegmentSet", [](Good& g) { g.info.EvictionSegmentSet = kVramBit; }},
      {"AllocationPriority", [](Good& g) { g.info.AllocationPriority = 0; }},
      {"PhysicalAdapterIndex", [](Good& g) { g.info.PhysicalAdapterIndex = g.request.physical_adapter = 1; }},
      {"PhysicalAdapterIndex",
       [](Good& g) {
         g.answers.linked = 2;
         g.request.physical_adapter = 1;
       }},
      {"FlagsWddm2", [](Good& g) { g.info.Flags.LinkMirrored = 1; }},  // reserved since WDDM 2.0
      {"FlagsWddm2.ExplicitResidencyNotification",
       [](Good& g) {
         g.info.FlagsWddm2.ExplicitResidencyNotification = 1;
         g.info.FlagsWddm2.AccessedPhysically = 0;
       }},
  };
  for (const auto& [field, breaks] : cases) {
    Good good;
    breaks(good);
    EXPECT_THAT(good.Refused(), ElementsAre(std::string("DXGK_ALLOCATIONINFO.") + field));
  }
}

// According to the GPU virtual address documentation ("physical page size"), the system aligns
// allocations and rounds up their sizes.
TEST(AllocationRules, SizeAndAlignmentAreTheSystemsWhereAMemorySegmentHasPagesOf64KiB) {
  Good good;
  EXPECT_EQ(HomesOf(good.info, good.answers).page_bytes, 4096u);
  good.answers.segments[0].Flags.Use64KBPages = 1;
  EXPECT_EQ(HomesOf(good.info, good.answers).page_bytes, 4096u) << "an aperture";
  good.answers.segments[1].Flags.Use64KBPages = 1;
  EXPECT_THAT(good.Refused(), IsEmpty());
  EXPECT_EQ(HomesOf(good.info, good.answers).page_bytes, 65536u);
  good.info.SupportedWriteSegmentSet = kApertureBit;
  EXPECT_EQ(HomesOf(good.info, good.answers).page_bytes, 4096u) << "never there";
}

// The expected behaviour follows Microsoft's documentation; it has not been observed on Windows.
TEST(AllocationRules, MapApertureCpuVisibleNeedsMapAperture2Supported) {
  Good good;
  good.info.FlagsWddm2.MapApertureCpuVisible = 1;
  EXPECT_THAT(good.Refused(), IsEmpty());
  good.answers.driver.MemoryManagementCaps.MapAperture2Supported = 0;
  EXPECT_THAT(good.Refused(), ElementsAre("DXGK_ALLOCATIONINFO.FlagsWddm2.MapApertureCpuVisible"));
}

// According to Microsoft's documentation, bit 13 has another meaning since WDDM 2.0.
TEST(AllocationRules, TheBitOfLinkInstancedIsMapApertureCpuVisible) {
  Good good;
  good.info.Flags.LinkInstanced = 1;
  EXPECT_TRUE(good.info.FlagsWddm2.MapApertureCpuVisible);
  EXPECT_THAT(good.Refused(), IsEmpty());
  good.answers.driver.MemoryManagementCaps.MapAperture2Supported = 0;
  EXPECT_THAT(good.Refused(), ElementsAre("DXGK_ALLOCATIONINFO.FlagsWddm2.MapApertureCpuVisible"));
}

// Observed on Windows build 22621: a shareable CPU-visible allocation may be in aperture segments
// only.
TEST(AllocationRules, AShareableCpuVisibleAllocationIsInApertureSegmentsOnly) {
  Good good;
  good.info.FlagsWddm2.CpuVisible = 1;
  EXPECT_THAT(good.Refused(), IsEmpty());
  good.request.shareable = true;
  EXPECT_THAT(good.Refused(), ElementsAre("DXGK_ALLOCATIONINFO.SupportedWriteSegmentSet"));
  good.info.SupportedWriteSegmentSet = kApertureBit;
  EXPECT_THAT(good.Refused(), IsEmpty());
}

// Observed on Windows build 22621: unless it is the primary, a CPU-visible allocation needs an
// aperture segment in its set.
TEST(AllocationRules, ACpuVisibleAllocationNeedsAnApertureUnlessItIsThePrimary) {
  Good good;
  good.info.FlagsWddm2.CpuVisible = 1;
  good.info.SupportedWriteSegmentSet = kVramBit;
  EXPECT_THAT(good.Refused(), ElementsAre("DXGK_ALLOCATIONINFO.SupportedWriteSegmentSet"));
  good.request.primary = true;
  EXPECT_THAT(good.Refused(), IsEmpty());
  good.request.primary = false;
  good.answers.version = 0xF001;
  EXPECT_THAT(good.Refused(), IsEmpty()) << "older interfaces";
}

// Observed on Windows build 22621: without flag AccessedPhysically, operation 5 is not sent. The
// change to the implicit system memory segment follows Microsoft's documentation; it has not been
// observed on Windows.
TEST(Rule11, WithoutAccessedPhysicallyAnApertureIsUpgradedToTheImplicitSystemSegment) {
  Good good;
  Homes homes = HomesOf(good.info, good.answers);
  EXPECT_EQ(homes.aperture, kApertureBit);
  EXPECT_EQ(homes.memory, kVramBit);
  EXPECT_FALSE(homes.implicit_system);
  EXPECT_TRUE(homes.contiguous);
  good.info.FlagsWddm2.AccessedPhysically = 0;
  homes = HomesOf(good.info, good.answers);
  EXPECT_EQ(homes.aperture, 0u);
  EXPECT_EQ(homes.memory, kVramBit) << "memory segments stay";
  EXPECT_TRUE(homes.implicit_system);
  EXPECT_FALSE(homes.contiguous);
  good.info.SupportedWriteSegmentSet = kVramBit;
  EXPECT_FALSE(HomesOf(good.info, good.answers).implicit_system) << "nothing to upgrade";
}

// Tests os.system_segment_behind_last. To name system memory in a segment set, an open-source
// driver uses the bit after the last segment's; the headers define a fixed bit.
TEST(AllocationRules, SystemMemoryIsInASetByTheBitBehindTheLastSegmentOrByBit31) {
  for (const bool behind : {true, false}) {
    Good good;
    good.answers.system_segment_behind_last = behind;
    for (const UINT bit : {4u, DXGK_SEGMENT_SET_SYSTEMMEMORY}) {
      good.info.SupportedWriteSegmentSet = kVramBit | bit;
      const bool named = behind == (bit == 4);
      EXPECT_EQ(HomesOf(good.info, good.answers).implicit_system, named) << bit;
      EXPECT_EQ(good.Refused().empty(), named) << bit;
    }
  }
}

// An open-source driver also names the implicit system memory segment by its id in its preferences.
TEST(AllocationRules, TheImplicitSystemMemorySegmentIsPreferredByItsId) {
  for (const bool behind : {true, false}) {
    Good good;
    good.answers.system_segment_behind_last = behind;
    good.info.SupportedWriteSegmentSet = kVramBit | (behind ? 4u : DXGK_SEGMENT_SET_SYSTEMMEMORY);
    EXPECT_EQ(HomesOf(good.info, good.answers).places.front().segment, 2u) << "memory first, when nothing is said";
    good.info.PreferredSegment.SegmentId0 = behind ? 3 : 31;
    const Homes homes = HomesOf(good.info, good.answers);
    ASSERT_EQ(homes.places.size(), 2u);
    EXPECT_EQ(homes.places[0].segment, 0u);
    EXPECT_EQ(homes.places[1].segment, 2u);
  }
}

TEST(AllocationRules, ACpuVisibleAllocationMayLiveInTheImplicitSystemMemorySegment) {
  Good good;
  good.info.FlagsWddm2.CpuVisible = 1;
  good.info.SupportedWriteSegmentSet = 4;
  EXPECT_THAT(good.Refused(), IsEmpty());
}

// Bit 13 is LinkInstanced in the flags of WDDM 1.x, and MapApertureCpuVisible in the flags of WDDM 2.x.
TEST(Rule11, Bit13IsMapApertureCpuVisibleInFlagsWddm2) {
  Good good;
  good.answers.driver.MemoryManagementCaps.MapAperture2Supported = 0;
  good.info.FlagsValue |= 1u << 13;
  EXPECT_EQ(good.info.FlagsWddm2.MapApertureCpuVisible, 1u);
  EXPECT_THAT(good.Refused(), ElementsAre("DXGK_ALLOCATIONINFO.FlagsWddm2.MapApertureCpuVisible"));
}

TEST(AllocationRules, WithoutAnMmuCountBothSegmentSetsAndNoSystemMemory) {
  const auto physical = [] {
    Good g;
    g.answers.driver.MemoryManagementCaps = {};
    g.info.SupportedReadSegmentSet = kApertureBit | kVramBit;
    g.info.FlagsWddm2.AccessedPhysically = 0;
    g.info.MaximumRenamingListLength = 5;  // PhysicalAdapterIndex in WDDM 2 (a union)
    return g;
  };
  Good both = physical();
  EXPECT_THAT(both.Refused(), IsEmpty());
  const Homes homes = HomesOf(both.info, both.answers);
  EXPECT_TRUE(homes.contiguous) << "every allocation is accessed physically";
  EXPECT_EQ(homes.aperture, kApertureBit);
  EXPECT_EQ(homes.memory, kVramBit);
  EXPECT_FALSE(homes.implicit_system);

  Good read_only = physical();
  read_only.info.SupportedWriteSegmentSet = 0;
  read_only.info.SupportedReadSegmentSet = kVramBit;
  EXPECT_THAT(read_only.Refused(), IsEmpty());
  EXPECT_EQ(HomesOf(read_only.info, read_only.answers).memory, kVramBit);
  EXPECT_EQ(HomesOf(read_only.info, read_only.answers).aperture, 0u);

  Good none = physical();
  none.info.SupportedReadSegmentSet = kVramBit;
  none.info.SupportedWriteSegmentSet = kApertureBit;
  EXPECT_THAT(none.Refused(), ElementsAre("DXGK_ALLOCATIONINFO.SupportedWriteSegmentSet"));
  Good system = physical();
  system.info.SupportedReadSegmentSet = system.info.SupportedWriteSegmentSet = kVramBit | 4;
  EXPECT_THAT(system.Refused(), ElementsAre("DXGK_ALLOCATIONINFO.SupportedWriteSegmentSet"))
      << "the implicit system memory segment";
}

}  // namespace
}  // namespace gmmu::os
