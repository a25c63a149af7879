// SPDX-License-Identifier: Apache-2.0
// Tests which declarations of a driver the model ignores, and compares them with the pages that
// list ignored declarations.
#include "os/miniport/unmodelled.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

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
  answers.driver.FlipCaps.FlipInterval = 1;
  answers.driver.WDDMVersion = DXGKDDI_WDDMv3_0;
  answers.mmu.CachedPageTables = 1;
  answers.mmu.LegacyBehaviors.SourcePageTableVaInTransfer = 1;
  answers.physical.emplace();
  answers.physical->Flags.MovePagingSupported = 1;
  answers.iommu.emplace();
  answers.iommu->GpuVaIommuRequired = 1;
  EXPECT_THAT(UnmodelledOf(answers),
              ElementsAre("DXGK_DRIVERCAPS.InternalGpuVirtualAddressRangeEnd", "DXGK_DRIVERCAPS.FlipCaps.Value",
                          "DXGK_VIDMMCAPS.CrossAdapterResource", "DXGK_VIDSCHCAPS.HwQueuePacketCap",
                          "DXGK_IOMMU_CAPS.GpuVaIommuRequired", "DXGK_PHYSICALADAPTERFLAGS.MovePagingSupported",
                          "DXGK_GPUMMUCAPS.CachedPageTables",
                          "DXGK_GPUMMUCAPS.LegacyBehaviors.SourcePageTableVaInTransfer",
                          "DXGK_SEGMENTFLAGS.Agp of segment 1", "DXGK_SEGMENTFLAGS.VprSupported of segment 2",
                          "DXGK_SEGMENTDESCRIPTOR4.VprRangeSize of segment 2"));
}

TEST(Unmodelled, OfAnAllocationIsNamed) {
  DXGK_ALLOCATIONINFO info{};
  info.FlagsWddm2.Cached = info.FlagsWddm2.CpuVisible = 1;
  info.Size = info.Alignment = info.SupportedReadSegmentSet = info.SupportedWriteSegmentSet = 1;
  DXGKARG_CREATEALLOCATION args{};
  EXPECT_THAT(UnmodelledOf(args, info), IsEmpty());
  info.FlagsWddm2.Overlay = 1;
  info.Flags2.NotifyEviction = 1;
  info.PitchAlignedSize = 4096;
  info.HintedBank.Bank2 = 1;
  DXGK_ALLOCATIONUSAGEHINT hint{};
  info.pAllocationUsageHint = &hint;
  args.hResource = &hint;
  EXPECT_THAT(UnmodelledOf(args, info),
              ElementsAre("DXGKARG_CREATEALLOCATION.hResource", "DXGK_ALLOCATIONINFO.PitchAlignedSize",
                          "DXGK_ALLOCATIONINFO.HintedBank.Value", "DXGK_ALLOCATIONINFO.pAllocationUsageHint",
                          "DXGK_ALLOCATIONINFOFLAGS_WDDM2_0.Overlay", "DXGK_ALLOCATIONINFOFLAGS2.NotifyEviction"));
}

TEST(Unmodelled, OfWhatElseADriverAnswersIsNamed) {
  DXGKARG_OPENALLOCATION open{};
  DXGK_NODEMETADATA node{};
  DXGK_SEGMENTDESCRIPTOR3 segment{};
  node.EngineType = DXGK_ENGINE_TYPE_COPY;
  node.GpuMmuSupported = TRUE;
  segment.Size = 4096;
  EXPECT_THAT(UnmodelledOf(open), IsEmpty());
  EXPECT_THAT(UnmodelledOf(node, ""), IsEmpty());
  EXPECT_THAT(UnmodelledOf(segment, ""), IsEmpty());
  open.Pitch = open.SubresourceOffset = 256;
  node.IoMmuSupported = TRUE;
  node.Flags.ContextSchedulingSupported = 1;
  segment.NbOfBanks = 2;
  EXPECT_THAT(UnmodelledOf(open),
              ElementsAre("DXGKARG_OPENALLOCATION.SubresourceOffset", "DXGKARG_OPENALLOCATION.Pitch"));
  EXPECT_THAT(UnmodelledOf(node, " of node 1"),
              ElementsAre("DXGK_NODEMETADATA.IoMmuSupported of node 1",
                          "DXGK_NODEMETADATA.Flags.ContextSchedulingSupported of node 1"));
  EXPECT_THAT(UnmodelledOf(segment, " of segment 2"), ElementsAre("DXGK_SEGMENTDESCRIPTOR3.NbOfBanks of segment 2"));
}

