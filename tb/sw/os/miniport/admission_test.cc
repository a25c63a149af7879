// SPDX-License-Identifier: Apache-2.0
// Tests each admission rule. Each case corrupts one field of otherwise valid query results, and
// expects that the rule names only this field.
#include "os/miniport/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Returns valid query results: an aperture, CPU-visible VRAM, and four levels of nine bits with tables in VRAM.
AdapterAnswers Good() {
  AdapterAnswers a;
  a.version = DXGKDDI_INTERFACE_VERSION;
  a.driver.MemoryManagementCaps.VirtualAddressingSupported = 1;
  a.driver.MemoryManagementCaps.GpuMmuSupported = 1;
  a.driver.MemoryManagementCaps.MapAperture2Supported = 1;
  a.iommu.emplace();
  a.iommu->DmaRemappingSupported = 1;
  a.physical.emplace();
  a.physical->NumExecutionNodes = 2;
  a.mmu.PageTableLevelCount = 4;
  a.mmu.VirtualAddressBitCount = 48;
  a.levels.assign(4, {});
  for (auto& level : a.levels) {
    level.PageTableIndexBitCount = 9;
    level.PageTableSegmentId = level.PagingProcessPageTableSegmentId = 2;
    level.PageTableSizeInBytes = 4096;
  }
  a.segments.assign(2, {});
  a.segments[0].Flags.Aperture = 1;
  a.segments[0].Flags.CacheCoherent = 1;
  a.segments[0].Size = 1 << 20;
  a.segments[1].Flags.CpuVisible = 1;
  a.segments[1].Size = 64 << 20;
  a.paging_buffer_bytes = 65536;
  return a;
}

struct Case {
  const char* name;
  const char* field;
  std::function<void(AdapterAnswers&)> spoil;
  StopCode stop = StopCode::kUnknown;
};

