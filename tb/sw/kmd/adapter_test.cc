// SPDX-License-Identifier: Apache-2.0
#include "kmd/adapter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tb/sw/kmd/fake_kernel.h"
#include "kmd/escape.h"

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

TEST(Adapter, DrivesNoDisplay) {
  FakeKernel kernel;
  ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
  for (const PVOID entry : {kernel.table.DxgkDdiIsSupportedVidPn, kernel.table.DxgkDdiEnumVidPnCofuncModality,
                            kernel.table.DxgkDdiCommitVidPn, kernel.table.DxgkDdiSetVidPnSourceAddress,
                            kernel.table.DxgkDdiUpdateActiveVidPnPresentPath}) {
    EXPECT_EQ(entry, nullptr);
  }
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
  EXPECT_EQ(kernel.Reg<regs::WindowBase>().offset(), 0u)
      << "the window is back where the segment begins";
  regs::ApertureEntryEntry first;
  first.raw = kernel.vram.at(table);
  EXPECT_TRUE(first.valid());
  EXPECT_NE(kernel.SystemMemory(first.page() << 12), nullptr);
  for (uint64_t page = 0; page < 512; ++page)
    ASSERT_EQ(kernel.vram.at(table + page * 8), first.raw);
}

TEST(Adapter, EveryFailingMemoryCallIsUndone) {
  for (int call = 0; call < 12; ++call) {
    FakeKernel kernel;
    kernel.fail_at_memory_call = call;
    ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
    EXPECT_EQ(kernel.Start(), STATUS_INSUFFICIENT_RESOURCES) << call;
    EXPECT_EQ(kernel.objects + kernel.adls + kernel.views + kernel.bars, 0) << call;
    EXPECT_FALSE(kernel.Reg<regs::Ctrl>().enable());
    kernel.Unload();
    EXPECT_EQ(kernel.pool_blocks, 0);
  }
}

TEST(Adapter, RefusesAnotherDevice) {
  FakeKernel kernel;
  ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
  kernel.reg(regs::Id::kOffset) = ~uint64_t{0};  // nobody answers
  EXPECT_EQ(kernel.Start(), STATUS_NO_SUCH_DEVICE);
  EXPECT_TRUE(kernel.writes.empty());
  kernel.Unload();
}

