// SPDX-License-Identifier: Apache-2.0
// Operations that a driver gets when it asks for them: copies of entries, context allocations, notices of residency,
// swizzled locks, segments with a base, records in private data. Documents only, unless a comment says otherwise.
#include <cstring>

#include "tb/sw/kmd/build/build_bench.h"
#include "kmd/escape.h"
#include "kmd/objects.h"
#include "kmd/paging_record.h"

namespace gmmu::kmd::test {
namespace {

using regs::Target;
using testing::ElementsAre;
using testing::IsEmpty;

class CopyTest : public BuildTest {
 protected:
  CopyTest() : BuildTest({{"ContiguousPages", 0}}) {}

  using Range = DXGK_BUILDPAGINGBUFFER_COPY_RANGE;
  static constexpr uint64_t kTable = 0x2000000;
  static DXGKARG_BUILDPAGINGBUFFER Copy(const std::vector<Range>& ranges) {
    DXGKARG_BUILDPAGINGBUFFER args{};
    args.Operation = DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES;
    args.CopyPageTableEntries.NumRanges = static_cast<UINT>(ranges.size());
    args.CopyPageTableEntries.pRanges = ranges.data();
    return args;
  }
  /// Runs the copies of the commands on `entries` at kTable, each command reading all before it writes, and fails
  /// when a command overlaps itself or does not wait.
  void Apply(const DXGKARG_BUILDPAGINGBUFFER& operation, UINT bytes, std::vector<uint64_t>* entries) {
    DXGKARG_BUILDPAGINGBUFFER args = operation;
    args.hSystemContext = driver.system_context;
    for (int pass = 0; pass < 10000; ++pass) {
      std::vector<uint64_t> buffer(bytes / 8, kGuard);
      args.pDmaBuffer = buffer.data();
      args.DmaSize = bytes;
      const NTSTATUS status = driver.kernel.table.DxgkDdiBuildPagingBuffer(driver.kernel.adapter, &args);
      const size_t words = (bytes - args.DmaSize) / 8;
      for (size_t at = 0; at < words; at += 4) {
        regs::CommandHeaderWord header;
        header.raw = buffer[at];
        ASSERT_EQ(header.opcode(), regs::Opcode::kCopy);
        EXPECT_TRUE(header.wait_writes()) << "what an earlier piece wrote may be read";
        EXPECT_EQ(header.src_space(), kSystemSpace);
        EXPECT_EQ(header.dst_space(), kSystemSpace);
        EXPECT_FALSE(header.src_physical() || header.dst_physical());
        const uint64_t from = (buffer[at + 1] - kTable) / 8, to = (buffer[at + 2] - kTable) / 8,
                       count = buffer[at + 3] / 8;
        ASSERT_LE(std::max(from, to) + count, entries->size());
        EXPECT_TRUE(from + count <= to || to + count <= from) << "a command overlaps itself";
        for (uint64_t i = 0; i < count; ++i) (*entries)[to + i] = (*entries)[from + i];
        ++commands_;
      }
      if (status == STATUS_SUCCESS) return;
      ASSERT_EQ(status, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
      ASSERT_NE(words, 0u) << "no progress";
    }
    FAIL() << "never ends";
  }
  static std::vector<uint64_t> Numbered(size_t count) {
    std::vector<uint64_t> entries(count);
    for (size_t i = 0; i < count; ++i) entries[i] = i + 1;
    return entries;
  }
  unsigned commands_ = 0;
};

TEST_F(CopyTest, EntriesThatDoNotOverlapAreOneCommandOfThePrivilegedSpace) {
  auto entries = Numbered(1024);
  const std::vector<Range> ranges = {{300, kTable, kTable + 0x1000, 7, 100}};
  Apply(Copy(ranges), 4096, &entries);
  EXPECT_EQ(commands_, 1u);
  for (uint64_t i = 0; i < 300; ++i) EXPECT_EQ(entries[512 + 100 + i], 7 + i + 1);
  EXPECT_EQ(entries[511], 512u);
  EXPECT_EQ(entries[612 + 300], 913u);
}

TEST_F(CopyTest, OverlappingEntriesMoveAsMemmoveInBothDirectionsWhateverTheRoom) {
  for (const UINT bytes : {32u, 40u, 100u, 4096u}) {
    for (const auto& [from, to, count] : std::vector<std::array<UINT, 3>>{
             {0, 3, 100}, {3, 0, 100}, {10, 11, 40}, {11, 10, 40}, {5, 5, 20}, {0, 100, 100},
             {100, 0, 101}, {0, 1, 1}}) {
      auto entries = Numbered(256);
      auto expected = entries;
      std::memmove(&expected[to], &entries[from], count * 8);
      Apply(Copy({{count, kTable, kTable, from, to}}), bytes, &entries);
      EXPECT_EQ(entries, expected) << from << " to " << to << ", " << count << " entries, " << bytes << " bytes";
    }
  }
}

TEST_F(CopyTest, RangesAreCopiedInTheirOrder) {
  for (const UINT bytes : {32u, 4096u}) {
    auto entries = Numbered(64);
    Apply(Copy({{4, kTable, kTable, 0, 8},
                {4, kTable, kTable, 8, 16},
                {0, kTable, kTable, 1, 2},
                {2, kTable, kTable, 30, 0}}),
          bytes, &entries);
    EXPECT_THAT(std::vector<uint64_t>(entries.begin() + 16, entries.begin() + 20), ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(entries[0], 31u);
  }
}

TEST_F(CopyTest, ACompanionContextOfAProcessCopiesInThePrivilegedSpaceToo) {
  const HANDLE companion = driver.CreateContext(driver.device, true);
  const std::vector<Range> ranges = {{1, kTable, kTable, 0, 1}};
  DXGKARG_BUILDPAGINGBUFFER args = Copy(ranges);
  std::vector<uint64_t> buffer(8);
  args.hSystemContext = companion;
  args.pDmaBuffer = buffer.data();
  args.DmaSize = 64;
  ASSERT_EQ(driver.kernel.table.DxgkDdiBuildPagingBuffer(driver.kernel.adapter, &args), STATUS_SUCCESS);
  regs::CommandHeaderWord header;
  header.raw = buffer[0];
  EXPECT_EQ(header.src_space(), kSystemSpace);
  driver.kernel.table.DxgkDdiDestroyContext(companion);
}

// A copied entry would carry its contiguous bit to where it is not true.
TEST_F(BuildTest, CopiesOfEntriesAreNotSupportedWhileBlocksAreMarkedAsContiguous) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES;
  EXPECT_EQ(Refused(args), STATUS_NOT_SUPPORTED);
}

TEST_F(BuildTest, SpecialLockTransferMovesAsTransferDoesFromTheFirstPageOfTheMdl) {
  Mdl mdl({0x100, 0x101, 0x200});
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_SPECIAL_LOCK_TRANSFER;
  auto& op = args.SpecialLockTransfer;
  op.TransferSize = 3 * PAGE_SIZE;
  op.Source.SegmentId = kVramSegment;
  op.Source.SegmentAddress.QuadPart = 0x10000;
  op.Destination.pMdl = mdl.get();
  op.SwizzlingRangeId = 3;
  const auto system = [](uint64_t a) { return CommandModel::Physical(Target::kSystem, a); };
  EXPECT_THAT(Built(args).copies, ElementsAre(CommandModel::Copy{Table(0x10000), system(0x100000), 2 * PAGE_SIZE},
                                              CommandModel::Copy{Table(0x12000), system(0x200000), PAGE_SIZE}));
}

class BaseTest : public BuildTest {
 protected:
  BaseTest() : BuildTest({{"VramBase", 0x40000000}, {"ApertureBase", 0x8000000}}) {}
};

TEST_F(BaseTest, SegmentAddressesHaveTheBaseAddressAddedAndOffsetsDoNot) {
  DXGK_SEGMENTDESCRIPTOR4 descriptors[2] = {};
  DXGK_QUERYSEGMENTOUT4 out{};
  out.NbSegment = 2;
  out.pSegmentDescriptor = reinterpret_cast<BYTE*>(descriptors);
  out.SegmentDescriptorStride = sizeof descriptors[0];
  ASSERT_EQ(driver.kernel.Query(DXGKQAITYPE_QUERYSEGMENT4, &out), STATUS_SUCCESS);
  EXPECT_EQ(descriptors[0].BaseAddress.QuadPart, 0x8000000);
  EXPECT_EQ(descriptors[1].BaseAddress.QuadPart, 0x40000000);

  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_TRANSFER;
  args.Transfer.TransferOffset = 0x1000;
  args.Transfer.TransferSize = PAGE_SIZE;
  args.Transfer.Source.SegmentId = kApertureSegment;
  args.Transfer.Source.SegmentAddress.QuadPart = 0x8002000;
  args.Transfer.Destination.SegmentId = kVramSegment;
  args.Transfer.Destination.SegmentAddress.QuadPart = 0x40005000;
  EXPECT_THAT(Built(args).copies, ElementsAre(CommandModel::Copy{CommandModel::Physical(Target::kAperture, 0x3000),
                                                                 Table(0x6000), PAGE_SIZE}));
  args.Transfer.Destination.SegmentAddress.QuadPart = 0x5000;
  EXPECT_EQ(Refused(args), STATUS_INVALID_PARAMETER) << "below the segment";

  args = {};
  args.Operation = DXGK_OPERATION_FILL;
  args.Fill.FillSize = PAGE_SIZE;
  args.Fill.Destination.SegmentId = kVramSegment;
  args.Fill.Destination.SegmentAddress.QuadPart = 0x40009000;
  EXPECT_EQ(Built(args).fills.at(0).destination, Table(0x9000));

  std::vector<DXGK_PTE> ptes = {Leaf(0x77)};  // tables and pages are offsets
  EXPECT_EQ(Built(Update(ptes, 0, 0x40000, 0)).tables.at(Table(0x40000)), Entry(0x77));
}

// Not settled: one byte in a field of 32 bits, or 32 bits (the default).
class ByteFill : public BuildTest {
 protected:
  ByteFill() : BuildTest({{"FillByByte", 1}}) {}
};
TEST_F(ByteFill, TheLowByteOfThePatternIsRepeated) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_VIRTUAL_FILL;
  args.FillVirtual.FillSizeInBytes = 0x1000;
  args.FillVirtual.FillPattern = 0xA1B2C3D4;
  EXPECT_EQ(Built(args).fills.at(0).pattern, 0xD4D4D4D4u);
  args = {};
  args.Operation = DXGK_OPERATION_FILL;
  args.Fill.FillSize = 0x1000;
  args.Fill.FillPattern = 0x55;
  args.Fill.Destination.SegmentId = kVramSegment;
  EXPECT_EQ(Built(args).fills.at(0).pattern, 0x55555555u);
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

/// An allocation that wants to be told where it is.
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

// Video memory is lost with the reset; a notice that the GPU wrote on its way there is void.
TEST_F(BuildTest, AfterAnAdapterResetNothingIsResidentThoughTheGpuWroteUntilItStoodStill) {
  const Told told(driver);
  const auto model = Built(told.Notice(true));
  ASSERT_EQ(model.tables.size(), 1u);
  const uint64_t word = model.tables.begin()->second;
  uint64_t* record = driver.kernel.SystemMemory(std::get<3>(model.tables.begin()->first));
  ASSERT_NE(record, nullptr);
  driver.kernel.on_write = [=](const FakeKernel::Access& access) {
    if (access.offset == regs::Ctrl::kOffset) *record = word;  // the last thing before it is off
  };
  ASSERT_EQ(driver.kernel.table.DxgkDdiResetFromTimeout(driver.kernel.adapter), STATUS_SUCCESS);
  driver.kernel.on_write = nullptr;
  EXPECT_EQ(told.Query().resident, 0u);
  EXPECT_EQ(driver.kernel.table.DxgkDdiRestartFromTimeout(driver.kernel.adapter), STATUS_SUCCESS);
  EXPECT_EQ(told.Query().resident, 0u);
}

// Private data: a record for each operation, advanced as pDmaBuffer is.
class PrivateData : public BuildTest {
 protected:
  PrivateData() : BuildTest({{"PagingPrivateBytes", 64}}) {}
};

TEST_F(PrivateData, IsAdvancedByARecordForEachOperationAndHeldAgainstTheSubmission) {
  std::vector<uint64_t> buffer(64), records(8, kGuard);
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.hSystemContext = driver.system_context;
  args.pDmaBuffer = buffer.data();
  args.DmaSize = 512;
  args.pDmaBufferPrivateData = records.data();
  args.DmaBufferPrivateDataSize = 32;
  args.DmaBufferGpuVirtualAddress = 0x10000;
  const auto build = [&](DXGK_BUILDPAGINGBUFFER_OPERATION operation) {
    args.Operation = operation;
    args.DmaBufferWriteOffset = 512 - args.DmaSize;
    return driver.kernel.table.DxgkDdiBuildPagingBuffer(driver.kernel.adapter, &args);
  };
  EXPECT_EQ(build(DXGK_OPERATION_READ_PHYSICAL), STATUS_SUCCESS);
  EXPECT_EQ(build(DXGK_OPERATION_DISCARD_CONTENT), STATUS_SUCCESS) << "emits nothing, leaves no record";
  EXPECT_EQ(args.DmaBufferPrivateDataSize, 16u);
  EXPECT_EQ(build(DXGK_OPERATION_FLUSH_TLB), STATUS_SUCCESS);
  EXPECT_EQ(args.pDmaBufferPrivateData, records.data() + 4);
  EXPECT_EQ(records[4], kGuard) << "nothing behind";
  EXPECT_EQ(build(DXGK_OPERATION_READ_PHYSICAL), STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) << "no room for a record";

  DXGKARG_SUBMITCOMMANDVIRTUAL submit{};
  submit.hContext = driver.system_context;
  submit.DmaBufferSize = 512 - args.DmaSize;
  submit.pDmaBufferPrivateData = records.data();
  submit.DmaBufferPrivateDataSize = 32;
  submit.SubmissionFenceId = 1;
  submit.Flags.Paging = 1;
  EXPECT_EQ(driver.kernel.table.DxgkDdiSubmitCommandVirtual(driver.kernel.adapter, &submit), STATUS_SUCCESS);
  submit.DmaBufferSize += 8;
  EXPECT_EQ(driver.kernel.table.DxgkDdiSubmitCommandVirtual(driver.kernel.adapter, &submit), STATUS_INVALID_PARAMETER)
      << "bytes that no operation wrote";
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

// Context allocations and addresses of the driver's own, as far as the driver goes.

TEST(ContextMemory, IsMadeMappedAndWrittenBeforeTheContextIsThereAndUndoneWhenAnyOfItFails) {
  for (const int failing : {-1, 0, 1, 2}) {
    StartedDriver driver({{"ContextBytes", 8192}});
    driver.kernel.fail_at_context_call = failing < 0 ? -1 : driver.kernel.context_calls + failing;
    NTSTATUS status = STATUS_SUCCESS;
    const size_t before = driver.kernel.context_allocations.size();
    const HANDLE context = driver.CreateContext(driver.device, false, &status);
    if (failing < 0) {
      ASSERT_EQ(status, STATUS_SUCCESS);
      ASSERT_EQ(driver.kernel.context_allocations.size(), before + 1);
      const auto& made = driver.kernel.context_allocations.rbegin()->second;
      EXPECT_EQ(made.args.Size, 8192u);
      EXPECT_TRUE(made.args.ContextAllocationFlags.MapGpuVirtualAddress);
      EXPECT_FALSE(made.args.ContextAllocationFlags.SharedAcrossContexts);
      EXPECT_EQ(made.args.EvictionSegmentSet, SegmentBit(kApertureSegment));
      ASSERT_EQ(made.words.size(), 3u);
      EXPECT_EQ(made.words[0], ContextRecord::kMagic);
      EXPECT_EQ(made.words[2], made.va);
      driver.kernel.table.DxgkDdiDestroyContext(context);
    } else {
      EXPECT_NE(status, STATUS_SUCCESS);
    }
    EXPECT_EQ(driver.kernel.context_allocations.size(), before) << failing;
  }
}

TEST(ContextMemory, SharedAcrossContextsIsOneForADevice) {
  StartedDriver driver({{"ContextBytes", 4096}, {"ContextShared", 1}});
  ASSERT_EQ(driver.kernel.context_allocations.size(), 1u) << "the fixture's context";
  const auto& made = driver.kernel.context_allocations.begin()->second.args;
  EXPECT_TRUE(made.ContextAllocationFlags.SharedAcrossContexts);
  EXPECT_EQ(made.hContext, nullptr) << "it belongs to no context";
  const HANDLE second = driver.CreateContext(driver.device, false);
  EXPECT_EQ(driver.kernel.context_allocations.size(), 1u);
  driver.kernel.table.DxgkDdiDestroyContext(second);
  EXPECT_EQ(driver.kernel.context_allocations.size(), 1u) << "until the device goes";
}

TEST(DriverAddresses, AreReservedInCreateProcessInWholeLeafTables) {
  StartedDriver driver({{"DriverVaBytes", 5000}, {"DriverVaUser", 1}});
  ASSERT_EQ(driver.kernel.reserved.size(), 1u) << "not in the system's process";
  EXPECT_EQ(driver.kernel.reserved[0].SizeInBytes, uint64_t{2} << 20);
  EXPECT_EQ(driver.kernel.reserved[0].Alignment, 2u << 20);
  EXPECT_TRUE(driver.kernel.reserved[0].Flags.AllowUserModeMapping);
  driver.kernel.fail_at_context_call = driver.kernel.context_calls;
  DXGKARG_CREATEPROCESS args{};
  EXPECT_EQ(driver.kernel.table.DxgkDdiCreateProcess(driver.kernel.adapter, &args), STATUS_INSUFFICIENT_RESOURCES);
}

}  // namespace
}  // namespace gmmu::kmd::test
