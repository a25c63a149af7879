// SPDX-License-Identifier: Apache-2.0
// What a driver declares and the model does not carry out, against the pages that say so.
#include "os/miniport/unmodelled.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "os/miniport/adapter_answers.h"
#include "tb/sw/os/between.h"
#include "tb/sw/os/driver_front.h"

namespace gmmu::os::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Unmodelled, OfAnAdapterIsNamedWithItsSegment) {
  AdapterAnswers answers;
  EXPECT_THAT(UnmodelledOf(answers), IsEmpty());
  answers.segments.assign(2, {});
  answers.segments[0].Flags.Agp = 1;
  answers.segments[0].Flags.CpuVisible = 1;
  answers.segments[1].Flags.VprSupported = 1;
  answers.segments[1].VprRangeSize = 4096;
  answers.driver.MemoryManagementCaps.CrossAdapterResource = 1;
  answers.driver.MemoryManagementCaps.GpuMmuSupported = 1;
  answers.driver.SchedulingCaps.HwQueuePacketCap = 3;
  answers.driver.SchedulingCaps.NoDmaPatching = 1;
  answers.driver.InternalGpuVirtualAddressRangeEnd = 0x1000;
  answers.mmu.CachedPageTables = 1;
  answers.mmu.LegacyBehaviors.SourcePageTableVaInTransfer = 1;
  answers.physical.emplace();
  answers.physical->Flags.MovePagingSupported = 1;
  answers.iommu.emplace();
  answers.iommu->GpuVaIommuRequired = 1;
  EXPECT_THAT(UnmodelledOf(answers),
              ElementsAre("DXGK_DRIVERCAPS.InternalGpuVirtualAddressRangeEnd", "DXGK_VIDMMCAPS.CrossAdapterResource",
                          "DXGK_VIDSCHCAPS.HwQueuePacketCap", "DXGK_IOMMU_CAPS.GpuVaIommuRequired",
                          "DXGK_PHYSICALADAPTERFLAGS.MovePagingSupported", "DXGK_GPUMMUCAPS.CachedPageTables",
                          "DXGK_GPUMMUCAPS.LegacyBehaviors.SourcePageTableVaInTransfer",
                          "DXGK_SEGMENTFLAGS.Agp of segment 1", "DXGK_SEGMENTFLAGS.VprSupported of segment 2",
                          "DXGK_SEGMENTDESCRIPTOR4.VprRangeSize of segment 2"));
}

TEST(Unmodelled, OfAnAllocationIsNamed) {
  DXGK_ALLOCATIONINFO info{};
  info.FlagsWddm2.Cached = info.FlagsWddm2.CpuVisible = 1;
  EXPECT_THAT(UnmodelledOf(info), IsEmpty());
  info.FlagsWddm2.Overlay = 1;
  info.Flags2.NotifyEviction = 1;
  EXPECT_THAT(UnmodelledOf(info),
              ElementsAre("DXGK_ALLOCATIONINFOFLAGS_WDDM2_0.Overlay", "DXGK_ALLOCATIONINFOFLAGS2.NotifyEviction"));
}

TEST(Unmodelled, OfAContextIsNamed) {
  DXGK_CONTEXTINFO_CAPS caps{};
  caps.NoPatchingRequired = 1;
  EXPECT_THAT(UnmodelledOf(caps), IsEmpty()) << "nothing is patched in any case";
  caps.DriverManagesResidency = caps.UseIoMmu = 1;
  EXPECT_THAT(UnmodelledOf(caps),
              ElementsAre("DXGK_CONTEXTINFO_CAPS.DriverManagesResidency", "DXGK_CONTEXTINFO_CAPS.UseIoMmu"));
}

/// The members of unmodelled.def, as the pages write them.
std::set<std::string> Listed() {
  const auto name = [](const std::string& structure, const std::string& member) {
    return structure + "." + member.substr(member.rfind('.') + 1);  // LegacyBehaviors is left out
  };
  return {
#define UNMODELLED(structure, member) name(#structure, #member),
#define AS_DECLARED(structure, member) name(#structure, #member),
#include "os/miniport/unmodelled.def"
  };
}

// A row of docs/ddi that says "no effect" of a member of these structures means that the list has it.
TEST(Unmodelled, HasWhatThePagesSayHasNoEffect) {
  const std::set<std::string> listed = Listed();
  std::set<std::string> structures;
  for (const std::string& name : listed) structures.insert(name.substr(0, name.find('.')));
  std::set<std::string> missing;
  unsigned rows = 0;
  for (const auto& page : std::filesystem::directory_iterator(GMMU_SOURCE_DIR "/docs/ddi")) {
    std::ifstream file(page.path());
    for (std::string line; std::getline(file, line);) {
      const size_t second = line.find(" | ");
      if (line.rfind("| ", 0) != 0 || second == std::string::npos || line.compare(second + 3, 10, "no effect:") != 0)
        continue;
      ++rows;
      const std::string names = line.substr(0, second);
      const std::regex member("`([A-Z0-9_]+)\\.([A-Za-z0-9]+)`");
      for (std::sregex_iterator at(names.begin(), names.end(), member), end; at != end; ++at) {
        const std::string name = (*at)[1].str() + "." + (*at)[2].str();
        if (structures.count((*at)[1]) != 0 && listed.count(name) == 0) missing.insert(name);
      }
    }
  }
  EXPECT_GT(rows, 50u);
  EXPECT_THAT(missing, IsEmpty());
}

struct DeclaringDriver : DriverFront {};

NTSTATUS CreateDeclaringContext(HANDLE device, DXGKARG_CREATECONTEXT* args) {
  const NTSTATUS status = between.real.DxgkDdiCreateContext(device, args);
  args->ContextInfo.Caps.DriverManagesResidency = 1;
  return status;
}

TEST_F(DeclaringDriver, IsToldOfItsContextsToo) {
  between = {};
  between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiCreateContext = CreateDeclaringContext; };
  bench.options.driver = os::Entry;
  const auto result = bench.Run([](workload::Life& life) { workload::RunSeededMainJob(life, 50'000); });
  between = {};
  EXPECT_THAT(result.unmodelled, ElementsAre("DXGK_CONTEXTINFO_CAPS.DriverManagesResidency"));
}

TEST_F(DeclaringDriver, IsToldInTheResultOnce) {
  seen.answer = [](const DXGKARG_QUERYADAPTERINFO& args) {
    if (args.Type == DXGKQAITYPE_GPUMMUCAPS) static_cast<DXGK_GPUMMUCAPS*>(args.pOutputData)->CachedPageTables = 1;
  };
  const auto result = bench.Run([](workload::Life& life) { workload::RunSeededMainJob(life, 50'000); });
  EXPECT_TRUE(result.Passed()) << FaultsOf(result);
  EXPECT_THAT(result.unmodelled, ElementsAre("DXGK_GPUMMUCAPS.CachedPageTables"));
}

TEST_F(DeclaringDriver, ThatDeclaresNothingOfTheKindHasAnEmptyList) {
  const auto result = bench.Run([](workload::Life& life) { workload::RunSeededMainJob(life, 50'000); });
  EXPECT_THAT(result.unmodelled, IsEmpty());
}

}  // namespace
}  // namespace gmmu::os::test
