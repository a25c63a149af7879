// SPDX-License-Identifier: Apache-2.0
// Tests which structures and queries a driver of each interface version receives, and that it runs.
// Where a comment says so, sizes were observed on Windows build 22621; everything else comes from
// Microsoft's documentation and headers.
#include "os/miniport/interface_version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "os/dxgkrnl/domain_switch.h"
#include "tb/sw/os/between.h"
#include "ddi/wdm_memory.h"
#include "tb/sw/os/driver_front.h"

namespace gmmu::os::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(InterfaceVersion, HasItsNameOrItsNumber) {
  EXPECT_EQ(NameOfVersion(0x5023), "WDDM 2.0");
  EXPECT_EQ(NameOfVersion(0x10004), "WDDM 3.1");
  EXPECT_EQ(NameOfVersion(0x9007), "0x9007");
  EXPECT_EQ(NameOfVersion(0x1052), "0x1052");
}

// Observed on Windows build 22621: sizes 0x100, 0x138 and 0x240 for the kernel table, 0x4F0 for the
// driver table, and 576 and 592 for DRIVERCAPS. Driver authors reported sizes 20 and 24 for
// PHYSICALADAPTERCAPS.
TEST(InterfaceVersion, HasTheSizesOfTheKit) {
  struct Row {
    ULONG version;
    size_t driver, kernel, known, caps, physical;
  };
  for (const Row& row : {Row{0x300E, 0, 0x100, 0x100, 0, 0}, Row{0x4002, 0, 0x108, 0x108, 0, 0},
                         Row{0x5023, 0x340, 0x138, 0x138, 576, 20}, Row{0x6003, 0x370, 0x148, 0x148, 576, 24},
                         Row{0x700A, 0x408, 0x168, 0x168, 576, 24}, Row{0x8001, 0x420, 0x170, 0x170, 576, 24},
                         Row{0x9006, 0x480, 0x1C8, 0x1C8, 584, 24}, Row{0xA00B, 0x4A8, 0x1D0, 0x1D0, 584, 24},
                         Row{0xB004, 0x4C8, 0x1E0, 0x1E0, 584, 24}, Row{0xC004, 0x4D0, 0x1E0, 0x1E0, 584, 32},
                         Row{0xD001, 0x4D0, 0x240, 0x1E8, 584, 32}, Row{0xE003, 0x4F0, 0x240, 0x238, 592, 32},
                         Row{0xF003, 0x510, 0x240, 0x238, 592, 32}, Row{0x10004, 0x560, 0x240, 0x240, 592, 32}}) {
    SCOPED_TRACE(NameOfVersion(row.version));
    EXPECT_EQ(DriverTableBytes(row.version), row.driver);
    EXPECT_EQ(KernelTableBytes(row.version), row.kernel);
    EXPECT_EQ(KernelTableKnown(row.version), row.known);
    EXPECT_EQ(DriverCapsBytes(row.version), row.caps);
    EXPECT_EQ(PhysicalAdapterCapsBytes(row.version), row.physical);
  }
  EXPECT_EQ(DriverTableBytes(0x6010), DriverTableBytes(0x6003)) << "between two versions: the lower one";
}

// For every member, since.def must agree with the headers of the Windows Driver Kit (WDK).
TEST(InterfaceVersion, ClearsMembersThatCameLaterAndNamesThem) {
  const auto left = [](ULONG version, std::vector<std::string>* cleared) {
    DXGK_VIDMMCAPS caps{};
    caps.Value = 0x3FFFF;
    ClearNewer(version, caps, *cleared);
    return caps.Value;
  };
  std::vector<std::string> cleared;
  EXPECT_EQ(left(0x10004, &cleared), 0x3FFFFu);
  EXPECT_THAT(cleared, SizeIs(0));
  EXPECT_EQ(left(0xE003, &cleared), 0x1FFFFu);
  EXPECT_THAT(cleared,
              ElementsAre("DXGK_VIDMMCAPS.AlwaysPoweredVRAM, which is of WDDM 3.1; the driver is of WDDM 2.9"));
  EXPECT_EQ(left(0xD001, &cleared), 0x3FFFu) << "2.8";
  EXPECT_EQ(left(0xC004, &cleared), 0x3FFFu);
  EXPECT_EQ(left(0xB004, &cleared), 0x1FFFu) << "2.6";
  EXPECT_EQ(left(0x9006, &cleared), 0x1FFFu);
  EXPECT_EQ(left(0x8001, &cleared), 0x7FFu) << "2.3";
  EXPECT_EQ(left(0x5023, &cleared), 0x3FFu);

  DXGK_GPUMMUCAPS mmu{};
  mmu.Value = 0x1FFF;
  ClearNewer(0x5023, mmu, cleared);
  EXPECT_EQ(mmu.Value, 0xFFu);
  mmu.Value = 0x1FFF;
  ClearNewer(0x9006, mmu, cleared);
  EXPECT_EQ(mmu.Value, 0x3FFu);
  DXGK_SEGMENTFLAGS segment{};
  segment.Value = 0x3FFFFF;
  ClearNewer(0x5023, segment, cleared, " of segment 2");
  EXPECT_EQ(segment.Value, 0x18FFFFu);
  EXPECT_EQ(cleared.back(),
            "DXGK_SEGMENTFLAGS.PopulatedByReservedDDRByFirmware of segment 2, which is of WDDM 2.9; the driver is of "
            "WDDM 2.0");
}

