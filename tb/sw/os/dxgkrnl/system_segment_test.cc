// SPDX-License-Identifier: Apache-2.0
// Tests memory segments that a driver populates from system memory, as an integrated GPU's driver does.
#include "os/dxgkrnl/system_segment.h"

#include "os/application/gpu.h"
#include "tb/sw/os/driver_front.h"

namespace gmmu::os::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using workload::Life;

class SystemSegment : public DriverFront {
 protected:
  SystemSegment() { bench.options.os.driver["SystemSegmentBytes"] = 2 << 20; }

  /// Lets `change` modify the memory segment's descriptor before the system reads it.
  static void Changed(const std::function<void(DXGK_SEGMENTDESCRIPTOR4&)>& change) {
    seen.answer = [change](const DXGKARG_QUERYADAPTERINFO& args) {
      if (args.Type != DXGKQAITYPE_QUERYSEGMENT4) return;
      auto* out = static_cast<DXGK_QUERYSEGMENTOUT4*>(args.pOutputData);
      if (out->pSegmentDescriptor == nullptr) return;
      change(*reinterpret_cast<DXGK_SEGMENTDESCRIPTOR4*>(out->pSegmentDescriptor + out->SegmentDescriptorStride));
    };
  }
  std::string Refusal() {
    const workload::JobResult result = bench.Run([](Life&) {});
    EXPECT_THAT(result.leaks, IsEmpty());
    return FaultsOf(result);
  }
};

TEST_F(SystemSegment, IsTheMemoryThatTheGpuUsesInEveryMode) {
  bench.config.host.memory_gib = 2;
  for (const RemapPolicy mode : {RemapPolicy::kWhenPossible, RemapPolicy::kIdentity, RemapPolicy::kNever}) {
    for (const uint64_t update : {0, 1, 2}) {
      bench.options.os.iommu = mode;
      bench.options.os.driver["PageTableUpdateMode"] = update;
      bench.options.os.limit_bits = 40;
      RunOnWorker([&](Life& life) {
        const SegmentFacts segment = life.gpu().facts().local;
        ASSERT_TRUE(segment.memory);
        EXPECT_EQ(segment.size, 2u << 20);
        Allocation* data = Filled(life, 4, 0x01010101);
        GpuProcess* process = life.vidmm.CreateProcess("process");
        life.vidmm.Map(*process, 0x10000000, *data, 0, 4);
        Reads(life, process, 0x10000000, {0x01010101, 0x01010102, 0x01010103, 0x01010104});
        uint32_t word = 0;
        ASSERT_TRUE(life.host.platform().ram().Read(*segment.memory + data->local->page(2) * hw::kPageSize, &word, 4));
        EXPECT_EQ(word, 0x01010103u);
        word = 0x07070707;
        for (uint64_t at = 0; at < hw::kPageSize; at += 4)
          ASSERT_TRUE(
              life.host.platform().ram().Write(*segment.memory + data->local->page(2) * hw::kPageSize + at, &word, 4));
        Reads(life, process, 0x10002000, {0x07070707});
        EXPECT_EQ(life.gpu().facts().local.window, std::nullopt);
        life.vidmm.DestroyAllocation(data);
        life.vidmm.DestroyProcess(process);
      });
    }
  }
  MainJobIsVerified();
}

TEST_F(SystemSegment, OfPagesThatTheDriverHasNotAllocatedIsRefused) {
  for (const RemapPolicy mode : {RemapPolicy::kWhenPossible, RemapPolicy::kIdentity}) {
    bench.options.os.iommu = mode;
    bench.options.os.limit_bits = 40;
    uint64_t at = 0;
    Changed([&](DXGK_SEGMENTDESCRIPTOR4& segment) {
      // Of the segment at the new address, the driver has allocated only the first 64 KiB.
      segment.CpuTranslatedAddress.QuadPart += 2 << 20;
      at = static_cast<uint64_t>(segment.CpuTranslatedAddress.QuadPart);
    });
    EXPECT_THAT(Refusal(), ::testing::AllOf(HasSubstr("segment 2 is populated from system memory"),
                                            HasSubstr("nobody has allocated its page at ")));
    Changed([](DXGK_SEGMENTDESCRIPTOR4& segment) {
      segment.Flags.CpuVisible = 0;
      segment.BaseAddress.QuadPart = int64_t{1} << 30;
    });
    bench.options.os.driver["PageTableSegment"] = 0;
    if (mode == RemapPolicy::kIdentity) EXPECT_THAT(Refusal(), HasSubstr("segment 2 is populated from system memory"));
    bench.options.os.driver["PageTableSegment"] = 2;
  }
}

TEST_F(SystemSegment, IsNotWhatAnApertureSegmentIs) {
  DXGK_SEGMENTDESCRIPTOR4 segment{};
  EXPECT_FALSE(IsSystemMemory(segment));
  segment.Flags.PopulatedFromSystemMemory = 1;
  EXPECT_TRUE(IsSystemMemory(segment));
  segment.Flags.Aperture = 1;  // "ignored on apertures"
  EXPECT_FALSE(IsSystemMemory(segment));
}

}  // namespace
}  // namespace gmmu::os::test
