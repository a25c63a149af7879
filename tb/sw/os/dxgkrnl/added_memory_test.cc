// SPDX-License-Identifier: Apache-2.0
// Tests memory that is added while adapters run. Microsoft's documentation decides only at an
// adapter's start; the expected behaviour is a choice of this model.
#include "os/dxgkrnl/added_memory.h"

#include "tb/sw/os/dxgkrnl/isolation_bench.h"

namespace gmmu::os::isolation_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kGiB = uint64_t{1} << 30;

class AddedMemory : public Isolation {
 protected:
  AddedMemory() { config.host.hot_add_gib = 8; }  // 6 to 14 GiB; the GPU reaches 8 GiB
  /// Returns the result of AddMemory. Call on any thread.
  static std::string Add(workload::Life& life, uint64_t start, uint64_t end) {
    std::string refusal;
    life.worker.Call([&] { refusal = AddMemory(life.adapter.dxgkrnl(), {start, end}); });
    return refusal;
  }
};

TEST_F(AddedMemory, BeyondTheReachOfAnAdapterIsRefusedAndNotAllocated) {
  const auto result = Run([](workload::Life& life) {
    PageAllocator& pages = life.adapter.kernel().pages();
    EXPECT_EQ(pages.end(), 6 * kGiB);
    EXPECT_THAT(Add(life, 6 * kGiB, 14 * kGiB), HasSubstr("reaches memory up to 0x1ffffffff"));
    EXPECT_EQ(pages.end(), 6 * kGiB);
    EXPECT_EQ(Add(life, 6 * kGiB, 8 * kGiB - 4096), "");
    EXPECT_EQ(pages.end(), 8 * kGiB - 4096);
    EXPECT_THAT(Add(life, 8 * kGiB - 4096, 8 * kGiB), HasSubstr("is not remapped")) << "equality is not enough";
    workload::MainJob(life).Run();
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
}

TEST_F(AddedMemory, IsMappedInADomainOfAllMemoryBeforeItIsAllocated) {
  options.os.iommu_flags = IommuFlags::kEnabled | IommuFlags::kEnableMappings | IommuFlags::kEnableAttach;
  const auto result = Run([](workload::Life& life) {
    RemappingDomain& domain = *life.adapter.domain();
    EXPECT_TRUE(domain.whole());
    constexpr uint64_t kFirst = 6 * kGiB / 4096, kLast = 7 * kGiB / 4096 - 1;
    EXPECT_EQ(domain.Lookup(kFirst), ~uint64_t{0});
    EXPECT_EQ(Add(life, 6 * kGiB, 7 * kGiB), "");
    EXPECT_EQ(domain.Lookup(kFirst), kFirst);
    EXPECT_EQ(domain.Lookup(kLast), kLast);
    EXPECT_EQ(domain.Lookup(kLast + 1), ~uint64_t{0});
    workload::MainJob(life).Run();
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
}

TEST_F(AddedMemory, IsNotMappedInADomainOfTheMemoryInUse) {
  const auto result = Run([](workload::Life& life) {
    SecureVm(life);
    EXPECT_EQ(Add(life, 6 * kGiB, 7 * kGiB), "");
    EXPECT_EQ(life.adapter.domain()->Lookup(6 * kGiB / 4096), ~uint64_t{0});
    workload::MainJob(life).Run();
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
}

TEST_F(AddedMemory, OfAnySizeIsReachedByARemappedAdapter) {
  options.os.iommu = RemapPolicy::kWhenPossible;
  const auto result = Run([](workload::Life& life) {
    EXPECT_EQ(Add(life, 6 * kGiB, 14 * kGiB), "");
    workload::MainJob(life).Run();
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
  EXPECT_THAT(result.faults, IsEmpty());
}

}  // namespace
}  // namespace gmmu::os::isolation_test
