// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
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

using testing::IsEmpty;

TEST_F(BuildTest, OperationsWithoutEffectSucceedAndUnknownOnesAreNotSupported) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  for (const auto operation :
       {DXGK_OPERATION_DISCARD_CONTENT, DXGK_OPERATION_NOTIFY_RESIDENCY, DXGK_OPERATION_NOTIFY_RESIDENCY2,
        DXGK_OPERATION_NOTIFY_FENCE_RESIDENCY, DXGK_OPERATION_NOTIFY_ALLOC}) {
    args.Operation = operation;
    EXPECT_THAT(Built(args).headers, IsEmpty()) << operation;
  }
  for (const int operation : {19, 20, 23, 31}) {
    args.Operation = static_cast<DXGK_BUILDPAGINGBUFFER_OPERATION>(operation);
    EXPECT_EQ(Refused(args), STATUS_NOT_SUPPORTED) << operation;
  }
  for (const auto operation : {DXGK_OPERATION_READ_PHYSICAL, DXGK_OPERATION_WRITE_PHYSICAL}) {
    args.Operation = operation;
    const auto model = Built(args);
    ASSERT_EQ(model.headers.size(), 1u);
    EXPECT_TRUE(model.headers[0].wait_writes()) << "a barrier";
  }
}

TEST_F(BuildTest, OperationsPackBackToBackInOneBuffer) {
  std::vector<uint64_t> buffer(512);
  std::vector<DXGK_PTE> ptes = {Leaf(1), Leaf(9), Leaf(2)};
  auto args = Update(ptes, 0, 0x40000, 0);
  args.hSystemContext = driver.system_context;
  args.pDmaBuffer = buffer.data();
  args.DmaSize = 4096;
  ASSERT_EQ(driver.kernel.table.DxgkDdiBuildPagingBuffer(driver.kernel.adapter, &args), STATUS_SUCCESS);
  DXGKARG_BUILDPAGINGBUFFER flush{};
  flush.Operation = DXGK_OPERATION_FLUSH_TLB;
  flush.FlushTlb.hProcess = driver.process;
  flush.pDmaBuffer = args.pDmaBuffer;
  flush.DmaSize = args.DmaSize;
  flush.DmaBufferWriteOffset = 4096 - args.DmaSize;
  ASSERT_EQ(driver.kernel.table.DxgkDdiBuildPagingBuffer(driver.kernel.adapter, &flush), STATUS_SUCCESS);
  auto again = Update(ptes, 0, 0x40000, 0);  // overwrites the entries of the first update
  again.pDmaBuffer = flush.pDmaBuffer;
  again.DmaSize = flush.DmaSize;
  ASSERT_EQ(driver.kernel.table.DxgkDdiBuildPagingBuffer(driver.kernel.adapter, &again), STATUS_SUCCESS);
  CommandModel model;
  model.Run(buffer.data(), 4096 - again.DmaSize);
  EXPECT_THAT(model.errors, IsEmpty());
  ASSERT_EQ(model.headers.size(), 3u);
  for (const auto& header : model.headers) EXPECT_TRUE(header.wait_writes());
}

// The driver writes one record per operation into the private data, and advances its pointer as it
// advances pDmaBuffer.
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
  // Records do not use this reserved space.
  constexpr UINT kReserved = (BufferStart::kMost - 1) * sizeof(BufferStart);
  args.DmaBufferPrivateDataSize = 32 + kReserved;
  args.DmaBufferGpuVirtualAddress = 0x10000;
  const auto build = [&](DXGK_BUILDPAGINGBUFFER_OPERATION operation) {
    args.Operation = operation;
    args.DmaBufferWriteOffset = 512 - args.DmaSize;
    return driver.kernel.table.DxgkDdiBuildPagingBuffer(driver.kernel.adapter, &args);
  };
  EXPECT_EQ(build(DXGK_OPERATION_READ_PHYSICAL), STATUS_SUCCESS);
  EXPECT_EQ(build(DXGK_OPERATION_DISCARD_CONTENT), STATUS_SUCCESS) << "emits nothing, leaves no record";
  EXPECT_EQ(args.DmaBufferPrivateDataSize, 16u + kReserved);
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

}  // namespace
}  // namespace gmmu::kmd::test
