// SPDX-License-Identifier: Apache-2.0
// Tests submission, interrupts, reset and escape calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kmd/escape.h"
#include "kmd/paging_record.h"
#include "kmd/ring.h"
#include "kmd/segments.h"
#include "tb/sw/kmd/submit_bench.h"

namespace gmmu::kmd::test {
namespace {

using testing::IsEmpty;

TEST_F(SubmitTest, EmptySubmissionsOnlySignalTheirFence) {
  constexpr UINT kNullRendering = 1 | 8, kContextSwitch = 1 | 64;
  EXPECT_EQ(Submit(1, 0x5000, 64, kNullRendering), STATUS_SUCCESS);
  EXPECT_EQ(Submit(2, 0, 0, kContextSwitch), STATUS_SUCCESS);
  for (uint32_t i = 0; i < 2; ++i) {
    regs::RingEntryShape shape;
    shape.raw = RingEntry(i)[1];
    EXPECT_EQ(shape.bytes(), 0u);
  }
}

TEST_F(SubmitTest, RefusesWhatMustNotReachThePrivilegedRing) {
  EXPECT_EQ(Submit(1, 0x5000, 64, 0), STATUS_INVALID_PARAMETER) << "not a paging buffer";
  EXPECT_EQ(Submit(1, 0x5004), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Submit(1, 0x5000, 60), STATUS_INVALID_PARAMETER);
  EXPECT_THAT(kernel().writes, IsEmpty());
}

TEST_F(SubmitTest, PhysicalSubmissionRunsTheGivenPieceOfTheBuffer) {
  DXGKARG_SUBMITCOMMAND args{};
  args.hContext = driver.system_context;
  args.DmaBufferPhysicalAddress.QuadPart = 0x8000;
  args.DmaBufferSize = 4096;
  args.DmaBufferSubmissionStartOffset = 0x140;
  args.DmaBufferSubmissionEndOffset = 0x640;
  args.SubmissionFenceId = 3;
  args.Flags.Paging = 1;
  ASSERT_EQ(kernel().table.DxgkDdiSubmitCommand(kernel().adapter, &args), STATUS_SUCCESS);
  EXPECT_EQ(RingEntry(0)[0], 0x8140u);
  EXPECT_EQ(RingEntry(0)[1] & 0xffffffff, 0x500u);
  args.DmaBufferSegmentId = kApertureSegment;
  EXPECT_EQ(kernel().table.DxgkDdiSubmitCommand(kernel().adapter, &args), STATUS_INVALID_PARAMETER);
}

// A companion is a system context on a client's device. Its operations and its buffer are in the
// paging process's space.
TEST(PagingBuffersByVirtualAddress, AreFoundInTheSpaceOfThePagingProcessOnACompanionContextToo) {
  StartedDriver driver({{"PagingBufferSegment", kApertureSegment}});
  const HANDLE companion = driver.CreateContext(driver.device, true);
  uint32_t index = 0;
  for (const HANDLE context : {driver.system_context, companion}) {
    DXGKARG_SUBMITCOMMANDVIRTUAL args{};
    args.hContext = context;
    args.DmaBufferVirtualAddress = 0x5000;
    args.DmaBufferSize = 64;
    args.SubmissionFenceId = index + 1;
    args.Flags.Paging = 1;
    ASSERT_EQ(driver.kernel.table.DxgkDdiSubmitCommandVirtual(driver.kernel.adapter, &args), STATUS_SUCCESS);
    regs::RingEntryShape shape;
    shape.raw = driver.kernel.SystemMemory(driver.kernel.Reg<regs::RingBase>(kRing).address())[4 * index + 1];
    EXPECT_EQ(shape.bytes(), 64u);
    EXPECT_FALSE(shape.physical());
    EXPECT_EQ(shape.space(), 0u);
    ++index;
  }
  driver.kernel.table.DxgkDdiDestroyContext(companion);
}

/// A paging buffer with two operations, each of which has a record in the private data.
struct RecordedSubmission : testing::Test {
  RecordedSubmission() {
    DXGKARG_BUILDPAGINGBUFFER build{};
    build.Operation = DXGK_OPERATION_READ_PHYSICAL;
    build.hSystemContext = driver.system_context;
    build.pDmaBuffer = buffer.data();
    build.DmaSize = 512;
    build.pDmaBufferPrivateData = records.data();
    build.DmaBufferPrivateDataSize = static_cast<UINT>(records.size() * sizeof records[0]);
    build.DmaBufferGpuVirtualAddress = 0x10000;
    for (UINT& end : ends) {
      build.DmaBufferWriteOffset = 512 - build.DmaSize;
      EXPECT_EQ(driver.kernel.table.DxgkDdiBuildPagingBuffer(driver.kernel.adapter, &build), STATUS_SUCCESS);
      end = 512 - build.DmaSize;
    }
    args.hContext = driver.system_context;
    args.DmaBufferPhysicalAddress.QuadPart = 0x8000;
    args.DmaBufferSize = 512;
    args.DmaBufferSubmissionEndOffset = ends[1];
    args.pDmaBufferPrivateData = records.data();
    args.DmaBufferPrivateDataSize = 64;
    args.DmaBufferPrivateDataSubmissionEndOffset = 32;
    args.SubmissionFenceId = 1;
    args.Flags.Paging = 1;
    driver.kernel.writes.clear();
  }
  NTSTATUS Submit() { return driver.kernel.table.DxgkDdiSubmitCommand(driver.kernel.adapter, &args); }
  /// Returns the address and the number of bytes that a ring entry contains.
  std::pair<uint64_t, uint64_t> Entry(uint32_t index) {
    const uint64_t* ring = driver.kernel.SystemMemory(driver.kernel.Reg<regs::RingBase>(kRing).address());
    return {ring[4 * index], ring[4 * index + 1] & 0xffffffff};
  }

