// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "tb/sw/kmd/build/build_bench.h"
#include "kmd/build/entry_format.h"
#include "kmd/escape.h"
#include "kmd/objects.h"
#include "kmd/paging_record.h"
#include "kmd/segments.h"

namespace gmmu::kmd::test {
namespace {

TEST_F(BuildTest, SignalMonitoredFenceWritesTheValueAndInterrupts) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_SIGNAL_MONITORED_FENCE;
  args.SignalMonitoredFence = {0x10008, 0x123456789ABCDEF0};
  const auto model = Built(args);
  ASSERT_EQ(model.fences.size(), 1u);
  EXPECT_EQ(model.fences[0].destination, CommandModel::Virtual(kSystemSpace, 0x10008));
  EXPECT_EQ(model.fences[0].value, 0x123456789ABCDEF0u);
  EXPECT_TRUE(model.fences[0].interrupt);
  args.SignalMonitoredFence.MonitoredFenceGpuVa = 0x1000C;
  EXPECT_EQ(Refused(args), STATUS_INVALID_PARAMETER);
}

TEST_F(BuildTest, InitContextResourceFillsTheWholeAllocationByItsAddressInThePagingProcess) {
  Allocation allocation;
  allocation.bytes = 3 * kPage;
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_INIT_CONTEXT_RESOURCE;
  args.InitContextResource.hAllocation = &allocation;
  args.InitContextResource.Destination.SegmentId = kVramSegment;
  args.InitContextResource.Destination.SegmentAddress.QuadPart = 0x6000;
  auto model = Built(args);
  ASSERT_EQ(model.fills.size(), 1u);
  EXPECT_EQ(model.fills[0].destination, Table(0x6000)) << "no address in the paging process";
  args.InitContextResource.Destination.GpuVirtualAddress = 0x2430000;
  model = Built(args);
  EXPECT_EQ(model.fills[0].destination, CommandModel::Virtual(kSystemSpace, 0x2430000));
  EXPECT_EQ(model.fills[0].bytes, 3 * kPage);
  EXPECT_EQ(model.fills[0].pattern, 0u);
  args.InitContextResource.hAllocation = nullptr;
  EXPECT_EQ(Refused(args), STATUS_INVALID_PARAMETER);
}

TEST_F(BuildTest, UpdateContextAllocationWritesThePrivateDataInAsManyPassesAsItTakes) {
  std::vector<uint64_t> data;
  for (uint64_t i = 0; i < 100; ++i) data.push_back(i * 0x0101010101010101);
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION;
  args.UpdateContextAllocation = {0x2430000, 4096, data.data(), 800};
  for (const UINT bytes : {24u, 100u, 65536u}) {
    CommandModel model;
    EXPECT_EQ(Build(args, bytes, &model), STATUS_SUCCESS);
    ASSERT_EQ(model.tables.size(), 100u);
    for (uint64_t i = 0; i < 100; ++i)
      EXPECT_EQ(model.tables.at(CommandModel::Virtual(kSystemSpace, 0x2430000 + i * 8)), data[i]);
  }
  args.UpdateContextAllocation.DriverPrivateDataSize = 12;
  EXPECT_EQ(Refused(args), STATUS_INVALID_PARAMETER);
  args.UpdateContextAllocation.DriverPrivateDataSize = 8192;
  EXPECT_EQ(Refused(args), STATUS_INVALID_PARAMETER) << "more than the allocation holds";
}

/// An allocation that requests explicit residency notification.
struct Told {
  explicit Told(StartedDriver& driver) : kernel(driver.kernel) {
    AllocationData data;
    data.bytes = kPage;
    data.accessed_physically = data.explicit_residency = 1;
    info.pPrivateDriverData = &data;
    info.PrivateDriverDataSize = sizeof data;
    DXGKARG_CREATEALLOCATION create{};
    create.NumAllocations = 1;
    create.pAllocationInfo = &info;
    EXPECT_EQ(kernel.table.DxgkDdiCreateAllocation(kernel.adapter, &create), STATUS_SUCCESS);
  }
  ~Told() {
    DXGKARG_DESTROYALLOCATION destroy{};
    destroy.NumAllocations = 1;
    destroy.pAllocationList = &info.hAllocation;
    kernel.table.DxgkDdiDestroyAllocation(kernel.adapter, &destroy);
  }
  DXGKARG_BUILDPAGINGBUFFER Notice(bool resident) const {
    DXGKARG_BUILDPAGINGBUFFER args{};
    args.Operation = DXGK_OPERATION_NOTIFY_RESIDENCY;
    args.NotifyResidency.hAllocation = info.hAllocation;
    if (resident) args.NotifyResidency.PhysicalAddress = {kVramSegment, 0, 0x7000};
    args.NotifyResidency.Resident = resident;
    return args;
  }
  EscapeQueryResidency Query() const {
    EscapeQueryResidency query;
    query.allocation = reinterpret_cast<uint64_t>(info.hAllocation);
    DXGKARG_ESCAPE escape{};
    escape.pPrivateDriverData = &query;
    escape.PrivateDriverDataSize = sizeof query;
    EXPECT_EQ(kernel.table.DxgkDdiEscape(kernel.adapter, &escape), STATUS_SUCCESS);
    return query;
  }

