// SPDX-License-Identifier: Apache-2.0
// Tests changes of the DMA mode, while an adapter runs and when it restarts. The expected behaviour
// follows Microsoft's documentation; it has not been observed on Windows.
#include "os/dxgkrnl/domain_switch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/memory/system_buffer.h"
#include "tb/sw/os/life_bench.h"
#include "workload/procedures/procedures.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using workload::Life;

/// A GPU that can address all memory of its machine without remapping.
struct Reaching : test::LifeBench {
  Reaching() { options.os.limit_bits = 33; }
};

template <typename Work>
std::string RefusalOf(const Work& work) {
  try {
    work();
  } catch (const OsError& error) {
    return error.what();
  }
  return "";
}

TEST(DomainSwitch, HappensInExclusiveAccessWhileTheAdapterRuns) {
  Reaching bench;
  bench.options.os.iommu = RemapPolicy::kNever;
  const auto result = bench.Run([](Life& life) {
    ExclusiveAccess& exclusive = life.adapter.isolation().exclusive();
    for (const DmaMode mode : {DmaMode::kIdentity, DmaMode::kPhysical, DmaMode::kIdentity}) {
      const uint64_t runs = exclusive.runs();
      SwitchDma(life.adapter, mode);
      EXPECT_EQ(exclusive.runs(), runs + 1);
      EXPECT_EQ(life.adapter.mode(), mode);
      EXPECT_EQ(life.kernel.iommu()->enabled(), mode == DmaMode::kIdentity);
      workload::RunSeededMainJob(life, 30'000, NameOf(mode));
    }
  });
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(result.leaks, IsEmpty());
  EXPECT_TRUE(result.verified);
}

TEST(DomainSwitch, IntoARemappedDomainIsRefusedWhileAdlsLive) {
  Reaching bench;
  bench.options.os.iommu = RemapPolicy::kNever;
  const auto result = bench.Run([](Life& life) {
    const std::string refusal = RefusalOf([&] { SwitchDma(life.adapter, DmaMode::kRemapped); });
    EXPECT_THAT(refusal, HasSubstr("from physical to remapped is refused: the GPU references"));
    EXPECT_EQ(life.adapter.mode(), DmaMode::kPhysical);
    workload::RunSeededMainJob(life, 30'000);
  });
  EXPECT_TRUE(result.verified);
}

TEST(DomainSwitch, OutOfARemappedDomainIsRefusedToo) {
  Reaching bench;
  const auto result = bench.Run([](Life& life) {
    ASSERT_EQ(life.adapter.mode(), DmaMode::kRemapped);
    EXPECT_THAT(RefusalOf([&] { SwitchDma(life.adapter, DmaMode::kPhysical); }), HasSubstr("ADLs"));
    EXPECT_THAT(RefusalOf([&] { SwitchDma(life.adapter, DmaMode::kIdentity); }), HasSubstr("ADLs"));
    workload::RunSeededMainJob(life, 30'000);
  });
  EXPECT_TRUE(result.verified);
}

TEST(DomainSwitch, WithoutAnIommuThereIsNoDomainToEnter) {
  Reaching bench;
  bench.options.os.iommu = RemapPolicy::kNever;
  bench.config.iommu.present = false;
  const auto result = bench.Run([](Life& life) {
    for (const DmaMode mode : {DmaMode::kIdentity, DmaMode::kRemapped}) {
      EXPECT_EQ(RefusalOf([&] { SwitchDma(life.adapter, mode); }),
                std::string("the switch of DMA from physical to ") + NameOf(mode) +
                    " needs an IOMMU, and there is none ([iommu] present)");
    }
    EXPECT_EQ(life.adapter.isolation().exclusive().runs(), 0u);
    EXPECT_EQ(life.adapter.mode(), DmaMode::kPhysical);
  });
  EXPECT_EQ(test::FaultsOf(result), "");
}

TEST(DomainSwitch, AGpuThatDoesNotReachAllMemoryStaysRemapped) {
  test::LifeBench bench;  // the GPU has 32 address bits, and host memory extends above 4 GiB
  const auto result = bench.Run([](Life& life) {
    ASSERT_EQ(life.adapter.mode(), DmaMode::kRemapped);
    for (const DmaMode mode : {DmaMode::kPhysical, DmaMode::kIdentity}) {
      EXPECT_EQ(RefusalOf([&] { SwitchDma(life.adapter, mode); }),
                std::string("the switch of DMA from remapped to ") + NameOf(mode) +
                    " is refused: the GPU does not reach all memory by itself");
    }
    EXPECT_EQ(life.adapter.isolation().exclusive().runs(), 0u);
    EXPECT_EQ(life.adapter.mode(), DmaMode::kRemapped);
  });
  EXPECT_EQ(test::FaultsOf(result), "");
}

TEST(DomainSwitch, ADriverThatCannotRemapIsNotRemapped) {
  for (const char* key : {"MapAperture2", "DmaRemappingCompatible"}) {
    Reaching bench;
    bench.options.os.iommu = RemapPolicy::kNever;
    bench.options.os.driver[key] = 0;
    bench.options.os.discrete_without_remapping_refused = false;
    const auto result = bench.Run([&](Life& life) {
      EXPECT_EQ(RefusalOf([&] { SwitchDma(life.adapter, DmaMode::kRemapped); }),
                "the switch of DMA from physical to remapped is refused: the driver does not support remapping "
                "(DXGK_IOMMU_CAPS, MapAperture2Supported)")
          << key;
      EXPECT_EQ(life.adapter.isolation().exclusive().runs(), 0u);
    });
    EXPECT_EQ(test::FaultsOf(result), "") << key;
  }
}

TEST(DomainSwitch, IsolationStaysOnOnceItIsOn) {
  Reaching bench;
  bench.options.os.iommu = RemapPolicy::kNever;
  bench.options.os.secure_vm_key = true;
  const auto result = bench.Run([](Life& life) {
    life.worker.Call([&] { life.adapter.isolation().OnSecureVm(); });
    ASSERT_EQ(life.adapter.mode(), DmaMode::kIdentity);
    EXPECT_EQ(RefusalOf([&] { SwitchDma(life.adapter, DmaMode::kPhysical); }),
              "the switch of DMA from 1:1 to physical is refused: isolation stays on once it is on");
    EXPECT_EQ(life.adapter.isolation().exclusive().runs(), 1u) << "the activation's";
    EXPECT_EQ(life.adapter.mode(), DmaMode::kIdentity);
    workload::RunSeededMainJob(life, 30'000);
  });
  EXPECT_EQ(test::FaultsOf(result), "");
  EXPECT_TRUE(result.verified);
}

TEST(DomainSwitch, AStartIsRefusedWhileAnAdlOfTheLastOneLives) {
  Reaching bench;
  bench.options.os.iommu = RemapPolicy::kNever;
  const auto result = bench.RunOnWorker([](Life& life) {
    const SystemBuffer kept(life.kernel, life.adapter.objects(), life.adapter.handle(), hw::kPageSize,
                            SystemBuffer::Shape::kScattered, "somebody");
    life.vidmm.Stop();
    life.adapter.Stop();
    life.dxgkrnl.set_remap_policy(RemapPolicy::kWhenPossible);
    life.adapter.Start();
  });
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("while 1 ADLs"));
}

// No source says whether a driver without MapAperture2Supported fails to start or runs without DMA
// remapping.
TEST(DomainSwitch, WithoutMapAperture2TheStartIsRefusedOrNotRemappedByASwitch) {
  for (const bool refused : {true, false}) {
    Reaching bench;
    bench.options.os.driver["MapAperture2"] = 0;
    bench.options.os.map_aperture2_missing_refused = refused;
    bench.options.os.discrete_without_remapping_refused = false;
    const auto result = bench.Run([](Life& life) {
      EXPECT_EQ(life.adapter.mode(), DmaMode::kPhysical);
      workload::RunSeededMainJob(life, 30'000);
    });
    if (refused) {
      ASSERT_THAT(result.faults, SizeIs(1));
      EXPECT_THAT(result.faults[0].text, HasSubstr("MapAperture2Supported"));
    } else {
      EXPECT_THAT(result.faults, IsEmpty());
      EXPECT_TRUE(result.Passed());
    }
  }
}

TEST(DomainSwitch, AGpuThatDoesNotReachAllMemoryIsNotStartedWithoutMapAperture2) {
  test::LifeBench bench;
  bench.options.os.driver["MapAperture2"] = 0;
  bench.options.os.map_aperture2_missing_refused = false;
  bench.options.os.discrete_without_remapping_refused = false;
  const auto result = bench.Run([](Life&) { ADD_FAILURE() << "it was started"; });
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("the GPU reaches memory up to 0xffffffff"));
}

}  // namespace
}  // namespace gmmu::os