const Case kCases[] = {
    {"NoVirtualAddressing", "DXGK_VIDMMCAPS.VirtualAddressingSupported",
     [](AdapterAnswers& a) { a.driver.MemoryManagementCaps.VirtualAddressingSupported = 0; }},
    {"NoGpuMmu", "DXGK_VIDMMCAPS.GpuMmuSupported",
     [](AdapterAnswers& a) { a.driver.MemoryManagementCaps.GpuMmuSupported = 0; }},
    {"NoNode", "DXGK_PHYSICALADAPTERCAPS.NumExecutionNodes",
     [](AdapterAnswers& a) { a.physical->NumExecutionNodes = 0; }, StopCode::kSystemServiceException},
    {"PagingNodeOutOfRange", "DXGK_PHYSICALADAPTERCAPS.PagingNodeIndex",
     [](AdapterAnswers& a) { a.physical->PagingNodeIndex = 2; }},
    {"OneLevel", "DXGK_GPUMMUCAPS.PageTableLevelCount", [](AdapterAnswers& a) { a.mmu.PageTableLevelCount = 1; }},
    {"SevenLevels", "DXGK_GPUMMUCAPS.PageTableLevelCount", [](AdapterAnswers& a) { a.mmu.PageTableLevelCount = 7; }},
    {"ATableOfOddSize", "DXGK_PAGE_TABLE_LEVEL_DESC.PageTableSizeInBytes",
     [](AdapterAnswers& a) { a.levels[0].PageTableSizeInBytes = 4100; }},
    {"ATableWithoutASize", "DXGK_PAGE_TABLE_LEVEL_DESC.PageTableSizeInBytes",
     [](AdapterAnswers& a) { a.levels[1].PageTableSizeInBytes = 0; }},
    {"AlignmentThatIsNoPowerOfTwo", "DXGK_PAGE_TABLE_LEVEL_DESC.PageTableAlignmentInBytes",
     [](AdapterAnswers& a) { a.levels[2].PageTableAlignmentInBytes = 12288; }},
    {"BitsDoNotAddUp", "DXGK_GPUMMUCAPS.VirtualAddressBitCount",
     [](AdapterAnswers& a) { a.mmu.VirtualAddressBitCount = 47; }},
    {"LargeTableInSystemMemory", "DXGK_PAGE_TABLE_LEVEL_DESC.PageTableSizeInBytes",
     [](AdapterAnswers& a) {
       a.levels[1].PageTableSegmentId = a.levels[1].PagingProcessPageTableSegmentId = 0;
       a.levels[1].PageTableSizeInBytes = 8192;
     }},
    {"TablesInNoSegment", "DXGK_PAGE_TABLE_LEVEL_DESC.PageTableSegmentId",
     [](AdapterAnswers& a) { a.levels[3].PageTableSegmentId = 4; }},
    {"TablesInAnAperture", "DXGK_PAGE_TABLE_LEVEL_DESC.PagingProcessPageTableSegmentId",
     [](AdapterAnswers& a) { a.levels[0].PagingProcessPageTableSegmentId = 1; }},
    {"TablesOutOfTheCpusReach", "DXGK_PAGE_TABLE_LEVEL_DESC.PageTableSegmentId",
     [](AdapterAnswers& a) {
       a.segments.push_back(a.segments[1]);
       a.segments[2].Flags.CpuVisible = 0;
       a.levels[0].PageTableSegmentId = 3;
     },
     StopCode::kVideoMemoryManagementInternal},
    {"SegmentBehindAHostAperture", "DXGK_SEGMENTDESCRIPTOR4.Flags",
     [](AdapterAnswers& a) {
       a.segments.push_back(a.segments[1]);
       a.segments[1].Flags.CpuVisible = 0;
       a.segments[1].Flags.SupportsCpuHostAperture = 1;
     }},
    {"HostApertureAndCpuVisible", "DXGK_SEGMENTFLAGS.SupportsCpuHostAperture",
     [](AdapterAnswers& a) { a.segments[1].Flags.SupportsCpuHostAperture = 1; }},
    {"CachedHostApertureAlone", "DXGK_SEGMENTFLAGS.SupportsCachedCpuHostAperture",
     [](AdapterAnswers& a) { a.segments[1].Flags.SupportsCachedCpuHostAperture = 1; }},
    {"CoherentMemorySegment", "DXGK_SEGMENTFLAGS.CacheCoherent",
     [](AdapterAnswers& a) { a.segments[1].Flags.CacheCoherent = 1; }},
    {"PreservedInHibernateOnly", "DXGK_SEGMENTFLAGS.PreservedDuringHibernate",
     [](AdapterAnswers& a) { a.segments[1].Flags.PreservedDuringHibernate = 1; }},
    {"SegmentOfOddSize", "DXGK_SEGMENTDESCRIPTOR4.Size", [](AdapterAnswers& a) { a.segments[1].Size += 100; }},
    {"TwoApertures", "DXGK_SEGMENTFLAGS.Aperture", [](AdapterAnswers& a) { a.segments.push_back(a.segments[0]); }},
    {"NoSegmentAtAll", "DXGK_SEGMENTFLAGS.Aperture",
     [](AdapterAnswers& a) {
       a.segments.clear();
       for (auto& level : a.levels) level.PageTableSegmentId = level.PagingProcessPageTableSegmentId = 1;
     }},
    {"PagingBuffersInVram", "DXGK_QUERYSEGMENTOUT4.PagingBufferSegmentId",
     [](AdapterAnswers& a) { a.paging_buffer_segment = 2; }},
    {"PagingBuffersOfNoSize", "DXGK_QUERYSEGMENTOUT4.PagingBufferSize",
     [](AdapterAnswers& a) { a.paging_buffer_bytes = 0; }},
    {"No64KiBLeafTableForASegmentOf64KiBPages", "DXGK_GPUMMUCAPS.LeafPageTableSizeFor64KPagesInBytes",
     [](AdapterAnswers& a) { a.segments[1].Flags.Use64KBPages = 1; }},
    {"A64KiBLeafTableOfOddSize", "DXGK_GPUMMUCAPS.LeafPageTableSizeFor64KPagesInBytes",
     [](AdapterAnswers& a) { a.mmu.LeafPageTableSizeFor64KPagesInBytes = 256; }},
    {"PairsWithoutPagesOf64KiB", "DXGK_GPUMMUCAPS.DualPteSupported",
     [](AdapterAnswers& a) { a.mmu.DualPteSupported = 1; }},
    {"IsolationBitsDiffer", "DXGK_IOMMU_CAPS.IommuIsolationSupported",
     [](AdapterAnswers& a) { a.iommu->IommuIsolationSupported = 1; }},
    {"IsolationRequiredBitsDiffer", "DXGK_IOMMU_CAPS.IommuIsolationRequired",
     [](AdapterAnswers& a) { a.driver.MemoryManagementCaps.IoMmuSecureModeRequired = 1; }},
    {"IsolationRequiredOnlyAfterTheStart", "DXGK_VIDMMCAPS.IoMmuSecureModeRequired",
     [](AdapterAnswers& a) {
       a.version = DXGKDDI_INTERFACE_VERSION_WDDM2_9;  // before WDDM 3.0, remapping is optional
       a.driver.MemoryManagementCaps.IoMmuSecureModeRequired = 1;
       a.iommu.reset();
     }},
    {"RemappedWithoutOperation17", "DXGK_VIDMMCAPS.MapAperture2Supported",
     [](AdapterAnswers& a) { a.driver.MemoryManagementCaps.MapAperture2Supported = 0; }},
};