  StartedDriver driver{{{"PagingPrivateBytes", 64}}};
  std::vector<uint64_t> buffer = std::vector<uint64_t>(64);
  std::vector<PagingRecord> records = std::vector<PagingRecord>(4 + BufferStart::kMost);
  UINT ends[2] = {};  ///< offset after the last command of each operation
  DXGKARG_SUBMITCOMMAND args{};
};

TEST_F(RecordedSubmission, IsTakenWholeOrOperationByOperation) {
  EXPECT_EQ(Submit(), STATUS_SUCCESS);
  EXPECT_EQ(Entry(0), std::pair(uint64_t{0x8000}, uint64_t{ends[1]}));
  args.SubmissionFenceId = 2;
  args.DmaBufferSubmissionStartOffset = ends[0];
  args.DmaBufferPrivateDataSubmissionStartOffset = 16;
  EXPECT_EQ(Submit(), STATUS_SUCCESS) << "the second one alone";
  EXPECT_EQ(Entry(1), std::pair(uint64_t{0x8000} + ends[0], uint64_t{ends[1] - ends[0]}));
  args.SubmissionFenceId = 3;
  args.Flags.NullRendering = 1;
  args.DmaBufferPrivateDataSubmissionEndOffset = 16;
  EXPECT_EQ(Submit(), STATUS_SUCCESS) << "nothing of it runs";
  EXPECT_EQ(Entry(2).second, 0u);
}

TEST_F(RecordedSubmission, IsRefusedWhereTheRecordsAreNotTheBuffers) {
  const auto refused = [&](const char* why, auto change) {
    const DXGKARG_SUBMITCOMMAND good = args;
    const std::vector<PagingRecord> good_records = records;
    change();
    EXPECT_EQ(Submit(), STATUS_INVALID_PARAMETER) << why;
    args = good;
    std::copy(good_records.begin(), good_records.end(), records.begin());
  };
  refused("no records", [&] { args.pDmaBufferPrivateData = nullptr; });
  refused("a piece that ends behind the data", [&] { args.DmaBufferPrivateDataSize = 31; });
  refused("a piece that ends before it begins", [&] { args.DmaBufferPrivateDataSubmissionStartOffset = 48; });
  refused("half a record", [&] { args.DmaBufferPrivateDataSubmissionEndOffset = 24; });
  refused("one record of two", [&] { args.DmaBufferPrivateDataSubmissionEndOffset = 16; });
  refused("records of other commands", [&] { args.DmaBufferSubmissionStartOffset = ends[0]; });
  refused("commands that no operation wrote", [&] { args.DmaBufferSubmissionEndOffset += 64; });
  refused("commands behind the buffer", [&] { args.DmaBufferSize = ends[1] - 8; });
  refused("no record of this driver", [&] { records[1].magic = 0; });
  refused("an operation that leaves no record", [&] { records[1].operation = DXGK_OPERATION_NOTIFY_ALLOC; });
  refused("a record of more than there is", [&] { records[0].bytes = ends[1] + 64; });
  refused("sizes whose sum wraps", [&] { records[1].bytes += 0u - ends[1], records[0].bytes += ends[1]; });
  EXPECT_THAT(driver.kernel.writes, IsEmpty());
  EXPECT_EQ(Submit(), STATUS_SUCCESS) << "and nothing has changed";
}

}  // namespace
}  // namespace gmmu::kmd::test
