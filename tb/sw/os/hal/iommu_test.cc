// SPDX-License-Identifier: Apache-2.0
// The IOMMU's driver on the twin's machine.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "os/base/bug_check.h"
#include "tb/sw/os/machine.h"
#include "os/hal/iommu.h"

namespace gmmu::os {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Iommu, TranslatesWhatWasMappedForAttachedDevicesOnly) {
  Machine machine;
  Iommu& iommu = *machine.kernel.iommu();
  std::vector<IommuFault> faults;
  iommu.Enable([&](const IommuFault& fault) { faults.push_back(fault); });
  IommuDomain* domain = iommu.CreateDomain(uint64_t{1} << 33, false, "test");
  const std::vector<uint64_t> pfns = {0x12345, 0x777, 0x54321};
  iommu.Map(*domain, 0x1FFFFD000, pfns, "test", "test");

  EXPECT_EQ(machine.Translate(0x1FFFFD000).reason, sim::VtdReason::kRootNotPresent);
  const hw::Bdf gpu{1, 0, 0};
  iommu.Attach(gpu, *domain);
  for (uint64_t i = 0; i < pfns.size(); ++i) {
    EXPECT_EQ(machine.Translate(0x1FFFFD000 + i * 4096 + 0x123).hpa, pfns[i] * 4096 + 0x123);
    EXPECT_EQ(machine.Translate(0x1FFFFD000 + i * 4096, true).hpa, pfns[i] * 4096);
  }
  EXPECT_FALSE(machine.Translate(0x1FFFFC000).ok());
  iommu.Unmap(*domain, 0x1FFFFD000, pfns.size());
  EXPECT_FALSE(machine.Translate(0x1FFFFD000).ok()) << "the IOTLB still knows the page";
  machine.kernel.scheduler().Seam();
  ASSERT_FALSE(faults.empty());
  EXPECT_EQ(faults.front().requester, 0x100);
  EXPECT_EQ(faults.front().ReasonName(), "root entry not present");

  iommu.Detach(gpu, *domain);
  EXPECT_EQ(machine.Translate(0x1000).reason, sim::VtdReason::kContextNotPresent);
  iommu.DestroyDomain(domain);
  iommu.Disable();
  EXPECT_THAT(machine.kernel.ledger().Leaks(), IsEmpty());
  EXPECT_EQ(machine.kernel.pages().allocated(), 0u);
}

// The unit raises its interrupt for a fault only if none was pending.
TEST(Iommu, FaultsThatComeWhileOthersAreDrainedAreReportedToo) {
  Machine machine;
  Iommu& iommu = *machine.kernel.iommu();
  std::vector<uint64_t> faults;
  uint64_t more = 20;  // more faults than the unit has fault records
  iommu.Enable([&](const IommuFault& fault) {
    faults.push_back(fault.address);
    if (more > 0) machine.Translate(more-- * 4096);
  });
  const auto seam = [&] {  // the interrupt message takes some time to arrive
    machine.platform.WaitForMessage(1'000'000);
    machine.kernel.scheduler().Seam();
  };
  machine.Translate(0x100000);
  machine.Translate(0x101000);  // so that one fault is always pending
  seam();
  EXPECT_THAT(faults, SizeIs(22));
  machine.Translate(0x200000);
  seam();
  ASSERT_THAT(faults, SizeIs(23));
  EXPECT_EQ(faults.back(), 0x200000u);
  iommu.Disable();
}

// Each drained fault causes the next one, so that the drain would never end.
TEST(Iommu, ADeviceThatFaultsWithoutEndEndsTheRunWithItsLastFault) {
  Machine machine;
  Iommu& iommu = *machine.kernel.iommu();
  uint64_t faults = 0;
  iommu.Enable([&](const IommuFault&) { machine.Translate(0x1000 * (++faults % 16)); });
  machine.Translate(0x7000);
  machine.Translate(0x8000);
  machine.platform.WaitForMessage(1'000'000);
  try {
    machine.kernel.scheduler().Seam();
    FAIL() << "no bug check after " << faults << " faults";
  } catch (const BugCheck& stop) {
    EXPECT_THAT(stop.what(), ::testing::HasSubstr("a storm of DMA faults: the IOMMU has recorded 4096 "));
    EXPECT_THAT(stop.what(), ::testing::HasSubstr("device 01:00.0: read of logical page 0x"));
    EXPECT_THAT(stop.what(), ::testing::HasSubstr(": root entry not present"));
  }
  machine.Translate(0x9000);  // this fault is not drained
  EXPECT_FALSE(machine.platform.WaitForMessage(1'000'000));
  iommu.Disable();
  EXPECT_EQ(faults, 4096u);
}

TEST(Iommu, NeverGivesOutTheInterruptWindowOrPageZero) {
  Machine machine;
  Iommu& iommu = *machine.kernel.iommu();
  iommu.Enable([](const IommuFault&) {});
  IommuDomain* domain = iommu.CreateDomain(uint64_t{1} << 32, false, "test");
  EXPECT_FALSE(domain->logical().AllocateAt(0, 0x1000, "test"));
  EXPECT_FALSE(domain->logical().AllocateAt(0xFEE00000, 0x1000, "test"));
  EXPECT_FALSE(domain->logical().AllocateAt(0xFEEFF000, 0x1000, "test"));
  EXPECT_TRUE(domain->logical().AllocateAt(0xFEF00000, 0x1000, "test"));
  EXPECT_FALSE(domain->logical().AllocateAt(uint64_t{1} << 32, 0x1000, "test"));
}

TEST(Iommu, BugChecksOnASecondMappingOfAPageAndOnAnUnknownUnmap) {
  Machine machine;
  Iommu& iommu = *machine.kernel.iommu();
  iommu.Enable([](const IommuFault&) {});
  IommuDomain* domain = iommu.CreateDomain(uint64_t{1} << 33, false, "test");
  iommu.Map(*domain, 0x5000, {1}, "test", "test");
  EXPECT_THROW(iommu.Map(*domain, 0x5000, {2}, "test", "test"), BugCheck);
  EXPECT_THROW(iommu.Unmap(*domain, 0x6000, 1), BugCheck);
}

}  // namespace
}  // namespace gmmu::os