/// Returns the query results of a WDDM 1 driver: no MMU and no levels; DXGK_DRIVERCAPS declares a
/// node and a paging node.
AdapterAnswers Physical() {
  AdapterAnswers a = Good();
  a.version = DXGKDDI_INTERFACE_VERSION_WDDM2_0;
  a.driver.HighestAcceptableAddress.QuadPart = 1 << 20;
  a.driver.MemoryManagementCaps = {};
  a.driver.GpuEngineTopology.NbAsymetricProcessingNodes = 1;
  a.iommu.reset();
  a.physical.reset();
  a.mmu = {};
  a.levels.clear();
  return a;
}

TEST(Admission, OfTheModelWithoutAnMmuAsksForNoLevels) {
  EXPECT_THAT(Admit(Physical(), false), IsEmpty());
  const auto field_of = [](const std::function<void(AdapterAnswers&)>& spoil) {
    AdapterAnswers answers = Physical();
    spoil(answers);
    const std::vector<Refusal> refusals = Admit(answers, false);
    return refusals.size() == 1 ? refusals[0].field + " " + refusals[0].text : std::to_string(refusals.size());
  };
  EXPECT_THAT(field_of([](AdapterAnswers& a) { a.driver.MemoryManagementCaps.VirtualAddressingSupported = 1; }),
              HasSubstr("DXGK_VIDMMCAPS.GpuMmuSupported is 0; VirtualAddressingSupported needs it"));
  EXPECT_THAT(field_of([](AdapterAnswers& a) {
                a.driver.MemoryManagementCaps.IoMmuSupported = 1;
                a.driver.MemoryManagementCaps.VirtualAddressingSupported = 1;
                a.mmu.PageTableLevelCount = 2;
                a.mmu.VirtualAddressBitCount = 30;
                a.levels.assign(2, {9, 2, 2, 4096, 0});
              }),
              HasSubstr("DXGK_VIDMMCAPS.GpuMmuSupported is 0 beside IoMmuSupported"));
  EXPECT_THAT(field_of([](AdapterAnswers& a) { a.linked = 2; }), HasSubstr("only GPUs with GpuMmu are linked here"));
  EXPECT_THAT(field_of([](AdapterAnswers& a) { a.segments.insert(a.segments.begin(), a.segments.front()); }),
              HasSubstr("DXGK_SEGMENTFLAGS.Aperture stands at 2 segments"));
  AdapterAnswers seen = Physical();  // as observed in WDDM 1 drivers
  seen.segments.erase(seen.segments.begin());
  seen.segments.front().Flags.CacheCoherent = 1;
  EXPECT_THAT(Admit(seen, false), IsEmpty());
}

NTSTATUS Patch(HANDLE, CONST DXGKARG_PATCH*) { return STATUS_SUCCESS; }

TEST(Admission, OfTheModelWithoutAnMmuNeedsTheEntriesForListsAndPatches) {
  DRIVER_INITIALIZATION_DATA table{};
  EXPECT_THAT(AdmitTable(table, Good()), IsEmpty());
  const std::vector<Refusal> all = AdmitTable(table, Physical());
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[3].field, "DxgkDdiPatch");
  table.DxgkDdiPatch = Patch;
  EXPECT_EQ(AdmitTable(table, Physical()).size(), 4u);
}

TEST(Admission, GoodAnswersPass) {
  EXPECT_THAT(Admit(Good(), true), IsEmpty());
  RequireAdmission({});
}

class AdmissionRule : public ::testing::TestWithParam<Case> {};