TEST(Adapter, RefusesCapabilitiesThatNoGmmuHas) {
  for (const auto built : {regs::Cap0{}.set_clients(0).set_spaces(4).set_rings(1),
                           regs::Cap0{}.set_clients(65).set_spaces(4).set_rings(1),
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
  kernel.Unload();
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

  EXPECT_EQ(kernel.table.DxgkDdiSetPowerState(kernel.adapter, 0, PowerDeviceD3, PowerActionSleep),
            STATUS_SUCCESS);
  EXPECT_EQ(kernel.Reg<regs::Ctrl>().enable(), 0u);
  kernel.vram.clear();
  const uint32_t space = regs::kSpaceBase + regs::kSpaceStride;  // the second process's
  const uint64_t before = kernel.reg(space + regs::SpaceRoot::kOffset);
  kernel.reg(space + regs::SpaceRoot::kOffset) = 0;
  EXPECT_EQ(kernel.table.DxgkDdiSetPowerState(kernel.adapter, 0, PowerDeviceD0, PowerActionNone),
            STATUS_SUCCESS);
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
  EXPECT_EQ(kernel.vram.at(kernel.Reg<regs::ApertureBase>().offset()), 0x1234u)
      << "what the aperture shows is kept";
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
  kernel.writes.clear();
  ASSERT_EQ(kernel.table.DxgkDdiEndExclusiveAccess(kernel.adapter, &end), STATUS_SUCCESS);
  for (const auto& write : kernel.writes)
    EXPECT_FALSE(!write.window && write.offset == regs::IntStatus::kOffset) << "a cause is cleared unseen";
}

TEST(Spaces, AreHandedOutFlushedAndGivenBackWithTheLastContext) {
  StartedDriver driver;  // holds 2 of 4
  FakeKernel& kernel = driver.kernel;
  std::vector<HANDLE> processes, devices, contexts;
  for (int i = 0; i < 2; ++i) {
    processes.push_back(driver.CreateProcess(false));
    devices.push_back(driver.CreateDevice(processes.back()));
    kernel.writes.clear();
    contexts.push_back(driver.CreateContext(devices.back(), false));
    ASSERT_EQ(kernel.writes.size(), 1u);
    EXPECT_EQ(kernel.writes[0].offset, regs::InvCmd::kOffset);
    EXPECT_EQ(kernel.writes[0].value,
              regs::InvCmd{}.set_scope(regs::Scope::kSpace).set_space(2u + i).raw);
  }
  processes.push_back(driver.CreateProcess(false));
  devices.push_back(driver.CreateDevice(processes.back()));
  NTSTATUS status = STATUS_SUCCESS;
  driver.CreateContext(devices.back(), false, &status);
  EXPECT_EQ(status, STATUS_INSUFFICIENT_RESOURCES);

  DXGKARG_SETROOTPAGETABLE root{contexts[0], {kVramSegment, 0, 0x40000}, 512};
  kernel.table.DxgkDdiSetRootPageTable(kernel.adapter, &root);
  const uint32_t space2 = regs::kSpaceBase + 2 * regs::kSpaceStride;
  EXPECT_TRUE(kernel.Reg<regs::SpaceRoot>(space2).enable());
  kernel.table.DxgkDdiDestroyContext(contexts[0]);
  EXPECT_FALSE(kernel.Reg<regs::SpaceRoot>(space2).enable());
  contexts[0] = driver.CreateContext(devices.back(), false);  // now there is one

  for (HANDLE handle : contexts) kernel.table.DxgkDdiDestroyContext(handle);
  for (HANDLE handle : devices) kernel.table.DxgkDdiDestroyDevice(handle);
  for (HANDLE handle : processes) kernel.table.DxgkDdiDestroyProcess(kernel.adapter, handle);
}

TEST(Spaces, RootGoesToTheSpaceOfTheContextsProcessAndOnlyAChangeIsWritten) {
  StartedDriver driver({{"PageTableLevels", 3},
                        {"PageTableBits0", 13},
                        {"PageTableBits1", 11},
                        {"PageTableBits2", 3}});
  FakeKernel& kernel = driver.kernel;
  DXGKARG_SETROOTPAGETABLE root{driver.context, {kVramSegment, 0, 0x123000}, 8};
  kernel.table.DxgkDdiSetRootPageTable(kernel.adapter, &root);
  ASSERT_EQ(kernel.writes.size(), 2u);
  const uint32_t space = regs::kSpaceBase + regs::kSpaceStride;
  EXPECT_EQ(kernel.writes[0].offset, space + regs::SpaceGeometry::kOffset);
  EXPECT_EQ(kernel.writes[1].offset, space + regs::SpaceRoot::kOffset) << "root last: it commits";
  const auto geometry = kernel.Reg<regs::SpaceGeometry>(space);
  EXPECT_EQ(geometry.levels(), 3u);
  EXPECT_EQ(geometry.bits0(), 13u);
  EXPECT_EQ(geometry.bits1(), 11u);
  EXPECT_EQ(geometry.bits2(), 3u);
  EXPECT_EQ(geometry.root_entries(), 8u);
  const auto written = kernel.Reg<regs::SpaceRoot>(space);
  EXPECT_EQ(written.address(), 0x123000u);
  EXPECT_EQ(written.target(), regs::Target::kVram);

  kernel.writes.clear();
  kernel.table.DxgkDdiSetRootPageTable(kernel.adapter, &root);
  EXPECT_TRUE(kernel.writes.empty());
  root.NumEntries = 4;
  kernel.table.DxgkDdiSetRootPageTable(kernel.adapter, &root);
  EXPECT_EQ(kernel.writes.size(), 2u);
}

TEST(Spaces, RefusesARootTheHardwareCannotHave) {
  StartedDriver driver;
  FakeKernel& kernel = driver.kernel;
  const DXGKARG_SETROOTPAGETABLE bad[] = {{driver.context, {kApertureSegment, 0, 0}, 512},
                                          {driver.context, {7, 0, 0}, 512},
                                          {driver.context, {kVramSegment, 0, 0x800}, 512},
                                          {driver.context, {kVramSegment, 0, 0}, 513}};
  for (const auto& root : bad) kernel.table.DxgkDdiSetRootPageTable(kernel.adapter, &root);
  EXPECT_TRUE(kernel.writes.empty());
}

TEST(Spaces, ASpaceThatNeverBecomesQuietIsNotHandedOut) {
  StartedDriver driver;
  FakeKernel& kernel = driver.kernel;
  const HANDLE process = driver.CreateProcess(false);
  const HANDLE device = driver.CreateDevice(process);
  kernel.reg(regs::InvStatus::kOffset) = 1;
  NTSTATUS status = STATUS_SUCCESS;
  driver.CreateContext(device, false, &status);
  EXPECT_EQ(status, STATUS_IO_TIMEOUT);
  kernel.reg(regs::InvStatus::kOffset) = 0;
  kernel.table.DxgkDdiDestroyDevice(device);
  kernel.table.DxgkDdiDestroyProcess(kernel.adapter, process);
}

TEST(Allocations, TellTheirPlacesAndSurviveABadOneInTheMiddle) {
  StartedDriver driver;
  FakeKernel& kernel = driver.kernel;
  AllocationData wanted[2];
  wanted[0].bytes = 5000;
  wanted[1].bytes = 4096;
  wanted[1].accessed_physically = wanted[1].system_only = 1;
  DXGK_ALLOCATIONINFO infos[2]{};
  for (int i = 0; i < 2; ++i) {
    infos[i].pPrivateDriverData = &wanted[i];
    infos[i].PrivateDriverDataSize = sizeof wanted[i];
  }
  DXGKARG_CREATEALLOCATION args{};
  args.NumAllocations = 2;
  args.pAllocationInfo = infos;
  ASSERT_EQ(kernel.table.DxgkDdiCreateAllocation(kernel.adapter, &args), STATUS_SUCCESS);
  EXPECT_EQ(infos[0].Size, 8192u);
  EXPECT_EQ(infos[0].SupportedWriteSegmentSet, 3u);
  EXPECT_EQ(infos[0].PreferredSegment.SegmentId0, kVramSegment);
  EXPECT_FALSE(infos[0].FlagsWddm2.AccessedPhysically);
  EXPECT_EQ(infos[1].SupportedWriteSegmentSet, 1u);
  EXPECT_TRUE(infos[1].FlagsWddm2.AccessedPhysically);
  for (const DXGK_ALLOCATIONINFO& info : infos) {  // flags that change nothing here are not set, but Cached
    EXPECT_TRUE(info.FlagsWddm2.Cached);
    EXPECT_FALSE(info.FlagsWddm2.PermanentSysMem || info.FlagsWddm2.ExistingSysMem ||
                 info.FlagsWddm2.ExistingKernelSysMem || info.FlagsWddm2.DisableLargePageMapping ||
                 info.FlagsWddm2.CpuVisibleOnDemand || info.Flags2.ShareBackingStoreWithKmd);
  }
  EXPECT_EQ(infos[1].EvictionSegmentSet, 1u);
  const HANDLE handles[2] = {infos[0].hAllocation, infos[1].hAllocation};
  DXGKARG_DESTROYALLOCATION destroy{};
  destroy.NumAllocations = 2;
  destroy.pAllocationList = handles;
  EXPECT_EQ(kernel.table.DxgkDdiDestroyAllocation(kernel.adapter, &destroy), STATUS_SUCCESS);

  const int64_t before = kernel.pool_blocks;
  wanted[1].bytes = 0;
  EXPECT_EQ(kernel.table.DxgkDdiCreateAllocation(kernel.adapter, &args), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(kernel.pool_blocks, before);
}

}  // namespace
}  // namespace gmmu::kmd::test
