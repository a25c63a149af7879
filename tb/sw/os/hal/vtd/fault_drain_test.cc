// SPDX-License-Identifier: Apache-2.0
// Tests how the VT-d driver drains fault records.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "os/base/bug_check.h"
#include "tb/sw/os/machine.h"
#include "os/hal/remapping.h"

namespace gmmu::os {
namespace {

using ::testing::SizeIs;

// The unit raises its fault interrupt only if no earlier fault is pending, so a drain must also
// report the faults that are recorded while it runs.
TEST(FaultDrain, FaultsThatComeWhileOthersAreDrainedAreReportedToo) {
  Machine machine;
  Remapping& iommu = *machine.kernel.iommu();
  std::vector<uint64_t> faults;
  uint64_t more = 20;  // more than the unit has fault records
  iommu.Enable([&](const RemappingFault& fault) {
    faults.push_back(fault.address);
    if (more > 0) machine.Translate(more-- * 4096);
  });
  const auto seam = [&] {  // lets the interrupt message arrive
    machine.platform.WaitForMessage(1'000'000);
    machine.kernel.scheduler().Seam();
  };
  machine.Translate(0x100000);
  machine.Translate(0x101000);  // keeps a fault pending during the drain
  seam();
  EXPECT_THAT(faults, SizeIs(22));
  machine.Translate(0x200000);
  seam();
  ASSERT_THAT(faults, SizeIs(23));
  EXPECT_EQ(faults.back(), 0x200000u);
  iommu.Disable();
}

// Each drained fault causes another, so the drain would never end.
TEST(FaultDrain, ADeviceThatFaultsWithoutEndEndsTheRunWithItsLastFault) {
  Machine machine;
  Remapping& iommu = *machine.kernel.iommu();
  uint64_t faults = 0;
  iommu.Enable([&](const RemappingFault&) { machine.Translate(0x1000 * (++faults % 16)); });
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
  machine.Translate(0x9000);  // draining has stopped, so this fault raises no interrupt
  EXPECT_FALSE(machine.platform.WaitForMessage(1'000'000));
  iommu.Disable();
  EXPECT_EQ(faults, 4096u);
}

}  // namespace
}  // namespace gmmu::os
