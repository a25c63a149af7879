// SPDX-License-Identifier: Apache-2.0
// Tests an invalidation queue that has stopped on an error: no page is reused, the error message
// gives the unit's reason, and faults are still handled.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "host/config.h"
#include "host/ram_of_iommu.h"
#include "os/base/errors.h"
#include "os/hal/remapping.h"
#include "os/kernel/kernel.h"
#include "pcie/address_map.h"
#include "tb/sim/iommu/translate.h"
#include "twin/fast_engine.h"

namespace gmmu::os {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

constexpr uint64_t kIqt = sim::kIommuBase + 0x88;

/// A machine that corrupts one write to the tail register of the invalidation queue, so that the
/// tail points past the end of the queue.
struct WithABadTail : sim::twin::FastMachine {
  WithABadTail() : FastMachine(sim::MachineConfig::Default()) {}
  void MmioWrite(uint64_t address, unsigned size, uint64_t value) override {
    if (armed && address == kIqt) {
      armed = false;
      value = 0x7FFF0;
    }
    Machine::MmioWrite(address, size, value);
  }
  bool armed = false;
};

TEST(IommuQueue, ThatStopsEndsTheCallThatWaitsAndEveryLaterOneButNotTheFaults) {
  WithABadTail platform;
  Kernel kernel(platform, {});
  Remapping& iommu = *kernel.iommu();
  std::vector<RemappingFault> faults;
  iommu.Enable([&](const RemappingFault& fault) { faults.push_back(fault); });
  RemappingDomain* domain = iommu.CreateDomain(uint64_t{1} << 40, false, "test");
  iommu.Attach({1, 0, 0}, *domain);
  iommu.Map(*domain, 0x10000, {0x100}, "test", "test");
  iommu.Map(*domain, 0x20000, {0x200}, "test", "test");

  platform.armed = true;
  EXPECT_THAT([&] { iommu.Unmap(*domain, 0x10000, 1); },
              ThrowsMessage<OsError>(AllOf(HasSubstr("stopped its invalidation queue"), HasSubstr("IQERCD 0x1"),
                                           HasSubstr("(tail 32767)"))));
  const uint64_t now = platform.NowNs();
  EXPECT_THAT([&] { iommu.Unmap(*domain, 0x20000, 1); }, ThrowsMessage<OsError>(HasSubstr("IQERCD 0x1")));
  EXPECT_LT(platform.NowNs() - now, 100'000u) << "it waited for a queue that has stopped";

  sim::RamOfIommu ram{platform.ram()};
  EXPECT_FALSE(sim::TranslateAtOnce(*platform.iommu(), ram, {0x100, 0x70000, true}).ok());
  kernel.scheduler().Wait([&] { return !faults.empty(); }, 1'000'000, "the fault to be reported", 100);
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_EQ(faults[0].address, 0x70000u);
}

}  // namespace
}  // namespace gmmu::os