TEST(Unmodelled, OfAContextIsNamed) {
  DXGK_CONTEXTINFO_CAPS caps{};
  caps.NoPatchingRequired = 1;
  EXPECT_THAT(UnmodelledOf(caps), IsEmpty()) << "nothing is patched in any case";
  caps.DriverManagesResidency = caps.UseIoMmu = 1;
  EXPECT_THAT(UnmodelledOf(caps),
              ElementsAre("DXGK_CONTEXTINFO_CAPS.DriverManagesResidency", "DXGK_CONTEXTINFO_CAPS.UseIoMmu"));
}

TEST(Unmodelled, ReservedBitsOfFlagsAreNamed) {
  AdapterAnswers answers;
  answers.segments.assign(1, {});
  answers.segments[0].Flags.Reserved = 1;
  answers.driver.MemoryManagementCaps.Reserved = 1;
  answers.driver.SchedulingCaps.Reserved = 1;
  answers.mmu.Reserved = 1;
  answers.mmu.LegacyBehaviors.Reserved = 1;
  answers.physical.emplace();
  answers.physical->Flags.Reserved = 1;
  answers.iommu.emplace();
  answers.iommu->Reserved = 1;
  EXPECT_THAT(UnmodelledOf(answers),
              ElementsAre("DXGK_VIDMMCAPS.Reserved", "DXGK_VIDSCHCAPS.Reserved", "DXGK_IOMMU_CAPS.Reserved",
                          "DXGK_PHYSICALADAPTERFLAGS.Reserved", "DXGK_GPUMMUCAPS.Reserved",
                          "DXGK_GPUMMUCAPS.LegacyBehaviors.Reserved", "DXGK_SEGMENTFLAGS.Reserved of segment 1"));
  DXGK_ALLOCATIONINFO info{};
  info.FlagsWddm2.Reserved0 = info.FlagsWddm2.Reserved = info.Flags2.Reserved = 1;
  EXPECT_THAT(UnmodelledOf(DXGKARG_CREATEALLOCATION{}, info),
              ElementsAre("DXGK_ALLOCATIONINFOFLAGS_WDDM2_0.Reserved0", "DXGK_ALLOCATIONINFOFLAGS_WDDM2_0.Reserved",
                          "DXGK_ALLOCATIONINFOFLAGS2.Reserved"));
  DXGK_NODEMETADATA node{};
  node.Flags.Reserved = 1;
  EXPECT_THAT(UnmodelledOf(node, ""), ElementsAre("DXGK_NODEMETADATA.Flags.Reserved"));
  DXGK_CONTEXTINFO_CAPS context{};
  context.Reserved = 1;
  EXPECT_THAT(UnmodelledOf(context), ElementsAre("DXGK_CONTEXTINFO_CAPS.Reserved"));
  DXGK_SEGMENTDESCRIPTOR3 segment{};
  segment.Reserved = 1;
  EXPECT_THAT(UnmodelledOf(segment, ""), ElementsAre("DXGK_SEGMENTDESCRIPTOR3.Reserved"));
}