  FakeKernel& kernel;
  DXGK_ALLOCATIONINFO info{};
};

TEST_F(BuildTest, NotifyResidencyWritesTheAddressInStreamOrderForWhoAskedForIt) {
  const Told told(driver);
  EXPECT_TRUE(told.info.FlagsWddm2.ExplicitResidencyNotification && told.info.FlagsWddm2.AccessedPhysically);
  const auto model = Built(told.Notice(true));
  ASSERT_EQ(model.tables.size(), 1u);
  const auto [where, word] = *model.tables.begin();
  EXPECT_EQ(word, 0x7000u | kVramSegment << 1 | 1);
  EXPECT_TRUE(model.headers[0].wait_writes()) << "behind the fill or the transfer";
  uint64_t* record = driver.kernel.SystemMemory(std::get<3>(where));
  ASSERT_NE(record, nullptr) << "the driver's own memory";
  EXPECT_EQ(*record, 0u) << "not before the GPU gets there";
  *record = word;
  const EscapeQueryResidency query = told.Query();
  EXPECT_EQ(query.resident, 1u);
  EXPECT_EQ(query.segment, kVramSegment);
  EXPECT_EQ(query.address, 0x7000u);
  EXPECT_EQ(Built(told.Notice(false)).tables.begin()->second, 0u);
}

// An adapter reset loses video memory, so a residency notice that the GPU wrote just before the
// reset is no longer valid.
TEST_F(BuildTest, AfterAnAdapterResetNothingIsResidentThoughTheGpuWroteUntilItStoodStill) {
  const Told told(driver);
  const auto model = Built(told.Notice(true));
  ASSERT_EQ(model.tables.size(), 1u);
  const uint64_t word = model.tables.begin()->second;
  uint64_t* record = driver.kernel.SystemMemory(std::get<3>(model.tables.begin()->first));
  ASSERT_NE(record, nullptr);
  unsigned written = 0;
  driver.kernel.on_write = [&, word](const FakeKernel::Access& access) {
    if (access.offset != regs::Ctrl::kOffset) return;
    *record = word;  // the GPU's final write before it is switched off
    ++written;
  };
  ASSERT_EQ(driver.kernel.table.DxgkDdiResetFromTimeout(driver.kernel.adapter), STATUS_SUCCESS);
  driver.kernel.on_write = nullptr;
  EXPECT_NE(written, 0u) << "no notice came on its way";
  EXPECT_EQ(told.Query().resident, 0u);
  EXPECT_EQ(driver.kernel.table.DxgkDdiRestartFromTimeout(driver.kernel.adapter), STATUS_SUCCESS);
  EXPECT_EQ(told.Query().resident, 0u);
}

TEST_F(BuildTest, SignalMonitoredFenceOfAContextIsAddedBehindWhatTheSystemBuilt) {
  std::vector<uint64_t> buffer(8, kGuard);
  DXGKARG_SIGNALMONITOREDFENCE args{};
  args.KernelSubmissionType = DXGK_KERNEL_SUBMISSION_PRESENTBLT;
  args.pDmaBuffer = buffer.data();
  args.DmaSize = 64;
  args.MonitoredFenceGpuVa = 0x30008;
  args.MonitoredFenceValue = uint64_t{5} << 32 | 1;
  ASSERT_EQ(driver.kernel.table.DxgkDdiSignalMonitoredFence(driver.context, &args), STATUS_SUCCESS);
  EXPECT_EQ(args.DmaSize, 40u);
  CommandModel model;
  model.Run(buffer.data(), 24);
  ASSERT_EQ(model.fences.size(), 1u);
  EXPECT_EQ(model.fences[0].destination, CommandModel::Virtual(kProcessSpace, 0x30008));
  EXPECT_EQ(model.fences[0].value, uint64_t{5} << 32 | 1);
  EXPECT_TRUE(model.fences[0].interrupt);
  args.DmaSize = 16;
  EXPECT_EQ(driver.kernel.table.DxgkDdiSignalMonitoredFence(driver.context, &args),
            STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
}

class NarrowFence : public BuildTest {
 protected:
  NarrowFence() : BuildTest({{"No64BitAtomics", 1}}) {}
};
TEST_F(NarrowFence, No64BitAtomicsWritesTheLowHalf) {
  DXGK_DRIVERCAPS caps{};
  ASSERT_EQ(driver.kernel.Query(DXGKQAITYPE_DRIVERCAPS, &caps), STATUS_SUCCESS);
  EXPECT_TRUE(caps.SchedulingCaps.No64BitAtomics);
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_SIGNAL_MONITORED_FENCE;
  args.SignalMonitoredFence = {0x10008, uint64_t{7} << 32 | 9};
  EXPECT_EQ(Built(args).fences.at(0).value, 9u);
}

}  // namespace
}  // namespace gmmu::kmd::test
