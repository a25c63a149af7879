// SPDX-License-Identifier: Apache-2.0
#include "kmd/adapter.h"

#include <gtest/gtest.h>

#include "kmd/segments.h"
#include "tb/sw/kmd/started_driver.h"

namespace gmmu::kmd::test {
namespace {

constexpr uint32_t kRing = regs::kRingBase;

TEST(Adapter, StartProgramsTheDeviceFromAdlsAndEnablesItLast) {
  for (const bool contiguous : {true, false}) {
    FakeKernel kernel;
    kernel.contiguous_adls = contiguous;
    ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
    EXPECT_EQ(kernel.objects, 0) << "no memory before StartDevice";
    ASSERT_EQ(kernel.Start(), STATUS_SUCCESS);

    EXPECT_NE(kernel.SystemMemory(kernel.Reg<regs::RingBase>(kRing).address()), nullptr);
    EXPECT_NE(kernel.SystemMemory(kernel.Reg<regs::RingFenceAddress>(kRing).address()), nullptr);
    EXPECT_NE(kernel.SystemMemory(kernel.Reg<regs::FaultQueueBase>().address()), nullptr);
    const auto ring = kernel.Reg<regs::RingCtrl>(kRing);
    EXPECT_TRUE(ring.enable() && ring.privileged());
    EXPECT_EQ(kernel.Reg<regs::AperturePages>().pages(), 4096u);
    ASSERT_FALSE(kernel.writes.empty());
    EXPECT_EQ(kernel.writes.back().offset, regs::Ctrl::kOffset);
    EXPECT_EQ(kernel.writes.back().value, 1u);
    kernel.Unload();
    EXPECT_EQ(kernel.objects + kernel.adls + kernel.views + kernel.bars, 0);
    EXPECT_EQ(kernel.pool_blocks, 0);
  }
}

/// Expects that the driver allocated memory from exactly these sources: the kernel routine, the GPU
/// isolation callbacks, and memory objects.
void ExpectSources(const FakeKernel& kernel, bool of_kernel, bool of_isolation, bool objects) {
  EXPECT_EQ(kernel.kernel_memory != 0, of_kernel);
  EXPECT_EQ(kernel.contiguous != 0 && kernel.pages != 0, of_isolation);
  EXPECT_EQ(kernel.contiguous + kernel.pages != 0, of_isolation);
  EXPECT_EQ(kernel.lists, of_isolation && objects ? 1 : 0);
  EXPECT_EQ(kernel.objects != 0, objects);
  EXPECT_EQ(kernel.adls != 0, objects && !of_isolation);
}

// Before WDDM 2.4, the driver allocates memory with the kernel routine; from 2.4, through the GPU
// isolation callbacks if it supports isolation; from 2.9, as memory objects with ADLs. A 2.9 driver
// with isolation but without DMA remapping uses the isolation callbacks, and memory objects without
// ADLs.
TEST(Adapter, TakesItsMemoryByWhatItsVersionHas) {
  struct Row {
    ULONG version;
    uint64_t isolation, remapping;
    bool of_kernel, of_isolation, objects;
  };
  for (const Row& row : {Row{DXGKDDI_INTERFACE_VERSION_WDDM2_3, 1, 1, true, false, false},
                         Row{DXGKDDI_INTERFACE_VERSION_WDDM2_4, 1, 1, false, true, false},
                         Row{DXGKDDI_INTERFACE_VERSION_WDDM2_4, 0, 1, true, false, false},
                         Row{DXGKDDI_INTERFACE_VERSION_WDDM2_8, 1, 1, false, true, false},
                         Row{DXGKDDI_INTERFACE_VERSION_WDDM2_9, 1, 1, false, false, true},
                         Row{DXGKDDI_INTERFACE_VERSION_WDDM2_9, 1, 0, false, true, true},
                         Row{DXGKDDI_INTERFACE_VERSION_WDDM2_9, 0, 0, false, false, true},
                         Row{DXGKDDI_INTERFACE_VERSION_WDDM3_1, 1, 1, false, false, true}}) {
    SCOPED_TRACE(::testing::Message() << std::hex << row.version << " isolation " << row.isolation << " remapping "
                                      << row.remapping);
    FakeKernel kernel;
    kernel.kernel_version = row.version;
    kernel.parameters = {{"InterfaceVersion", row.version},
                         {"Isolation", row.isolation},
                         {"DmaRemapping", row.remapping}};
    ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
    EXPECT_EQ(kernel.table.Version, row.version);
    ASSERT_EQ(kernel.Start(), STATUS_SUCCESS);
    ExpectSources(kernel, row.of_kernel, row.of_isolation, row.objects);
    kernel.Unload();
    EXPECT_EQ(kernel.contiguous + kernel.pages + kernel.lists + kernel.kernel_memory, 0);
    EXPECT_EQ(kernel.objects + kernel.adls + kernel.views + kernel.bars, 0);
  }
}

TEST(Adapter, RefusesAKernelTableWithoutTheCallbacksForMemoryThatItsVersionHas) {
  for (const auto& [version, offered] :
       {std::pair{DXGKDDI_INTERFACE_VERSION_WDDM3_1, DXGKDDI_INTERFACE_VERSION_WDDM2_8},
        std::pair{DXGKDDI_INTERFACE_VERSION_WDDM2_8, DXGKDDI_INTERFACE_VERSION_WDDM2_3}}) {
    FakeKernel kernel;
    kernel.parameters = {{"InterfaceVersion", static_cast<uint64_t>(version)}};
    kernel.kernel_version = static_cast<ULONG>(offered);
    ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
    EXPECT_EQ(kernel.Start(), STATUS_NOT_SUPPORTED);
    kernel.Unload();
  }
}

TEST(Adapter, DrivesNoDisplay) {
  FakeKernel kernel;
  ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
  EXPECT_EQ(kernel.table.DxgkDdiIsSupportedVidPn, nullptr);
  EXPECT_EQ(kernel.table.DxgkDdiEnumVidPnCofuncModality, nullptr);
  EXPECT_EQ(kernel.table.DxgkDdiCommitVidPn, nullptr);
  EXPECT_EQ(kernel.table.DxgkDdiSetVidPnSourceAddress, nullptr);
  EXPECT_EQ(kernel.table.DxgkDdiUpdateActiveVidPnPresentPath, nullptr);
  ASSERT_EQ(kernel.Start(), STATUS_SUCCESS);
  EXPECT_EQ(kernel.sources, 0u);
  EXPECT_EQ(kernel.children, 0u);
  kernel.Unload();
}

TEST(Adapter, AnUnusedApertureShowsTheDummyPageEverywhere) {
  StartedDriver driver({{"ApertureBytes", 2 << 20}});
  FakeKernel& kernel = driver.kernel;
  const uint64_t table = kernel.Reg<regs::ApertureBase>().offset();
  EXPECT_EQ(table, (8u << 20) - 4096);
  EXPECT_EQ(kernel.Reg<regs::WindowBase>().offset(), 0u) << "the window is back where the segment begins";
  regs::ApertureEntryEntry first;
  first.raw = kernel.vram.at(table);
  EXPECT_TRUE(first.valid());
  EXPECT_NE(kernel.SystemMemory(first.page() << 12), nullptr);
  for (uint64_t page = 0; page < 512; ++page) ASSERT_EQ(kernel.vram.at(table + page * 8), first.raw);
}

TEST(Adapter, EveryFailingMemoryCallIsUndone) {
  for (const uint64_t remapping : {1u, 0u}) {
    for (int call = 0; call < (remapping ? 12 : 9); ++call) {
      FakeKernel kernel;
      kernel.parameters = {{"DmaRemapping", remapping}};
      kernel.fail_at_memory_call = call;
      ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
      EXPECT_EQ(kernel.Start(), STATUS_INSUFFICIENT_RESOURCES) << remapping << " " << call;
      EXPECT_EQ(kernel.objects + kernel.adls + kernel.views + kernel.bars, 0) << remapping << " " << call;
      EXPECT_EQ(kernel.contiguous + kernel.pages + kernel.lists, 0) << remapping << " " << call;
      EXPECT_FALSE(kernel.Reg<regs::Ctrl>().enable());
      kernel.Unload();
      EXPECT_EQ(kernel.pool_blocks, 0);
    }
  }
}

TEST(Adapter, RefusesAnotherDevice) {
  FakeKernel kernel;
  ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
  kernel.reg(regs::Id::kOffset) = ~uint64_t{0};  // all ones: the device does not respond
  EXPECT_EQ(kernel.Start(), STATUS_NO_SUCH_DEVICE);
  EXPECT_TRUE(kernel.writes.empty());
  kernel.Unload();
}

TEST(Adapter, RefusesCapabilitiesThatNoGmmuHas) {
  for (const auto built :
       {regs::Cap0{}.set_clients(0).set_spaces(4).set_rings(1), regs::Cap0{}.set_clients(65).set_spaces(4).set_rings(1),
        regs::Cap0{}.set_clients(4).set_spaces(65).set_rings(1),
        regs::Cap0{}.set_clients(4).set_spaces(4).set_rings(5)}) {
    FakeKernel kernel;
    ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
    kernel.reg(regs::Cap0::kOffset) = built.raw;
    EXPECT_EQ(kernel.Start(), STATUS_NO_SUCH_DEVICE);
    EXPECT_TRUE(kernel.writes.empty());
    kernel.Unload();
  }
}

TEST(Adapter, PutsTheSizesOfItsKeyToUseBeforeAnySpaceIsThere) {
  const auto sizes =
      regs::SizesInUse{}.set_l1_entries(4).set_l2_entries(128).set_l2_ways(2).set_walk_cache(4).set_walks(2);
  FakeKernel kernel;
  kernel.parameters = {{"SizesInUse", sizes.raw}};
  ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
  kernel.reg(regs::Cap2::kOffset) = regs::Cap2{}.set_patterns(1).set_turn_down(1).raw;
  ASSERT_EQ(kernel.Start(), STATUS_SUCCESS);
  unsigned written = 0;
  for (const auto& access : kernel.writes) {
    if (access.window || access.offset != regs::SizesInUse::kOffset) continue;
    EXPECT_EQ(access.value, sizes.raw);
    ++written;
  }
  EXPECT_EQ(written, 1u);
  kernel.Unload();
}

TEST(Adapter, WithoutSizesInItsKeyLeavesTheRegisterAlone) {
  FakeKernel kernel;
  ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
  kernel.reg(regs::Cap2::kOffset) = regs::Cap2{}.set_patterns(1).set_turn_down(1).raw;
  ASSERT_EQ(kernel.Start(), STATUS_SUCCESS);
  for (const auto& access : kernel.writes) EXPECT_FALSE(!access.window && access.offset == regs::SizesInUse::kOffset);
  kernel.Unload();
}

TEST(Adapter, RefusesSizesThatTheHardwareDoesNotTakeOrHasNoRegisterFor) {
  for (const bool there : {false, true}) {
    FakeKernel kernel;
    kernel.parameters = {{"SizesInUse", regs::SizesInUse{}.set_walks(200).raw}};
    ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
    kernel.reg(regs::Cap2::kOffset) = regs::Cap2{}.set_patterns(1).set_turn_down(there).raw;
    kernel.sizes_held = regs::SizesInUse{}.set_walks(8).raw;
    EXPECT_EQ(kernel.Start(), STATUS_NOT_SUPPORTED);
    EXPECT_EQ(kernel.writes.empty(), !there);
    EXPECT_EQ(kernel.Reg<regs::Ctrl>().enable(), 0u);
    kernel.Unload();
    EXPECT_EQ(kernel.pool_blocks, 0);
  }
}

TEST(Adapter, RefusesVramTooSmallForTheApertureTable) {
  FakeKernel kernel;
  kernel.vram_bytes = 32 << 10;
  ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
  EXPECT_EQ(kernel.Start(), STATUS_INSUFFICIENT_RESOURCES);
  EXPECT_TRUE(kernel.writes.empty());
  kernel.Unload();
}

TEST(Adapter, RefusesParametersOutOfRange) {
  const std::map<std::string, uint64_t> bad[] = {{{"ApertureBytes", 0}},
                                                 {{"ApertureBytes", 4097}},
                                                 {{"LimitBits", 31}},
                                                 {{"LimitBits", 49}},
                                                 {{"PageTableLevels", 1}},
                                                 {{"PageTableLevels", 7}},
                                                 {{"PageTableBits0", 0}},
                                                 {{"PageTableBits1", 14}},
                                                 {{"PageTableSegment", 1}},
                                                 {{"PagingBufferBytes", 100}},
                                                 {{"PageTableSegment", 0}, {"PageTableBits0", 10}}};
  for (const auto& parameters : bad) {
    FakeKernel kernel;
    kernel.parameters = parameters;
    EXPECT_EQ(kernel.Load(), STATUS_INVALID_PARAMETER) << parameters.begin()->first;
    EXPECT_EQ(kernel.pool_blocks, 0);
  }
}

TEST(Adapter, SilencesTheDeviceBeforeItsMemoryGoes) {
  FakeKernel kernel;
  ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
  ASSERT_EQ(kernel.Start(), STATUS_SUCCESS);
  const int held = kernel.objects + kernel.adls;
  ASSERT_GT(held, 0);
  unsigned silenced = 0;
  kernel.on_write = [&](const FakeKernel::Access& access) {
    EXPECT_EQ(kernel.objects + kernel.adls, held) << "register " << access.offset << " is written behind it";
    silenced += !access.window && access.offset == regs::Ctrl::kOffset && access.value == 0;
  };
  kernel.Unload();
  EXPECT_EQ(silenced, 1u);
  EXPECT_EQ(kernel.objects + kernel.adls, 0);
  EXPECT_EQ(kernel.Reg<regs::Ctrl>().enable(), 0u);
  EXPECT_EQ(kernel.Reg<regs::IntEnable>().enable(), 0u);
  EXPECT_EQ(kernel.Reg<regs::RingCtrl>(kRing).enable(), 0u);
  EXPECT_EQ(kernel.Reg<regs::FaultQueueSize>().enable(), 0u);
  EXPECT_EQ(kernel.Reg<regs::AperturePages>().pages(), 0u);
}

TEST(Adapter, ComesBackFromD3WithApertureTableRingAndRoots) {
  StartedDriver driver;
  FakeKernel& kernel = driver.kernel;
  DXGKARG_SETROOTPAGETABLE root{driver.context, {kVramSegment, 0, 0x40000}, 512};
  kernel.table.DxgkDdiSetRootPageTable(kernel.adapter, &root);

  EXPECT_EQ(kernel.table.DxgkDdiSetPowerState(kernel.adapter, 0, PowerDeviceD3, PowerActionSleep), STATUS_SUCCESS);
  EXPECT_EQ(kernel.Reg<regs::Ctrl>().enable(), 0u);
  kernel.vram.clear();
  const uint32_t space = regs::kSpaceBase + regs::kSpaceStride;  // registers of the second process's space
  const uint64_t before = kernel.reg(space + regs::SpaceRoot::kOffset);
  kernel.reg(space + regs::SpaceRoot::kOffset) = 0;
  EXPECT_EQ(kernel.table.DxgkDdiSetPowerState(kernel.adapter, 0, PowerDeviceD0, PowerActionNone), STATUS_SUCCESS);
  EXPECT_EQ(kernel.Reg<regs::Ctrl>().enable(), 1u);
  EXPECT_EQ(kernel.Reg<regs::RingCtrl>(kRing).enable(), 1u);
  EXPECT_EQ(kernel.vram.size(), 4096u);
  EXPECT_EQ(kernel.reg(space + regs::SpaceRoot::kOffset), before);
}

TEST(Adapter, ExclusiveAccessSwitchesOffAllThatCouldTouchMemory) {
  StartedDriver driver;
  FakeKernel& kernel = driver.kernel;
  kernel.vram[kernel.Reg<regs::ApertureBase>().offset()] = 0x1234;
  DXGKARG_BEGINEXCLUSIVEACCESS begin{};
  DXGKARG_ENDEXCLUSIVEACCESS end{};
  EXPECT_EQ(kernel.table.DxgkDdiBeginExclusiveAccess(kernel.adapter, &begin), STATUS_SUCCESS);
  EXPECT_EQ(kernel.Reg<regs::Ctrl>().enable() + kernel.Reg<regs::IntEnable>().enable(), 0u);
  EXPECT_FALSE(kernel.table.DxgkDdiInterruptRoutine(kernel.adapter, 0));
  EXPECT_EQ(kernel.table.DxgkDdiEndExclusiveAccess(kernel.adapter, &end), STATUS_SUCCESS);
  EXPECT_EQ(kernel.vram.at(kernel.Reg<regs::ApertureBase>().offset()), 0x1234u) << "what the aperture shows is kept";
  EXPECT_EQ(kernel.Reg<regs::AperturePages>().pages(), 4096u);
  EXPECT_EQ(kernel.Reg<regs::Ctrl>().enable(), 1u);
}

TEST(Adapter, ExclusiveAccessIsRefusedWhileTheRingHasWork) {
  StartedDriver driver;
  FakeKernel& kernel = driver.kernel;
  DXGKARG_SUBMITCOMMANDVIRTUAL submit{};
  submit.hContext = driver.system_context;
  submit.SubmissionFenceId = 7;
  submit.DmaBufferVirtualAddress = 0x1000;
  submit.DmaBufferSize = 8;
  submit.Flags.Paging = 1;
  ASSERT_EQ(kernel.table.DxgkDdiSubmitCommandVirtual(kernel.adapter, &submit), STATUS_SUCCESS);
  DXGKARG_BEGINEXCLUSIVEACCESS begin{};
  EXPECT_EQ(kernel.table.DxgkDdiBeginExclusiveAccess(kernel.adapter, &begin), STATUS_DEVICE_NOT_READY);
  EXPECT_EQ(kernel.Reg<regs::RingCtrl>(kRing).enable(), 1u) << "what stands in the ring is not lost";
  EXPECT_EQ(kernel.Reg<regs::Ctrl>().enable(), 1u);
  EXPECT_EQ(kernel.Reg<regs::IntEnable>().enable(), 15u);
}

TEST(Adapter, ACauseThatComesInExclusiveAccessIsNotForgotten) {
  StartedDriver driver;
  FakeKernel& kernel = driver.kernel;
  DXGKARG_BEGINEXCLUSIVEACCESS begin{};
  DXGKARG_ENDEXCLUSIVEACCESS end{};
  ASSERT_EQ(kernel.table.DxgkDdiBeginExclusiveAccess(kernel.adapter, &begin), STATUS_SUCCESS);
  kernel.reg(regs::IntStatus::kOffset) |= regs::IntStatus{}.set_fence(1).raw;
  ASSERT_EQ(kernel.table.DxgkDdiEndExclusiveAccess(kernel.adapter, &end), STATUS_SUCCESS);
  EXPECT_TRUE(kernel.Reg<regs::IntStatus>().fence()) << "a cause is cleared unseen";
  EXPECT_TRUE(kernel.table.DxgkDdiInterruptRoutine(kernel.adapter, 0));
  EXPECT_EQ(kernel.dpcs, 1);
}

}  // namespace
}  // namespace gmmu::kmd::test