class DriverOfVersion : public DriverFront, public ::testing::WithParamInterface<ULONG> {
 protected:
  DriverOfVersion() {
    bench.options.os.limit_bits = 36;
    bench.options.os.driver["InterfaceVersion"] = GetParam();
  }
};

TEST_P(DriverOfVersion, RunsTheMainJobOnWhatTheVersionHas) {
  const ULONG version = GetParam();
  std::map<unsigned, std::set<UINT>> sizes;
  std::set<unsigned> operations;
  seen.answer = [&](const DXGKARG_QUERYADAPTERINFO& args) { sizes[args.Type].insert(args.OutputDataSize); };
  seen.operation = [&](const DXGKARG_BUILDPAGINGBUFFER& args) { operations.insert(args.Operation); };
  DmaMode mode{};
  const auto result = bench.Run([&](workload::Life& life) {
    mode = life.adapter.mode();
    workload::RunSeededMainJob(life, 100'000);
  });
  EXPECT_EQ(FaultsOf(result), "");
  EXPECT_TRUE(result.Passed());

  const auto one = [](size_t bytes) { return std::set<UINT>{static_cast<UINT>(bytes)}; };
  EXPECT_EQ(sizes[DXGKQAITYPE_DRIVERCAPS], one(DriverCapsBytes(version)));
  EXPECT_EQ(sizes[DXGKQAITYPE_PHYSICALADAPTERCAPS], one(PhysicalAdapterCapsBytes(version)));
  EXPECT_EQ(sizes.count(DXGKQAITYPE_PHYSICAL_MEMORY_CAPS), version >= DXGKDDI_INTERFACE_VERSION_WDDM2_9 ? 1u : 0u);
  EXPECT_EQ(sizes.count(DXGKQAITYPE_IOMMU_CAPS), version >= DXGKDDI_INTERFACE_VERSION_WDDM2_9 ? 1u : 0u);
  EXPECT_EQ(operations.count(DXGK_OPERATION_SIGNAL_MONITORED_FENCE),
            version >= DXGKDDI_INTERFACE_VERSION_WDDM2_2 ? 1u : 0u);
  const bool by_adl = version >= DXGKDDI_INTERFACE_VERSION_WDDM2_9;
  EXPECT_EQ(operations.count(DXGK_OPERATION_MAP_APERTURE_SEGMENT2), by_adl ? 1u : 0u);
  EXPECT_EQ(operations.count(DXGK_OPERATION_MAP_APERTURE_SEGMENT), by_adl ? 0u : 1u);
  EXPECT_EQ(mode, version >= DXGKDDI_INTERFACE_VERSION_WDDM3_0 ? DmaMode::kRemapped : DmaMode::kPhysical);

  EXPECT_EQ(seen.interface.Size, KernelTableBytes(version));
  EXPECT_NE(seen.interface.DxgkCbReserveGpuVirtualAddressRange, nullptr);
  EXPECT_EQ(seen.interface.DxgkCbAllocateContiguousMemory != nullptr, version >= DXGKDDI_INTERFACE_VERSION_WDDM2_4);
  EXPECT_EQ(seen.interface.DxgkCbAllocateAdl != nullptr, version >= DXGKDDI_INTERFACE_VERSION_WDDM2_9);
}

TEST_P(DriverOfVersion, HasNoEntryBehindItsTable) {
  DRIVER_INITIALIZATION_DATA taken{};
  RunOnWorker([&](workload::Life& life) { taken = life.adapter.miniport().table(); });
  EXPECT_EQ(taken.Version, GetParam());
  EXPECT_EQ(taken.DxgkDdiBeginExclusiveAccess != nullptr, GetParam() >= DXGKDDI_INTERFACE_VERSION_WDDM2_4);
  EXPECT_EQ(taken.DxgkDdiSignalMonitoredFence != nullptr, GetParam() >= DXGKDDI_INTERFACE_VERSION_WDDM2_5);
}

INSTANTIATE_TEST_SUITE_P(Versions, DriverOfVersion,
                         ::testing::Values(0x5023, 0x6003, 0x700A, 0x8001, 0x9006, 0xA00B, 0xB004, 0xC004, 0xD001,
                                           0xE003, 0xF003, 0x10004),
                         [](const auto& info) {
                           std::string name = NameOfVersion(info.param);
                           for (char& c : name) c = c == ' ' || c == '.' ? '_' : c;
                           return name;
                         });

/// A driver that sets members of a later version than its own. In the headers of its version, these
/// bits are reserved.
struct HastyDriver : DriverFront {
  HastyDriver() {
    bench.options.os.limit_bits = 36;
    bench.options.os.driver["InterfaceVersion"] = DXGKDDI_INTERFACE_VERSION_WDDM2_4;
    bench.options.os.iommu = RemapPolicy::kNever;
  }
};

TEST_F(HastyDriver, Of24GetsMdlsThoughItSetsMapAperture2Supported) {
  std::set<unsigned> operations;
  seen.operation = [&](const DXGKARG_BUILDPAGINGBUFFER& args) { operations.insert(args.Operation); };
  seen.answer = [](const DXGKARG_QUERYADAPTERINFO& args) {
    if (args.Type == DXGKQAITYPE_DRIVERCAPS)
      static_cast<DXGK_DRIVERCAPS*>(args.pOutputData)->MemoryManagementCaps.MapAperture2Supported = 1;
  };
  const auto result = bench.Run([](workload::Life& life) {
    EXPECT_FALSE(life.adapter.answers().driver.MemoryManagementCaps.MapAperture2Supported);
    workload::RunSeededMainJob(life, 50'000);
  });
  EXPECT_TRUE(result.Passed()) << FaultsOf(result);
  EXPECT_EQ(operations.count(DXGK_OPERATION_MAP_APERTURE_SEGMENT), 1u);
  EXPECT_EQ(operations.count(DXGK_OPERATION_MAP_APERTURE_SEGMENT2), 0u);
  EXPECT_THAT(result.unmodelled, ElementsAre("DXGK_VIDMMCAPS.MapAperture2Supported, which is of WDDM 2.9; the driver "
                                             "is of WDDM 2.4"));
}

TEST_F(HastyDriver, Of24NeedsNoIsolationAndIsFlushedAsBeforeThoughItSetsTheBits) {
  seen.answer = [](const DXGKARG_QUERYADAPTERINFO& args) {
    if (args.Type == DXGKQAITYPE_DRIVERCAPS)
      static_cast<DXGK_DRIVERCAPS*>(args.pOutputData)->MemoryManagementCaps.IoMmuSecureModeRequired = 1;
    if (args.Type == DXGKQAITYPE_GPUMMUCAPS)
      static_cast<DXGK_GPUMMUCAPS*>(args.pOutputData)->InvalidTlbEntriesNotCached = 1;
    if (args.Type != DXGKQAITYPE_QUERYSEGMENT4) return;
    auto* out = static_cast<DXGK_QUERYSEGMENTOUT4*>(args.pOutputData);
    if (out->pSegmentDescriptor == nullptr) return;
    DXGK_SEGMENTFLAGS flags;
    std::memcpy(&flags, out->pSegmentDescriptor, sizeof flags);
    flags.PopulatedByReservedDDRByFirmware = 1;
    std::memcpy(out->pSegmentDescriptor, &flags, sizeof flags);
  };
  const auto result = bench.Run([](workload::Life& life) {
    EXPECT_EQ(life.adapter.mode(), DmaMode::kPhysical);
    EXPECT_FALSE(life.adapter.answers().mmu.InvalidTlbEntriesNotCached);
    workload::RunSeededMainJob(life, 50'000);
  });
  EXPECT_TRUE(result.Passed()) << FaultsOf(result);
  EXPECT_THAT(result.unmodelled, SizeIs(3));
}

// Bit 13 of an allocation's flags is reserved in WDDM 2.0 to 2.8.
TEST_F(HastyDriver, Of24MakesAnAllocationThoughItSetsMapApertureCpuVisible) {
  const auto result = bench.RunOnWorker([](workload::Life& life) {
    AllocationRequest request{"hasty", hw::kPageSize};
    request.map_cpu_visible = true;
    Allocation* allocation = life.vidmm.CreateAllocation(request);
    EXPECT_FALSE(allocation->map_cpu_visible);
    life.vidmm.DestroyAllocation(allocation);
  });
  EXPECT_EQ(FaultsOf(result), "");
  EXPECT_THAT(result.unmodelled, ElementsAre(HasSubstr("MapApertureCpuVisible, which is of WDDM 2.9")));
}

struct OldDriver : DriverFront {
  OldDriver() {
    between = {};
    bench.options.driver = os::Entry;
    bench.options.os.limit_bits = 36;
  }
  ~OldDriver() override { between = {}; }
  std::string Refused() {
    const auto result = bench.Run([](workload::Life&) {});
    EXPECT_THAT(result.leaks, SizeIs(0));
    return FaultsOf(result);
  }
};

TEST_F(OldDriver, MustReachAllMemoryByItself) {
  bench.config.host.memory_gib = 16;
  bench.options.os.limit_bits = 33;
  bench.options.os.driver["InterfaceVersion"] = DXGKDDI_INTERFACE_VERSION_WDDM2_8;
  EXPECT_THAT(Refused(), HasSubstr("DXGK_DRIVERCAPS.HighestAcceptableAddress is 8589934591; installed memory ends at"));
  bench.options.os.driver["InterfaceVersion"] = DXGKDDI_INTERFACE_VERSION_WDDM2_9;
  EXPECT_THAT(Refused(), HasSubstr("DMA remapping is not known to the driver's interface version"));
  bench.options.os.driver["InterfaceVersion"] = DXGKDDI_INTERFACE_VERSION_WDDM3_0;
  EXPECT_EQ(Refused(), "");
}

// A callback that the driver's version lacks is a null pointer, which must not be called.
TEST_F(OldDriver, IsNotEnoughForWhatNeedsALaterVersionWhichIsSaid) {
  const auto run = [&](const char* procedure) {
    const workload::JobResult result = bench.Run([&](workload::Life& life) {
      const workload::Procedure& wanted = *workload::FindProcedure(procedure);
      workload::ParameterValues values;
      for (const workload::ParameterRule& rule : wanted.parameters) values.emplace(rule.name, rule.initial);
      wanted.run(life, values);
    });
    EXPECT_TRUE(result.NotApplicable()) << FaultsOf(result);
    return result.not_applicable;
  };
  bench.options.os.driver["InterfaceVersion"] = DXGKDDI_INTERFACE_VERSION_WDDM2_8;
  EXPECT_THAT(run("memory_services"), HasSubstr("is of WDDM 2.9, and the driver registers with WDDM 2.8 "
                                                "(DRIVER_INITIALIZATION_DATA.Version)"));
  bench.options.os.driver["InterfaceVersion"] = DXGKDDI_INTERFACE_VERSION_WDDM2_3;
  EXPECT_THAT(run("isolation_memory"), HasSubstr("is of WDDM 2.4, and the driver registers with WDDM 2.3"));
  bench.options.os.iommu_flags = 7;
  EXPECT_THAT(run("secure_vm"), HasSubstr("IoMmuSecureModeSupported is 0"));
}

NTSTATUS StartWithKernelMemory(PVOID context, PDXGK_START_INFO start, PDXGKRNL_INTERFACE interface, PULONG sources,
                               PULONG children) {
  PHYSICAL_ADDRESS lowest{}, highest{}, any{};
  highest.QuadPart = INT64_MAX;
  PVOID const memory = MmAllocateContiguousMemorySpecifyCache(PAGE_SIZE, lowest, highest, any, MmCached);
  if (memory == nullptr) return STATUS_NO_MEMORY;
  MmFreeContiguousMemorySpecifyCache(memory, PAGE_SIZE, MmCached);
  return between.real.DxgkDdiStartDevice(context, start, interface, sources, children);
}

// The isolation domain maps only memory that the driver has allocated through the callbacks.
TEST_F(OldDriver, MustNotTakeMemoryFromTheKernelWhenItSupportsIsolation) {
  between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiStartDevice = StartWithKernelMemory; };
  bench.options.os.driver["InterfaceVersion"] = DXGKDDI_INTERFACE_VERSION_WDDM2_4;
  EXPECT_THAT(Refused(), HasSubstr("the driver called MmAllocateContiguousMemorySpecifyCache, which GPU isolation "
                                   "forbids"));
  bench.options.os.driver["Isolation"] = 0;
  EXPECT_EQ(Refused(), "");
}

NTSTATUS TakeKernelMemory(HANDLE adapter, DXGKARG_CREATEDEVICE* args) {
  PHYSICAL_ADDRESS highest{};
  highest.QuadPart = INT64_MAX;
  if (PVOID const memory = MmAllocateContiguousMemory(PAGE_SIZE, highest)) MmFreeContiguousMemory(memory);
  return between.real.DxgkDdiCreateDevice(adapter, args);
}
NTSTATUS TakePages(HANDLE adapter, DXGKARG_CREATEDEVICE* args) {
  PHYSICAL_ADDRESS highest{};
  highest.QuadPart = INT64_MAX;
  if (PMDL const list = MmAllocatePagesForMdlEx({}, highest, {}, PAGE_SIZE, MmCached, 0)) {
    MmFreePagesFromMdl(list);
    ExFreePool(list);
  }
  return between.real.DxgkDdiCreateDevice(adapter, args);
}

TEST_F(OldDriver, MustNotTakeMemoryFromTheKernelAfterItsStartEither) {
  const std::pair<decltype(&TakePages), const char*> routines[] = {
      {TakeKernelMemory, "MmAllocateContiguousMemorySpecifyCache"}, {TakePages, "MmAllocatePagesForMdlEx"}};
  for (const auto& [entry, name] : routines) {
    between.table = [entry = entry](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiCreateDevice = entry; };
    bench.options.os.driver["Isolation"] = 1;
    const auto stopped = bench.Run([](workload::Life&) {});
    EXPECT_THAT(FaultsOf(stopped), HasSubstr(std::string(name) + ", which GPU isolation forbids "
                                                                 "(DXGK_VIDMMCAPS.IoMmuSecureModeSupported is 1), was "
                                                                 "called inside of DxgkDdiCreateDevice"));
    bench.options.os.driver["Isolation"] = 0;
    EXPECT_EQ(Refused(), "");
  }
}

// A 1:1 domain must map the driver's memory. Before WDDM 2.9, that is possible only if the driver allocates its memory
// through the GPU isolation callbacks.
TEST_F(OldDriver, IsBehindA1To1DomainWhereThatIsAskedForOrIsRefusedByName) {
  bench.options.os.iommu = RemapPolicy::kIdentity;
  DmaMode mode{};
  const auto run = [&](ULONG version) {
    bench.options.os.driver["InterfaceVersion"] = version;
    return bench.Run([&](workload::Life& life) {
      mode = life.adapter.mode();
      EXPECT_EQ(life.dxgkrnl.isolation_noted(), false) << "the next start may be another";
      const uint64_t other = life.host.TakePages(1, "application", "a page that the GPU was not given")[0];
      EXPECT_NE(life.graphics.At(other), other);
      life.host.FreePages({other});
      workload::RunSeededMainJob(life, 50'000);
    });
  };
  for (const ULONG version :
       {DXGKDDI_INTERFACE_VERSION_WDDM2_4, DXGKDDI_INTERFACE_VERSION_WDDM2_8, DXGKDDI_INTERFACE_VERSION_WDDM2_9}) {
    const auto result = run(version);
    EXPECT_TRUE(result.Passed()) << FaultsOf(result);
    EXPECT_EQ(mode, DmaMode::kIdentity) << NameOfVersion(version);
  }
  const auto old = run(DXGKDDI_INTERFACE_VERSION_WDDM2_3);
  EXPECT_THAT(FaultsOf(old), HasSubstr("[os] iommu = \"identity\" is not for a driver that registers with WDDM 2.3"));
  bench.options.os.driver["Isolation"] = 0;
  EXPECT_THAT(FaultsOf(run(DXGKDDI_INTERFACE_VERSION_WDDM2_8)), HasSubstr("a driver that registers with WDDM 2.8"));
}

TEST_F(OldDriver, IsNotSwitchedIntoA1To1DomainThatWouldNotHaveItsMemory) {
  bench.options.os.iommu = RemapPolicy::kNever;
  bench.options.os.driver["InterfaceVersion"] = DXGKDDI_INTERFACE_VERSION_WDDM2_3;
  const auto result = bench.Run([](workload::Life& life) {
    try {
      SwitchDma(life.adapter, DmaMode::kIdentity);
      ADD_FAILURE() << "it is switched";
    } catch (const OsError& refusal) {
      EXPECT_THAT(refusal.what(), HasSubstr("the driver takes memory from the kernel"));
    }
    workload::RunSeededMainJob(life, 50'000);
  });
  EXPECT_TRUE(result.Passed()) << FaultsOf(result);
}

}  // namespace
}  // namespace gmmu::os::test
