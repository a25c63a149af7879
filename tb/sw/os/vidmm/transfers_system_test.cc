// SPDX-License-Identifier: Apache-2.0
// Tests allocations outside memory segments, whose contents are in their backing stores. The
// expected behaviour follows Microsoft's documentation; it has not been observed on Windows.
#include <cstring>

#include "os/memory/system_buffer.h"
#include "os/base/page_math.h"
#include "os/vidmm/aperture.h"
#include "os/vidmm/transfers.h"
#include "tb/sw/os/driver_front.h"

namespace gmmu::os::test {
namespace {

using workload::Life;
constexpr uint64_t kBytes = 3 * kPage;

class InSystemMemory : public DriverFront {
 protected:
  /// Returns a resident allocation in the implicit system memory segment or in the aperture
  /// segment.
  static Allocation* Make(Life& life, bool aperture) {
    AllocationRequest request{"data", kBytes};
    request.system_only = true;
    request.accessed_physically = aperture;
    Allocation* data = life.vidmm.CreateAllocation(request);
    life.vidmm.residency().Return(*data);
    EXPECT_EQ(data->residence(), aperture ? Residence::kAperture : Residence::kSystem);
    return data;
  }
  static SystemBuffer Buffer(Life& life) {
    return SystemBuffer(life.kernel, life.adapter.objects(), life.adapter.handle(), kBytes,
                        SystemBuffer::Shape::kScattered, "test");
  }
};

TEST_F(InSystemMemory, BytesAreMovedAndFilledByTheCpuAndSeenByTheGpu) {
  for (const bool aperture : {false, true}) {
    RunOnWorker([&](Life& life) {
      Allocation* data = Make(life, aperture);
      GpuProcess* process = life.vidmm.CreateProcess("process");
      life.vidmm.Map(*process, 0x10000000, *data, 0, 3);
      unsigned operations = 0;
      Watch([&](const DXGKARG_BUILDPAGINGBUFFER&) { ++operations; });
      SystemBuffer source = Buffer(life), target = Buffer(life);
      uint8_t* view = source.Map(0, kBytes);
      for (uint64_t i = 0; i < kBytes; ++i) view[i] = static_cast<uint8_t>(i / kPage + 1);
      source.Unmap();
      uint64_t told = 0;
      life.vidmm.transfers().PageIn(*data, source, kBytes, [&](uint64_t done) { told = done; });
      EXPECT_EQ(told, kBytes);
      life.vidmm.transfers().Fill(*data, kPage + 8, kPage - 8, 0x07060504);
      Reads(life, process, 0x10000000, {0x01010101});
      Reads(life, process, 0x10002000, {0x03030303});
      life.vidmm.transfers().PageOut(*data, target, kBytes);
      view = target.Map(0, kBytes);
      EXPECT_EQ(view[kPage + 7], 2u);
      EXPECT_EQ(std::memcmp(view + kPage + 8, "\4\5\6\7\4", 5), 0);
      EXPECT_EQ(view[2 * kPage], 3u);
      target.Unmap();
      EXPECT_EQ(operations, 0u) << "the driver is asked for nothing";
      Watch(nullptr);
      for (SystemBuffer* buffer : {&source, &target}) buffer->Release();
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
  }
}

// The GPU does not snoop the CPU's caches, so the CPU's data must have reached memory.
TEST_F(InSystemMemory, WhatTheCpuWroteIsSeenThroughAnApertureThatIsNotCoherent) {
  bench.options.os.driver["CoherentAperture"] = 0;
  RunOnWorker([&](Life& life) {
    Allocation* data = Make(life, true);
    GpuProcess* process = life.vidmm.CreateProcess("process");
    life.vidmm.Map(*process, 0x10000000, *data, 0, 3);
    SystemBuffer source = Buffer(life);
    std::memset(source.Map(0, kBytes), 1, kBytes);
    source.Unmap();
    life.vidmm.transfers().PageIn(*data, source, 2 * kPage);
    Reads(life, process, 0x10000000, {0x01010101, 0x01010101, 0});
    life.vidmm.transfers().Fill(*data, kPage, kPage, 0x07070707);
    Reads(life, process, 0x10000000, {0x01010101, 0x07070707, 0});
    source.Release();
    life.vidmm.DestroyAllocation(data);
    life.vidmm.DestroyProcess(process);
  });
}

TEST_F(InSystemMemory, TheGpuReadsTheApertureIntoItByItsMdl) {
  RunOnWorker([&](Life& life) {
    Allocation* data = Make(life, false);
    SystemBuffer shown = Buffer(life);
    uint8_t* const bytes = shown.Map(0, kBytes);
    for (uint64_t i = 0; i < kBytes; ++i) bytes[i] = static_cast<uint8_t>(0xA0 + i / kPage);
    shown.Unmap();
    Allocation* owner = Make(life, true);
    const uint64_t first = life.vidmm.aperture().Reserve(3);
    life.vidmm.aperture().Bind(first, 3, *owner, shown, 0);
    unsigned transfers = 0;
    Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
      if (args.Operation != DXGK_OPERATION_TRANSFER) return;
      ++transfers;
      EXPECT_EQ(args.Transfer.Source.SegmentId, life.adapter.lead().aperture_segment().id);
      EXPECT_EQ(args.Transfer.Destination.SegmentId, 0u);
      EXPECT_EQ(args.Transfer.MdlOffset, 1u);
      EXPECT_EQ(MmGetMdlPfnArray(args.Transfer.Destination.pMdl)[1], data->backing->page(1));
    });
    life.vidmm.transfers().CopyFromAperture(first * kPage, *data, kPage, kPage + 16);
    EXPECT_EQ(transfers, 1u);
    const uint8_t* view = data->backing->Map(0, kBytes);
    EXPECT_EQ(view[kPage - 1], 0u);
    EXPECT_EQ(view[kPage], 0xA0u);
    EXPECT_EQ(view[2 * kPage - 1], 0xA0u);
    EXPECT_EQ(view[2 * kPage], 0xA1u);
    EXPECT_EQ(view[2 * kPage + 15], 0xA1u);
    EXPECT_EQ(view[2 * kPage + 16], 0u);
    data->backing->Unmap();
    life.vidmm.aperture().Unbind(first, 3, *owner);
    life.vidmm.aperture().Free(first);
    shown.Release();
    for (Allocation* each : {data, owner}) life.vidmm.DestroyAllocation(each);
  });
}

TEST_F(InSystemMemory, ContentsOfWhatIsNotResidentAreABugCheck) {
  const auto result = bench.RunOnWorker([&](Life& life) {
    Allocation* data = life.vidmm.CreateAllocation("data", kPage);
    life.vidmm.transfers().Fill(*data, 0, kPage, 0);
  });
  EXPECT_THAT(FaultsOf(result), ::testing::HasSubstr("contents of data, which is not resident"));
}

}  // namespace
}  // namespace gmmu::os::test