/// Returns the members in unmodelled.def, spelled as in Microsoft's documentation.
std::set<std::string> Listed() {
  const auto name = [](const std::string& structure, const std::string& member) {
    return structure + "." + member.substr(member.rfind('.') + 1);  // without LegacyBehaviors
  };
  return {
#define UNMODELLED(structure, member) name(#structure, #member),
#define AS_DECLARED(structure, member) name(#structure, #member),
#include "os/miniport/unmodelled.def"
  };
}

// If a row in docs/ddi says "no effect" about a member of these structures, unmodelled.def must
// contain the member.
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

NTSTATUS CreateDeclaringDevice(HANDLE adapter, DXGKARG_CREATEDEVICE* args) {
  static UINT info[16];  // DXGK_DEVICEINFO
  const NTSTATUS status = between.real.DxgkDdiCreateDevice(adapter, args);
  args->pInfo = info;
  return status;
}

TEST_F(DeclaringDriver, IsToldOfThePInfoOfItsDevices) {
  between = {};
  between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiCreateDevice = CreateDeclaringDevice; };
  bench.options.driver = os::Entry;
  const auto result = bench.Run([](workload::Life& life) { workload::RunSeededMainJob(life, 50'000); });
  between = {};
  EXPECT_THAT(result.unmodelled, ElementsAre("DXGKARG_CREATEDEVICE.pInfo"));
}

TEST_F(DeclaringDriver, IsToldOfItsContextsToo) {
  between = {};
  between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiCreateContext = CreateDeclaringContext; };
  bench.options.driver = os::Entry;
  const auto result = bench.Run([](workload::Life& life) { workload::RunSeededMainJob(life, 50'000); });
  between = {};
  EXPECT_THAT(result.unmodelled, ElementsAre("DXGK_CONTEXTINFO_CAPS.DriverManagesResidency"));
}

/// Changes each allocation's description, as if the driver had declared it so.
void (*declare)(DXGK_ALLOCATIONINFO&) = nullptr;

NTSTATUS CreateDeclaringAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* args) {
  const NTSTATUS status = between.real.DxgkDdiCreateAllocation(adapter, args);
  for (UINT i = 0; i < args->NumAllocations && declare != nullptr; ++i) declare(args->pAllocationInfo[i]);
  return status;
}

/// The outcome of a run with a driver that declares properties of its allocations, one of which is
/// in system memory.
struct DeclaredRun {
  std::vector<std::tuple<int, uint64_t, uint64_t>> sent;  ///< operation; for entries also flags and page
  unsigned backing_stores = 0;                            ///< calls that set a backing store
  bool cached = false;                                    ///< CPU stores to the backing store stay in the CPU's caches
  std::vector<std::string> unmodelled;
};
unsigned backing_stores;

DeclaredRun RunThatDeclares(LifeBench& bench, void (*what)(DXGK_ALLOCATIONINFO&)) {
  DeclaredRun run;
  between = {};
  declare = what;
  backing_stores = 0;
  between.table = [](DRIVER_INITIALIZATION_DATA& table) {
    table.DxgkDdiCreateAllocation = CreateDeclaringAllocation;
    table.DxgkDdiSetAllocationBackingStore = [](HANDLE, const DXGKARG_SETALLOCATIONBACKINGSTORE*) {
      ++backing_stores;
      return STATUS_SUCCESS;
    };
  };
  between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    run.sent.emplace_back(args.Operation, 0, 0);
    const auto& update = args.UpdatePageTable;
    for (UINT i = 0; args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && i < update.NumPageTableEntries; ++i) {
      const DXGK_PTE& entry = update.pPageTableEntries[update.Flags.Repeat ? 0 : i];
      run.sent.emplace_back(args.Operation, entry.Flags, entry.PageAddress);
    }
    return between.real.DxgkDdiBuildPagingBuffer(between.context, &args);
  };
  bench.options.driver = os::Entry;
  const auto result = bench.Run([&](workload::Life& life) {
    life.worker.Call([&] {
      GpuProcess* process = life.vidmm.CreateProcess("process");
      AllocationRequest request{"in system memory", 3 * kPage};
      request.system_only = true;
      request.accessed_physically = false;
      Allocation* data = life.vidmm.CreateAllocation(request);
      life.vidmm.residency().Return(*data);
      life.vidmm.Map(*process, 0x10000000, *data, 0, 3);
      data->backing->Map(0, kPage)[5] = 'n';
      char seen_by_device = 'n';
      EXPECT_TRUE(
          life.kernel.hal().ram().DeviceRead(data->backing->host_pages()[0] * kPage + 5, &seen_by_device, 1, false));
      run.cached = seen_by_device != 'n';
      data->backing->Unmap();
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
    workload::RunSeededMainJob(life, 50'000);
  });
  between = {};
  declare = nullptr;
  EXPECT_TRUE(result.Passed()) << FaultsOf(result);
  run.backing_stores = backing_stores;
  run.unmodelled = result.unmodelled;
  return run;
}

TEST_F(DeclaringDriver, WhoseAllocationsAreNotCachedHasThemInCachedMemoryAllTheSame) {
  const DeclaredRun cached = RunThatDeclares(bench, [](DXGK_ALLOCATIONINFO& info) { info.FlagsWddm2.Cached = 1; });
  const DeclaredRun not_cached = RunThatDeclares(bench, [](DXGK_ALLOCATIONINFO& info) { info.FlagsWddm2.Cached = 0; });
  EXPECT_TRUE(cached.cached);
  EXPECT_TRUE(not_cached.cached);
  EXPECT_EQ(not_cached.sent, cached.sent);
  EXPECT_THAT(not_cached.unmodelled, IsEmpty());
}

TEST_F(DeclaringDriver, OfOtherBackingStoresGetsThoseOfVidMmAndIsToldThatTheyAreNotModelled) {
  const DeclaredRun plain = RunThatDeclares(bench, nullptr);
  const std::pair<const char*, void (*)(DXGK_ALLOCATIONINFO&)> flags[] = {
      {"DXGK_ALLOCATIONINFOFLAGS_WDDM2_0.PermanentSysMem", [](auto& info) { info.FlagsWddm2.PermanentSysMem = 1; }},
      {"DXGK_ALLOCATIONINFOFLAGS_WDDM2_0.ExistingSysMem", [](auto& info) { info.FlagsWddm2.ExistingSysMem = 1; }},
      {"DXGK_ALLOCATIONINFOFLAGS_WDDM2_0.ExistingKernelSysMem",
       [](auto& info) { info.FlagsWddm2.ExistingKernelSysMem = 1; }},
      {"DXGK_ALLOCATIONINFOFLAGS2.ShareBackingStoreWithKmd",
       [](auto& info) { info.Flags2.ShareBackingStoreWithKmd = 1; }}};
  for (const auto& [name, set] : flags) {
    const DeclaredRun run = RunThatDeclares(bench, set);
    EXPECT_EQ(run.sent, plain.sent) << name;
    EXPECT_EQ(run.backing_stores, 0u) << name;
    EXPECT_THAT(run.unmodelled, ElementsAre(name));
  }
}

TEST_F(DeclaringDriver, OfCpuVisibilityOnDemandIsSentNothingElse) {
  const DeclaredRun plain = RunThatDeclares(bench, nullptr);
  const DeclaredRun run = RunThatDeclares(bench,
                                          [](DXGK_ALLOCATIONINFO& info) { info.FlagsWddm2.CpuVisibleOnDemand = 1; });
  EXPECT_EQ(run.sent, plain.sent);
  EXPECT_THAT(run.unmodelled, ElementsAre("DXGK_ALLOCATIONINFOFLAGS_WDDM2_0.CpuVisibleOnDemand"));
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
  EXPECT_TRUE(result.Passed()) << FaultsOf(result);
  EXPECT_THAT(result.unmodelled, IsEmpty());
}

}  // namespace
}  // namespace gmmu::os::test
