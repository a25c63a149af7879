// SPDX-License-Identifier: Apache-2.0
// Tests the addresses at which the GPU reads paging buffers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/sw/os/between.h"
#include "tb/sw/os/life_bench.h"
#include "workload/procedures/procedures.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using workload::Life;

// A byte offset instead of a GPU address was observed on Windows build 22621, for paging buffers in
// segment 0.
TEST(PagingBufferAddress, IsTheGpusOrAByteOffsetByASwitch) {
  for (const auto& [offset, records] : {std::pair(false, 0), std::pair(true, 0), std::pair(true, 4096)}) {
    test::LifeBench bench;
    bench.options.driver = Entry;
    bench.options.os.limit_bits = 33;
    bench.options.os.iommu = RemapPolicy::kNever;
    bench.options.os.paging_address_is_offset = offset;
    bench.options.os.driver["PagingPrivateBytes"] = static_cast<uint64_t>(records);
    uint64_t built = 0, submitted = 0, wrong = 0;
    between = {};
    between.build = [&, offset = offset](DXGKARG_BUILDPAGINGBUFFER& args) {
      ++built;
      wrong += (args.DmaBufferGpuVirtualAddress == 0) != offset && args.pDmaBuffer != nullptr;
      return between.real.DxgkDdiBuildPagingBuffer(between.context, &args);
    };
    between.submit = [&, offset = offset](const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
      ++submitted;
      wrong += args.Flags.Paging && (args.DmaBufferVirtualAddress == 0) != offset;
      return between.real.DxgkDdiSubmitCommandVirtual(between.context, &args);
    };
    const auto result = bench.Run([](Life& life) { workload::RunSeededMainJob(life, 30'000); });
    EXPECT_TRUE(result.Passed());
    EXPECT_EQ(wrong, 0u);
    EXPECT_GT(built, 0u);
    EXPECT_GT(submitted, 0u);
    between = {};
  }
}

// A submission that starts inside a buffer passes the offset of its first operation.
TEST(PagingBufferAddress, AnOffsetMayLieInsideTheBuffer) {
  for (const uint64_t records : {0, 4096}) {
    test::LifeBench bench;
    bench.options.driver = Entry;
    bench.options.os.limit_bits = 33;
    bench.options.os.iommu = RemapPolicy::kNever;
    bench.options.os.paging_address_is_offset = true;
    bench.options.os.variety = 500;
    bench.options.os.driver["PagingPrivateBytes"] = records;
    uint64_t inside = 0;
    between = {};
    between.submit = [&](const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
      inside += args.Flags.Paging && args.DmaBufferVirtualAddress != 0;
      return between.real.DxgkDdiSubmitCommandVirtual(between.context, &args);
    };
    const auto result = bench.Run([](Life& life) { workload::RunSeededMainJob(life, 30'000); });
    EXPECT_TRUE(result.Passed());
    EXPECT_GT(inside, 3u);
    between = {};
  }
}

uint64_t parts_inside = 0;

NTSTATUS CountParts(HANDLE context, CONST DXGKARG_SUBMITCOMMAND* args) {
  EXPECT_LT(args->DmaBufferSubmissionStartOffset, args->DmaBufferSubmissionEndOffset);
  EXPECT_LE(args->DmaBufferSubmissionEndOffset, args->DmaBufferSize);
  EXPECT_EQ(args->DmaBufferPhysicalAddress.QuadPart % 4096, 0) << "the start of the buffer, not of the part";
  parts_inside += args->DmaBufferSubmissionStartOffset != 0;
  return between.real.DxgkDdiSubmitCommand(context, args);
}

// DmaBufferPhysicalAddress is the buffer's start; the two offsets delimit the part that is
// submitted.
TEST(VariedPhysicalSubmission, NamesTheStartOfItsPart) {
  test::LifeBench bench;
  bench.options.driver = Entry;
  bench.options.os.physical_submission = true;
  bench.options.os.variety = 500;
  parts_inside = 0;
  between = {};
  between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiSubmitCommand = CountParts; };
  const auto result = bench.Run([](Life& life) { workload::RunSeededMainJob(life, 30'000); });
  EXPECT_TRUE(result.Passed());
  EXPECT_GT(parts_inside, 3u);
  between = {};
}

// Observed on Windows build 22621: every call passes a non-zero address, and no map operation is
// sent.
TEST(PagingBufferAddress, IsOneOfThePagingProcessWhenTheBuffersAreInTheApertureSegment) {
  for (const uint64_t bytes : {256, 4096, 6144, 8256, 65536}) {  // buffers start at page boundaries
    SCOPED_TRACE(std::to_string(bytes) + " bytes");
    test::LifeBench bench;
    bench.options.driver = Entry;
    bench.options.os.driver["PagingBufferSegment"] = 1;
    bench.options.os.driver["PagingBufferBytes"] = bytes;
    uint64_t wrong = 0, maps_before_use = 0, submitted = 0;
    bool used = false;
    between = {};
    between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
      const uint64_t va = args.DmaBufferGpuVirtualAddress;
      wrong += args.pDmaBuffer != nullptr && (va == 0 || va >> 30 != 0);
      maps_before_use += !used && args.Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2;
      return between.real.DxgkDdiBuildPagingBuffer(between.context, &args);
    };
    between.submit = [&](const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
      used = true;
      submitted += args.Flags.Paging;
      wrong += args.Flags.Paging && (args.DmaBufferVirtualAddress == 0 || args.DmaBufferVirtualAddress >> 30 != 0);
      return between.real.DxgkDdiSubmitCommandVirtual(between.context, &args);
    };
    const auto result = bench.Run([](Life& life) { workload::RunSeededMainJob(life, 30'000); });
    between = {};
    for (const Fault& fault : result.faults) ADD_FAILURE() << fault.text;
    EXPECT_TRUE(result.Passed());
    EXPECT_EQ(wrong, 0u) << "an address below 1 GiB, the paging process' size";
    EXPECT_EQ(maps_before_use, 0u);
    EXPECT_GT(submitted, 0u);
  }
}

/// Leaves only single, non-adjacent pages of the logical space free.
struct Fragments {
  void Make(RemappingDomain& domain) {
    RangeAllocator& logical = domain.logical();
    const auto take = [&](uint64_t bytes) {
      return logical.Allocate(bytes, hw::kPageSize, "filler", RangeAllocator::Place::kLowest);
    };
    std::vector<uint64_t> singles;
    for (unsigned i = 0; i < 2048; ++i) singles.push_back(take(hw::kPageSize).value());
    for (uint64_t bytes = uint64_t{1} << 31; bytes >= hw::kPageSize; bytes /= 2) {
      while (const auto start = take(bytes)) taken.push_back(*start);
    }
    for (size_t i = 0; i < singles.size(); ++i) {
      if (i % 2 == 0) logical.Free(singles[i]);
      else taken.push_back(singles[i]);
    }
  }
  void GiveBack(RemappingDomain& domain) {
    for (const uint64_t start : taken) domain.logical().Free(start);
    taken.clear();
  }
  std::vector<uint64_t> taken;
};
Fragments fragments;

NTSTATUS StartAndFragment(PVOID context, PDXGK_START_INFO start, PDXGKRNL_INTERFACE interface, PULONG sources,
                          PULONG children) {
  const NTSTATUS status = between.real.DxgkDdiStartDevice(context, start, interface, sources, children);
  fragments.Make(*Dxgkrnl::Current().FromHandle(interface->DeviceHandle).logical().domain());
  return status;
}

// For a buffer in segment 0, the GPU receives only the first address, so the buffer's logical pages
// must be consecutive. PreferContiguous is only a hint and cannot ensure this.
TEST(PagingBufferAddress, WithoutConsecutiveLogicalPagesABufferHasOnePageOrLiesInTheApertureOrIsRefused) {
  struct Case {
    uint64_t bytes, segment;
    bool refused;
  };
  for (const Case& one : {Case{65536, 0, true}, Case{8192, 0, true}, Case{4096, 0, false}, Case{65536, 1, false}}) {
    SCOPED_TRACE(std::to_string(one.bytes) + " bytes in segment " + std::to_string(one.segment));
    test::LifeBench bench;
    bench.options.driver = Entry;
    bench.options.os.driver["PagingBufferBytes"] = one.bytes;
    bench.options.os.driver["PagingBufferSegment"] = one.segment;
    between = {};
    between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiStartDevice = StartAndFragment; };
    bool ran = false;
    const auto result = bench.Run([&](Life& life) {
      ran = true;
      ASSERT_EQ(life.adapter.mode(), DmaMode::kRemapped);
      workload::RunSeededMainJob(life, 30'000);
      fragments.GiveBack(*life.adapter.domain());
    });
    fragments.taken.clear();
    between = {};
    EXPECT_EQ(ran, !one.refused);
    if (one.refused) {
      ASSERT_THAT(result.faults, SizeIs(1));
      EXPECT_THAT(result.faults[0].text, HasSubstr("no " + std::to_string(one.bytes) +
                                                   " consecutive bytes of logical addresses for a paging buffer"));
    } else {
      for (const Fault& fault : result.faults) ADD_FAILURE() << fault.text;
      EXPECT_TRUE(result.Passed());
    }
  }
}

TEST(PagingBufferAddress, AnOffsetIsRefusedBehindARemappedDomain) {
  test::LifeBench bench;
  bench.options.os.paging_address_is_offset = true;
  const auto result = bench.Run([](Life&) { ADD_FAILURE() << "it was started"; });
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("os.paging_address_is_offset"));
}

TEST(PagingBufferAddress, ADriverThatOverrunsItsPrivateDataIsABugCheck) {
  test::LifeBench bench;
  bench.options.driver = Entry;
  between = {};
  between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    const UINT room = args.DmaBufferPrivateDataSize;
    const NTSTATUS status = between.real.DxgkDdiBuildPagingBuffer(between.context, &args);
    if (args.pDmaBufferPrivateData != nullptr)
      args.pDmaBufferPrivateData = static_cast<uint8_t*>(args.pDmaBufferPrivateData) + room + 1;
    return status;
  };
  const auto result = bench.Run([](Life&) { ADD_FAILURE() << "it was started"; });
  between = {};
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("a paging buffer's private data past its end"));
}

}  // namespace
}  // namespace gmmu::os