TEST_P(AdmissionRule, RefusesAndNamesTheField) {
  AdapterAnswers answers = Good();
  GetParam().spoil(answers);
  const std::vector<Refusal> refusals = Admit(answers, true);
  ASSERT_EQ(refusals.size(), 1u);
  EXPECT_EQ(refusals[0].field, GetParam().field);
  EXPECT_EQ(refusals[0].stop, GetParam().stop);
  try {
    RequireAdmission(refusals);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const BugCheck& stop) {
    EXPECT_EQ(stop.code(), GetParam().stop);
    EXPECT_THAT(stop.what(), HasSubstr(GetParam().field));
  } catch (const OsError& error) {
    EXPECT_EQ(GetParam().stop, StopCode::kUnknown);
    EXPECT_THAT(error.what(), HasSubstr(GetParam().field));
  }
}

INSTANTIATE_TEST_SUITE_P(All, AdmissionRule, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

// Tests os.both_mmu_models_refused. The header forbids a driver from declaring both MMU models; the
// documentation allows it.
TEST(Admission, BothModelsOfAnMmuAreRefusedOrNotByASwitch) {
  AdapterAnswers answers = Good();
  answers.driver.MemoryManagementCaps.IoMmuSupported = 1;
  ASSERT_EQ(Admit(answers, true).size(), 1u);
  EXPECT_EQ(Admit(answers, true)[0].field, "DXGK_VIDMMCAPS.IoMmuSupported");
  answers.both_mmu_models_refused = false;
  EXPECT_THAT(Admit(answers, true), IsEmpty());
}

// WDDM 3.0 certification requires DMA remapping. However, WDDM 3.0 drivers without it were observed
// to run on Windows build 26100.
TEST(Admission, ADiscreteGpuWithoutRemappingIsRefusedFromWddm30OnOrNotByASwitch) {
  const auto field = [](const AdapterAnswers& answers) {
    const std::vector<Refusal> refusals = Admit(answers, false);
    return refusals.empty() ? "" : refusals[0].field;
  };
  AdapterAnswers good = Good();
  EXPECT_EQ(field(good), "");
  for (const auto& spoil : std::vector<std::function<void(AdapterAnswers&)>>{
           [](AdapterAnswers& a) { a.iommu->DmaRemappingSupported = 0; }, [](AdapterAnswers& a) { a.iommu.reset(); }}) {
    AdapterAnswers answers = Good();
    spoil(answers);
    EXPECT_EQ(field(answers), "DXGK_IOMMU_CAPS.DmaRemappingSupported");
    AdapterAnswers integrated = answers;
    integrated.segments[1].Flags.PopulatedFromSystemMemory = 1;
    EXPECT_EQ(field(integrated), "") << "its memory is the system's";
    AdapterAnswers older = answers;
    older.version = DXGKDDI_INTERFACE_VERSION_WDDM2_9;
    EXPECT_EQ(field(older), "");
    answers.discrete_without_remapping_refused = false;
    EXPECT_EQ(field(answers), "");
  }
  good.driver.MemoryManagementCaps.MapAperture2Supported = 0;
  EXPECT_EQ(field(good), "DXGK_VIDMMCAPS.MapAperture2Supported");
}

// Observed on Windows build 26100: bug check 0x10E with parameter 0x49, even with update mode GPU_PHYSICAL.
TEST(Admission, TablesThatTheCpuCannotReachStopTheSystemWith0x49) {
  AdapterAnswers answers = Good();
  answers.mmu.PageTableUpdateMode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
  answers.segments[1].Flags.CpuVisible = 0;
  const std::vector<Refusal> refusals = Admit(answers, false);
  ASSERT_EQ(refusals.size(), 4u) << "one for each level";
  EXPECT_EQ(refusals[0].parameters[0], 0x49u);
  answers.segments[1].Flags.SupportsCpuHostAperture = 1;
  EXPECT_THAT(Admit(answers, false), IsEmpty()) << "a CPU host aperture is enough";
}

// Tests the rule that applies before WDDM 2.9. The expected behaviour follows Microsoft's
// documentation; it has not been observed on Windows.
TEST(Admission, BeforeWddm29HighestAcceptableAddressMustReachAllMemory) {
  AdapterAnswers answers = Good();
  answers.last_byte = 0xFFFF'FFFF;
  answers.driver.HighestAcceptableAddress.QuadPart = 0xFFFF'FFFE;
  EXPECT_THAT(Admit(answers, false), IsEmpty()) << "from 2.9 on PHYSICAL_MEMORY_CAPS says it";
  answers.version = DXGKDDI_INTERFACE_VERSION_WDDM2_8;
  ASSERT_EQ(Admit(answers, false).size(), 1u);
  EXPECT_EQ(Admit(answers, false)[0].field, "DXGK_DRIVERCAPS.HighestAcceptableAddress");
  answers.driver.HighestAcceptableAddress.QuadPart = 0xFFFF'FFFF;
  ASSERT_EQ(Admit(answers, false).size(), 1u) << "it must exceed the last byte";
  EXPECT_THAT(Admit(answers, false)[0].text, HasSubstr("which it must exceed ([os] highest_visible_inclusive)"));
  answers.highest_visible_inclusive = true;
  EXPECT_THAT(Admit(answers, false), IsEmpty());
  answers.highest_visible_inclusive = false;
  answers.driver.HighestAcceptableAddress.QuadPart = 0x1'0000'0000;
  EXPECT_THAT(Admit(answers, false), IsEmpty());
}

TEST(Admission, TablesInSystemMemoryOfOnePagePass) {
  AdapterAnswers answers = Good();
  for (auto& level : answers.levels) level.PageTableSegmentId = level.PagingProcessPageTableSegmentId = 0;
  EXPECT_THAT(Admit(answers, true), IsEmpty());
}

// Two Microsoft sample drivers have tables of 16 KiB or more in the implicit system memory segment,
// whose id follows the last declared segment.
TEST(Admission, TablesOfAnySizePassInTheImplicitSystemMemorySegment) {
  for (const bool behind : {true, false}) {
    for (const size_t segments : {1u, 2u}) {  // the second segment is VRAM
      AdapterAnswers answers = Good();
      answers.segments.resize(segments);
      answers.system_segment_behind_last = behind;
      const UINT id = behind ? static_cast<UINT>(segments) + 1 : 31;
      EXPECT_EQ(answers.system_segment(), id);
      for (auto& level : answers.levels) {
        level.PageTableSegmentId = level.PagingProcessPageTableSegmentId = id;
        level.PageTableSizeInBytes = 65536;
      }
      EXPECT_THAT(Admit(answers, true), IsEmpty());
      answers.system_segment_behind_last = !behind;
      EXPECT_EQ(Admit(answers, true).size(), 4u) << "one for each level";
    }
  }
}

// A Microsoft sample driver with GPU virtual addresses reports a memory segment and no aperture.
TEST(Admission, NoApertureSegmentPassesByASwitchAndTwoDoNot) {
  AdapterAnswers answers = Good();
  answers.aperture_required = false;
  EXPECT_THAT(Admit(answers, true), IsEmpty());
  answers.segments.push_back(answers.segments[0]);
  EXPECT_EQ(Admit(answers, true).size(), 1u) << "two";
  answers = Good();
  answers.segments.erase(answers.segments.begin());
  for (auto& level : answers.levels) level.PageTableSegmentId = level.PagingProcessPageTableSegmentId = 1;
  EXPECT_EQ(Admit(answers, true).size(), 1u);
  answers.aperture_required = false;
  EXPECT_THAT(Admit(answers, true), IsEmpty());
}

TEST(Admission, ARootOfTwoLevelsMayTellFewerBitsThanTheAddressesHaveOrNone) {
  AdapterAnswers answers = Good();
  answers.levels.resize(2);
  answers.mmu.PageTableLevelCount = 2;
  answers.mmu.VirtualAddressBitCount = 32;
  for (const UINT bits : {0u, 1u, 11u}) {
    answers.levels[1].PageTableIndexBitCount = bits;
    EXPECT_THAT(Admit(answers, true), IsEmpty()) << bits;
  }
  answers.levels[1].PageTableIndexBitCount = 12;
  ASSERT_EQ(Admit(answers, true).size(), 1u);
  EXPECT_EQ(Admit(answers, true)[0].field, "DXGK_GPUMMUCAPS.VirtualAddressBitCount");
  answers.levels[1].PageTableIndexBitCount = 0;
  answers.mmu.VirtualAddressBitCount = 21;
  EXPECT_EQ(Admit(answers, true).size(), 1u) << "the leaf tables have all of the addresses";
}

TEST(Admission, ARefusedPhysicalAdapterQueryLeavesTheTopologyOfTheDriver) {
  AdapterAnswers answers = Good();
  answers.physical.reset();
  answers.driver.GpuEngineTopology.NbAsymetricProcessingNodes = 3;
  answers.driver.MemoryManagementCaps.PagingNode = 1;
  EXPECT_THAT(Admit(answers, true), IsEmpty());
  EXPECT_EQ(answers.nodes(), 3u);
  EXPECT_EQ(answers.paging_node(), 1u);
}

}  // namespace
}  // namespace gmmu::os
