// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "tb/sw/kmd/started_driver.h"
#include "kmd/escape.h"
#include "kmd/segments.h"

namespace gmmu::kmd::test {
namespace {

TEST(Caps, MemoryAndIommuCapsAreAnsweredBeforeStart) {
  FakeKernel kernel;
  kernel.parameters = {{"LimitBits", 40}};
  ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
  DXGK_PHYSICAL_MEMORY_CAPS memory{};
  DXGK_IOMMU_CAPS iommu{};
  EXPECT_EQ(kernel.Query(DXGKQAITYPE_PHYSICAL_MEMORY_CAPS, &memory), STATUS_SUCCESS);
  EXPECT_EQ(memory.HighestVisibleAddress.QuadPart, 0xFFFFFFFFFF);
  EXPECT_EQ(kernel.Query(DXGKQAITYPE_IOMMU_CAPS, &iommu), STATUS_SUCCESS);
  EXPECT_EQ(iommu.Value, 5u) << "remapping and isolation, which is not required";
  EXPECT_TRUE(kernel.writes.empty());
  kernel.table.DxgkDdiRemoveDevice(kernel.adapter);
}

// The documentation and the headers say which version introduced each capability.
TEST(Caps, OfAnOlderVersionDoNotHaveWhatCameLater) {
  struct Row {
    ULONG version;
    UINT vidmm, mmu;  // bits that must not be set
    DXGK_WDDMVERSION says;
    NTSTATUS memory;
    UINT iommu;
  };
  constexpr UINT kIsolation = 1u << 11, kRequired = 1u << 13, kAperture2 = 1u << 14;
  constexpr UINT kNotCached = 1u << 10;
  for (const Row& row :
       {Row{DXGKDDI_INTERFACE_VERSION_WDDM2_0, kIsolation | kRequired | kAperture2, kNotCached, DXGKDDI_WDDMv2,
            STATUS_NOT_SUPPORTED, 0},
        Row{DXGKDDI_INTERFACE_VERSION_WDDM2_4, kRequired | kAperture2, kNotCached, DXGKDDI_WDDMv2_4,
            STATUS_NOT_SUPPORTED, 0},
        Row{DXGKDDI_INTERFACE_VERSION_WDDM2_8, kAperture2, 0, DXGKDDI_WDDMv2_8, STATUS_NOT_SUPPORTED, 0},
        Row{DXGKDDI_INTERFACE_VERSION_WDDM2_9, 0, 0, DXGKDDI_WDDMv2_9, STATUS_SUCCESS, 3},
        Row{DXGKDDI_INTERFACE_VERSION_WDDM3_0, 0, 0, DXGKDDI_WDDMv3_0, STATUS_SUCCESS, 7}}) {
    FakeKernel kernel;
    kernel.parameters = {{"InterfaceVersion", row.version}, {"IsolationRequired", 1}};
    ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
    DXGK_DRIVERCAPS caps{};
    DXGK_GPUMMUCAPS mmu{};
    DXGK_PHYSICAL_MEMORY_CAPS memory{};
    DXGK_IOMMU_CAPS iommu{};
    EXPECT_EQ(kernel.Query(DXGKQAITYPE_DRIVERCAPS, &caps), STATUS_SUCCESS);
    EXPECT_EQ(kernel.Query(DXGKQAITYPE_GPUMMUCAPS, DXGK_QUERYGPUMMUCAPSIN{}, &mmu), STATUS_SUCCESS);
    EXPECT_EQ(kernel.Query(DXGKQAITYPE_PHYSICAL_MEMORY_CAPS, &memory), row.memory);
    EXPECT_EQ(kernel.Query(DXGKQAITYPE_IOMMU_CAPS, &iommu), row.memory);
    constexpr UINT kVersioned = kIsolation | kRequired | kAperture2;
    EXPECT_EQ(caps.MemoryManagementCaps.Value & kVersioned, kVersioned & ~row.vidmm);
    EXPECT_EQ(mmu.Value & kNotCached, kNotCached & ~row.mmu);
    EXPECT_EQ(caps.WDDMVersion, row.says);
    EXPECT_EQ(iommu.Value, row.iommu);
    kernel.table.DxgkDdiRemoveDevice(kernel.adapter);
  }
}

TEST(Caps, PhysicalAdapterCapsEndWhereTheCallersDo) {
  FakeKernel kernel;
  ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
  uint8_t out[sizeof(DXGK_PHYSICALADAPTERCAPS)];
  std::memset(out, 0xEE, sizeof out);
  DXGK_QUERYPHYSICALADAPTERCAPSIN in{};
  DXGKARG_QUERYADAPTERINFO args{};
  args.Type = DXGKQAITYPE_PHYSICALADAPTERCAPS;
  args.pInputData = &in;
  args.InputDataSize = sizeof in;
  args.pOutputData = out;
  args.OutputDataSize = 20;  // the size in WDDM 2.0
  EXPECT_EQ(kernel.table.DxgkDdiQueryAdapterInfo(kernel.adapter, &args), STATUS_SUCCESS);
  EXPECT_EQ(out[19], 0);
  EXPECT_EQ(out[20], 0xEE);
  args.OutputDataSize = 19;
  EXPECT_EQ(kernel.table.DxgkDdiQueryAdapterInfo(kernel.adapter, &args), STATUS_BUFFER_TOO_SMALL);
  kernel.table.DxgkDdiRemoveDevice(kernel.adapter);
}

TEST(Caps, BothSetsOfIsolationBitsFollowTheParametersAndAgree) {
  for (const auto& [supported, required] : {std::pair{0u, 0u}, {1u, 0u}, {1u, 1u}}) {
    FakeKernel kernel;
    kernel.parameters = {{"Isolation", supported}, {"IsolationRequired", required}};
    ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
    DXGK_IOMMU_CAPS iommu{};
    DXGK_DRIVERCAPS caps{};
    EXPECT_EQ(kernel.Query(DXGKQAITYPE_IOMMU_CAPS, &iommu), STATUS_SUCCESS);
    EXPECT_EQ(kernel.Query(DXGKQAITYPE_DRIVERCAPS, &caps), STATUS_SUCCESS);
    EXPECT_EQ(iommu.IommuIsolationSupported, supported);
    EXPECT_EQ(iommu.IommuIsolationRequired, required);
    EXPECT_EQ(caps.MemoryManagementCaps.IoMmuSecureModeSupported, supported);
    EXPECT_EQ(caps.MemoryManagementCaps.IoMmuSecureModeRequired, required);
    kernel.table.DxgkDdiRemoveDevice(kernel.adapter);
  }
  FakeKernel kernel;
  kernel.parameters = {{"Isolation", 0}, {"IsolationRequired", 1}};
  EXPECT_EQ(kernel.Load(), STATUS_INVALID_PARAMETER) << "needed and not supported";
}

TEST(Caps, ReservedRangesComeInTwoCallsWhateverTheFirstLooksLike) {
  FakeKernel kernel;
  kernel.parameters = {{"ReservedBase", 0x7FFC0000}, {"ReservedBytes", 0x40000}};
  ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
  DXGK_PHYSICAL_MEMORY_RANGE range{1, 1};
  for (DXGK_PHYSICAL_MEMORY_RANGE* array : {static_cast<DXGK_PHYSICAL_MEMORY_RANGE*>(nullptr), &range}) {
    DXGK_HARDWARERESERVEDRANGES out{0, array};
    EXPECT_EQ(kernel.Query(DXGKQAITYPE_HARDWARERESERVEDRANGES, &out), STATUS_SUCCESS);
    EXPECT_EQ(out.NumRanges, 1u);
    EXPECT_EQ(range.BaseAddress, 1u) << "nothing is written without room";
  }
  DXGK_HARDWARERESERVEDRANGES out{1, &range};
  EXPECT_EQ(kernel.Query(DXGKQAITYPE_HARDWARERESERVEDRANGES, &out), STATUS_SUCCESS);
  EXPECT_EQ(range.BaseAddress, 0x7FFC0000u);
  EXPECT_EQ(range.NumberOfBytes, 0x40000u);
  kernel.table.DxgkDdiRemoveDevice(kernel.adapter);
}

TEST(Caps, DriverCapsFollowTheCallersSizeAndAreNeverWrittenPastIt) {
  StartedDriver driver;
  for (const size_t size : {size_t{0x228}, size_t{0x240}, size_t{0x250}, size_t{0x260}}) {
    std::vector<uint8_t> output(size + 16, 0xCC);
    DXGKARG_QUERYADAPTERINFO args{};
    args.Type = DXGKQAITYPE_DRIVERCAPS;
    args.pOutputData = output.data();
    args.OutputDataSize = static_cast<UINT>(size);
    ASSERT_EQ(driver.kernel.table.DxgkDdiQueryAdapterInfo(driver.kernel.adapter, &args), STATUS_SUCCESS);
    for (size_t i = size; i < output.size(); ++i) EXPECT_EQ(output[i], 0xCC) << size;
    DXGK_DRIVERCAPS caps{};
    std::memcpy(&caps, output.data(), std::min(size, sizeof caps));
    EXPECT_TRUE(caps.MemoryManagementCaps.VirtualAddressingSupported);
    EXPECT_TRUE(caps.MemoryManagementCaps.GpuMmuSupported);
    EXPECT_TRUE(caps.MemoryManagementCaps.MapAperture2Supported) << "without it there is no remapping";
    EXPECT_TRUE(caps.MemoryManagementCaps.IoMmuSecureModeSupported) << "must agree with IOMMU_CAPS";
    EXPECT_EQ(caps.WDDMVersion, DXGKDDI_WDDMv3_1);
    EXPECT_EQ(caps.GpuEngineTopology.NbAsymetricProcessingNodes, 1u);
    EXPECT_EQ(caps.HighestAcceptableAddress.QuadPart, 0x1FFFFFFFF);
  }
}

TEST(Caps, ShortOutputsAndUnknownTypesAreRefusedUntouched) {
  StartedDriver driver;
  const DXGK_QUERYADAPTERINFOTYPE types[] = {DXGKQAITYPE_DRIVERCAPS,          DXGKQAITYPE_QUERYSEGMENT4,
                                             DXGKQAITYPE_GPUMMUCAPS,          DXGKQAITYPE_PAGETABLELEVELDESC,
                                             DXGKQAITYPE_PHYSICALADAPTERCAPS, DXGKQAITYPE_PHYSICAL_MEMORY_CAPS,
                                             DXGKQAITYPE_IOMMU_CAPS};
  for (const auto type : types) {
    uint8_t output[2] = {0xCC, 0xCC};
    EXPECT_EQ(driver.kernel.Query(type, &output), STATUS_BUFFER_TOO_SMALL) << type;
    EXPECT_EQ(output[0], 0xCC);
  }
  uint64_t output = 0;
  for (const auto type : {DXGKQAITYPE_QUERYSEGMENT3, DXGKQAITYPE_UEFIFRAMEBUFFERRANGES, DXGKQAITYPE_QUERYMMUS}) {
    EXPECT_EQ(driver.kernel.Query(type, &output), STATUS_NOT_SUPPORTED) << type;
  }
}

TEST(Caps, MemorySegmentEndsWhereTheWindowEndsAndAnotherHasTheRest) {
  FakeKernel kernel;
  kernel.vram_bytes = 2 * FakeKernel::kWindowBytes;
  ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
  ASSERT_EQ(kernel.Start(), STATUS_SUCCESS);
  EXPECT_EQ(kernel.vram.begin()->first, 2 * FakeKernel::kWindowBytes - 4096 * 8)
      << "the aperture table is reached by moving the window";
  DXGK_QUERYSEGMENTOUT4 out{};
  std::vector<BYTE> descriptors(3 * sizeof(DXGK_SEGMENTDESCRIPTOR4));
  out.NbSegment = 3;
  out.pSegmentDescriptor = descriptors.data();
  out.SegmentDescriptorStride = sizeof(DXGK_SEGMENTDESCRIPTOR4);
  ASSERT_EQ(kernel.Query(DXGKQAITYPE_QUERYSEGMENT4, DXGK_QUERYSEGMENTIN4{0}, &out), STATUS_SUCCESS);
  DXGK_SEGMENTDESCRIPTOR4 vram{}, hidden{};
  std::memcpy(&vram, descriptors.data() + sizeof vram, sizeof vram);
  EXPECT_EQ(vram.Size, FakeKernel::kWindowBytes);
  std::memcpy(&hidden, descriptors.data() + 2 * sizeof hidden, sizeof hidden);
  EXPECT_EQ(hidden.Size, FakeKernel::kWindowBytes - 4096 * 8 - 16384)
      << "the save area and the aperture table are behind it";
  EXPECT_FALSE(hidden.Flags.CpuVisible);
  kernel.Unload();
}

TEST(Caps, GpuMmuCapsAndLevelsFollowTheParameters) {
  StartedDriver driver({{"PageTableLevels", 3}, {"PageTableBits0", 13}, {"PageTableBits1", 11}, {"PageTableBits2", 3}});
  DXGK_GPUMMUCAPS caps{};
  ASSERT_EQ(driver.kernel.Query(DXGKQAITYPE_GPUMMUCAPS, DXGK_QUERYGPUMMUCAPSIN{0}, &caps), STATUS_SUCCESS);
  EXPECT_EQ(caps.PageTableLevelCount, 3u);
  EXPECT_EQ(caps.VirtualAddressBitCount, 39u);
  EXPECT_EQ(caps.PageTableUpdateMode, DXGK_PAGETABLEUPDATE_GPU_PHYSICAL);
  EXPECT_TRUE(caps.InvalidTlbEntriesNotCached);
  EXPECT_TRUE(caps.ZeroInPteSupported);
  EXPECT_TRUE(caps.LargePageSupported);
  EXPECT_FALSE(caps.DualPteSupported);
  EXPECT_EQ(driver.kernel.Query(DXGKQAITYPE_GPUMMUCAPS, DXGK_QUERYGPUMMUCAPSIN{1}, &caps), STATUS_INVALID_PARAMETER);

  const UINT bits[] = {13, 11, 3};
  const UINT bytes[] = {65536, 16384, 4096};
  for (WORD level = 0; level < 3; ++level) {
    DXGK_PAGE_TABLE_LEVEL_DESC desc{};
    const DXGK_QUERYPAGETABLELEVELDESCIN in{level, 0};
    ASSERT_EQ(driver.kernel.Query(DXGKQAITYPE_PAGETABLELEVELDESC, in, &desc), STATUS_SUCCESS);
    EXPECT_EQ(desc.PageTableIndexBitCount, bits[level]);
    EXPECT_EQ(desc.PageTableSizeInBytes, bytes[level]);
    EXPECT_EQ(desc.PageTableSegmentId, kVramSegment);
    EXPECT_EQ(desc.PagingProcessPageTableSegmentId, kVramSegment);
  }
  DXGK_PAGE_TABLE_LEVEL_DESC desc{};
  EXPECT_EQ(driver.kernel.Query(DXGKQAITYPE_PAGETABLELEVELDESC, DXGK_QUERYPAGETABLELEVELDESCIN{3, 0}, &desc),
            STATUS_INVALID_PARAMETER);
}

// The driver must declare no capability that this hardware lacks or that the OS model does not use.
TEST(Caps, WhatWouldHaveNoEffectIsNotDeclared) {
  StartedDriver driver;
  FakeKernel& kernel = driver.kernel;
  DXGK_DRIVERCAPS caps{};
  ASSERT_EQ(kernel.Query(DXGKQAITYPE_DRIVERCAPS, &caps), STATUS_SUCCESS);
  EXPECT_FALSE(caps.MemoryManagementCaps.DisableSelfRefreshVRAMInS3);
  EXPECT_FALSE(caps.MemoryManagementCaps.AlwaysPoweredVRAM);
  EXPECT_TRUE(caps.SchedulingCaps.MultiEngineAware);
  EXPECT_TRUE(caps.SchedulingCaps.PreemptionAware);
  DXGK_GPUMMUCAPS mmu{};
  ASSERT_EQ(kernel.Query(DXGKQAITYPE_GPUMMUCAPS, DXGK_QUERYGPUMMUCAPSIN{0}, &mmu), STATUS_SUCCESS);
  EXPECT_FALSE(mmu.CachedPageTables);
  EXPECT_FALSE(mmu.LegacyBehaviors.SourcePageTableVaInTransfer);
  EXPECT_FALSE(mmu.SysMemLargePageSupported);
  DXGK_PHYSICALADAPTERCAPS physical{};
  const DXGK_QUERYPHYSICALADAPTERCAPSIN which{0};
  ASSERT_EQ(kernel.Query(DXGKQAITYPE_PHYSICALADAPTERCAPS, which, &physical), STATUS_SUCCESS);
  EXPECT_FALSE(physical.Flags.MovePagingSupported);
  DXGK_SEGMENTDESCRIPTOR4 segments[2]{};
  DXGK_QUERYSEGMENTOUT4 out{};
  out.NbSegment = 2;
  out.pSegmentDescriptor = reinterpret_cast<BYTE*>(segments);
  out.SegmentDescriptorStride = sizeof segments[0];
  ASSERT_EQ(kernel.Query(DXGKQAITYPE_QUERYSEGMENT4, DXGK_QUERYSEGMENTIN4{0}, &out), STATUS_SUCCESS);
  for (const DXGK_SEGMENTDESCRIPTOR4& segment : segments) {
    EXPECT_FALSE(segment.Flags.PopulatedFromSystemMemory);
    EXPECT_FALSE(segment.Flags.PopulatedByReservedDDRByFirmware);
  }
}

/// Returns the descriptor of a page-table level.
DXGK_PAGE_TABLE_LEVEL_DESC Level(StartedDriver& driver, WORD level) {
  DXGK_PAGE_TABLE_LEVEL_DESC desc{};
  EXPECT_EQ(driver.kernel.Query(DXGKQAITYPE_PAGETABLELEVELDESC, DXGK_QUERYPAGETABLELEVELDESCIN{level, 0}, &desc),
            STATUS_SUCCESS);
  return desc;
}

// The sizes and the segment were observed on Windows build 26100. The caps for dual entries and for
// system memory come from the documentation; they have not been observed on Windows.
TEST(Caps, TablesOf64KiBPagesAndLargerTablesAreTold) {
  const std::map<std::string, uint64_t> geometry = {{"PageTableLevels", 3},
                                                    {"PageTableBits0", 13},
                                                    {"PageTableBits1", 11},
                                                    {"PageTableBits2", 3},
                                                    {"Leaf64k", 1},
                                                    {"PageTableBytes0", 131072},
                                                    {"PageTableBytes1", 32768},
                                                    {"PageTableBytes2", 16384},
                                                    {"PageTableAlignment", 16384}};
  for (const bool dual : {false, true}) {
    auto parameters = geometry;
    parameters["DualPte"] = parameters["System64k"] = dual;
    StartedDriver driver(parameters);
    DXGK_GPUMMUCAPS caps{};
    ASSERT_EQ(driver.kernel.Query(DXGKQAITYPE_GPUMMUCAPS, DXGK_QUERYGPUMMUCAPSIN{0}, &caps), STATUS_SUCCESS);
    EXPECT_EQ(caps.LeafPageTableSizeFor64KPagesInBytes, 4096u) << "512 entries";
    EXPECT_EQ(caps.DualPteSupported, dual);
    EXPECT_EQ(caps.SysMem64KBPageSupported, dual);
    const UINT bytes[] = {131072, 32768, 16384};
    for (WORD level = 0; level < 3; ++level) {
      EXPECT_EQ(Level(driver, level).PageTableSizeInBytes, bytes[level]);
      EXPECT_EQ(Level(driver, level).PageTableAlignmentInBytes, 16384u);
    }
    DXGK_QUERYSEGMENTOUT4 out{};
    std::vector<BYTE> descriptors(2 * sizeof(DXGK_SEGMENTDESCRIPTOR4));
    out.NbSegment = 2;
    out.pSegmentDescriptor = descriptors.data();
    out.SegmentDescriptorStride = sizeof(DXGK_SEGMENTDESCRIPTOR4);
    ASSERT_EQ(driver.kernel.Query(DXGKQAITYPE_QUERYSEGMENT4, DXGK_QUERYSEGMENTIN4{0}, &out), STATUS_SUCCESS);
    DXGK_SEGMENTDESCRIPTOR4 segments[2];
    std::memcpy(segments, descriptors.data(), sizeof segments);
    EXPECT_FALSE(segments[0].Flags.Use64KBPages) << "the aperture";
    EXPECT_TRUE(segments[1].Flags.Use64KBPages);
    EXPECT_EQ(segments[1].Size % 65536, 0u);
  }
}

TEST(Caps, EntriesAtLevel1OfPairsNeedTwiceTheSize) {
  StartedDriver driver({{"Leaf64k", 1}, {"DualPte", 1}});
  EXPECT_EQ(Level(driver, 0).PageTableSizeInBytes, 4096u);
  EXPECT_EQ(Level(driver, 1).PageTableSizeInBytes, 8192u);
  EXPECT_EQ(Level(driver, 2).PageTableSizeInBytes, 4096u);
}

TEST(Caps, HardwareBeforeMinorVersion4HasNoPagesOf64KiB) {
  for (const unsigned minor : {3u, 4u}) {
    FakeKernel kernel;
    kernel.parameters = {{"Leaf64k", 1}};
    ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
    kernel.reg(regs::Id::kOffset) = regs::Id{}.set_magic(0x554D4D47).set_major(1).set_minor(minor).raw;
    EXPECT_EQ(kernel.Start(), minor < 4 ? STATUS_NOT_SUPPORTED : STATUS_SUCCESS);
    if (minor < 4) kernel.table.DxgkDdiRemoveDevice(kernel.adapter);
    else kernel.Unload();
  }
}

TEST(Caps, HardwareBeforeMinorVersion4IsNotLinked) {
  for (const unsigned minor : {3u, 4u}) {
    FakeKernel kernel;
    kernel.parameters = {{"LinkedAdapters", 2}};
    ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
    LINKED_DEVICE link{};
    ASSERT_EQ(kernel.table.DxgkDdiLinkDevice(nullptr, kernel.adapter, &link), STATUS_SUCCESS);
    EXPECT_EQ(link.NumberOfLinksInChain, 2u);
    kernel.reg(regs::Id::kOffset) = regs::Id{}.set_magic(0x554D4D47).set_major(1).set_minor(minor).raw;
    EXPECT_EQ(kernel.Start(), minor < 4 ? STATUS_NOT_SUPPORTED : STATUS_SUCCESS);
    if (minor < 4) kernel.table.DxgkDdiRemoveDevice(kernel.adapter);
    else kernel.Unload();
  }
}

TEST(Caps, AllocationsInASegmentOf64KiBPagesAreOfThatSizeAndAlignment) {
  for (const bool leaf_64k : {false, true}) {
    StartedDriver driver({{"Leaf64k", leaf_64k}});
    for (const bool system_only : {false, true}) {
      AllocationData data;
      data.bytes = 5000;
      data.system_only = system_only;
      DXGK_ALLOCATIONINFO info{};
      info.pPrivateDriverData = &data;
      info.PrivateDriverDataSize = sizeof data;
      DXGKARG_CREATEALLOCATION args{};
      args.NumAllocations = 1;
      args.pAllocationInfo = &info;
      ASSERT_EQ(driver.kernel.table.DxgkDdiCreateAllocation(driver.kernel.adapter, &args), STATUS_SUCCESS);
      const bool large = leaf_64k && !system_only;
      EXPECT_EQ(info.Alignment, large ? 65536u : 4096u);
      EXPECT_EQ(info.Size, large ? 65536u : 8192u);
      DXGKARG_DESTROYALLOCATION destroy{};
      HANDLE list[] = {info.hAllocation};
      destroy.NumAllocations = 1;
      destroy.pAllocationList = list;
      driver.kernel.table.DxgkDdiDestroyAllocation(driver.kernel.adapter, &destroy);
    }
  }
}

TEST(Caps, OneNodeThatCopies) {
  StartedDriver driver;
  DXGK_PHYSICALADAPTERCAPS caps{};
  ASSERT_EQ(driver.kernel.Query(DXGKQAITYPE_PHYSICALADAPTERCAPS, DXGK_QUERYPHYSICALADAPTERCAPSIN{0}, &caps),
            STATUS_SUCCESS);
  EXPECT_EQ(caps.NumExecutionNodes, 1u);
  EXPECT_EQ(caps.PagingNodeIndex, 0u);
  EXPECT_TRUE(caps.Flags.GpuMmuSupported);
  EXPECT_NE(caps.DxgkPhysicalAdapterHandle, nullptr);
  DXGKARG_GETNODEMETADATA node{};
  EXPECT_EQ(driver.kernel.table.DxgkDdiGetNodeMetadata(driver.kernel.adapter, 0, &node), STATUS_SUCCESS);
  EXPECT_EQ(node.EngineType, DXGK_ENGINE_TYPE_COPY);
  EXPECT_EQ(driver.kernel.table.DxgkDdiGetNodeMetadata(driver.kernel.adapter, 1, &node), STATUS_INVALID_PARAMETER);
}

TEST(Caps, TwoLevelRootsGrowByPages) {
  StartedDriver driver({{"PageTableLevels", 2}, {"PageTableBits0", 9}, {"PageTableBits1", 13}});
  DXGKARG_GETROOTPAGETABLESIZE args{};
  const struct {
    UINT wanted, entries;
    SIZE_T bytes;
  } rows[] = {{0, 512, 4096}, {1, 512, 4096}, {512, 512, 4096}, {513, 1024, 8192}, {9000, 8192, 65536}};
  for (const auto& row : rows) {
    args.NumberOfPte = row.wanted;
    EXPECT_EQ(driver.kernel.table.DxgkDdiGetRootPageTableSize(driver.kernel.adapter, &args), row.bytes);
    EXPECT_EQ(args.NumberOfPte, row.entries);
  }
}

}  // namespace
}  // namespace gmmu::kmd::test
