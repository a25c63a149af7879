// SPDX-License-Identifier: Apache-2.0
// Tests how os.variety changes paging buffers and operations. The main job must still pass.
#include "os/vidmm/paging_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tb/sw/os/driver_front.h"

namespace gmmu::os::test {
namespace {

struct VariedPaging : DriverFront, ::testing::WithParamInterface<uint64_t> {
  VariedPaging() {
    bench.options.os.variety = 400;
    bench.options.os.seed = GetParam();
  }
};

// Submissions that start inside a buffer were observed on Windows build 22621. Otherwise, the
// documentation leaves it to VidMm which operations a submission contains.
TEST_P(VariedPaging, SubmissionsBeginInsideBuffersWithAnUnbrokenSequenceOfOperations) {
  std::map<UINT64, std::set<UINT64>> begins;  // by buffer
  std::map<UINT64, UINT64> expected;          // next byte to submit, by buffer
  UINT64 buffer = 0;
  bool exact = false, multipass = false;
  Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
    const auto* begin = static_cast<uint8_t*>(args.pDmaBuffer);
    const UINT room = args.DmaSize;
    multipass = multipass || args.MultipassOffset != 0;
    if (args.pDmaBuffer != nullptr) {
      buffer = args.DmaBufferGpuVirtualAddress;
      if (args.DmaBufferWriteOffset == 0) expected[buffer] = buffer;
    }
    const NTSTATUS status = call(args);
    exact = exact || (room != 0 && static_cast<uint8_t*>(args.pDmaBuffer) == begin + room);
    return status;
  });
  seen.submission = [&](const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
    if (!args.Flags.Paging) return;
    auto at = expected.upper_bound(args.DmaBufferVirtualAddress);
    ASSERT_NE(at, expected.begin());
    --at;
    EXPECT_EQ(args.DmaBufferVirtualAddress, at->second) << "the part begins where the previous one ended";
    begins[at->first].insert(args.DmaBufferVirtualAddress - at->first);
    at->second += args.DmaBufferSize;
  };
  MainJobIsVerified();
  size_t inside = 0;
  for (const auto& [start, offsets] : begins) inside += offsets.size() - offsets.count(0);
  EXPECT_GE(inside, 4u) << "submissions that begin inside a buffer";
  EXPECT_TRUE(exact) << "an operation that ends exactly where the buffer does";
}

TEST_P(VariedPaging, TransfersAndFillsBeginAndEndAnywhere) {
  std::set<UINT64> offsets;
  Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
    if (args.Operation == DXGK_OPERATION_VIRTUAL_TRANSFER)
      offsets.insert(args.TransferVirtual.SourceVirtualAddress % hw::kPageSize);
  });
  bench.options.os.variety = 1000;
  MainJobIsVerified(3'000'000);
  EXPECT_GT(offsets.size(), 1u) << "transfers that begin inside a page";
}

TEST_P(VariedPaging, PhysicalTransfersStartBehindTheirSegmentAddress) {
  unsigned behind = 0;
  Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
    behind += args.Operation == DXGK_OPERATION_TRANSFER && args.Transfer.TransferOffset != 0;
  });
  bench.options.os.physical_paging = true;
  bench.options.os.variety = 1000;
  MainJobIsVerified(300'000);
  EXPECT_GT(behind, 0u);
}

TEST_P(VariedPaging, UpdatesOfLeafEntriesComeInParts) {
  unsigned inside = 0;
  Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
    inside += args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && args.UpdatePageTable.StartIndex % 16 != 0;
  });
  bench.options.os.variety = 1000;
  MainJobIsVerified(300'000);
  EXPECT_GT(inside, 2u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, VariedPaging, ::testing::Values(1, 2, 3));

using DriverWithoutEnd = DriverFront;

TEST_F(DriverWithoutEnd, AnOperationThatNeverEndsIsABugCheck) {
  UINT turn = 0;
  Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
    if (args.Operation != DXGK_OPERATION_SIGNAL_MONITORED_FENCE || args.pDmaBuffer == nullptr) return call(args);
    args.MultipassOffset = ++turn;
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  });
  const auto result = bench.Run([](workload::Life& life) { workload::RunSeededMainJob(life, 1); });
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_THAT(result.faults[0].text, ::testing::HasSubstr("SIGNAL_MONITORED_FENCE has not ended after 1000000 calls"));
}

}  // namespace
}  // namespace gmmu::os::test
