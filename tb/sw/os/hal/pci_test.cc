// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/sw/os/machine.h"

namespace gmmu::os {
namespace {

using ::testing::SizeIs;

TEST(Pci, FindsTheGpuAndGivesItsBarsAddressesBelow4GiB) {
  Machine machine;
  const auto functions = machine.kernel.pci().Enumerate();
  ASSERT_THAT(functions, SizeIs(1));
  const PciFunction& gpu = functions.front();
  EXPECT_EQ(gpu.bdf.ToString(), "01:00.0");
  EXPECT_EQ(gpu.bars[0].size, 64u << 10);
  EXPECT_EQ(gpu.bars[2].size, 64u << 20);
  for (unsigned bar : {0u, 2u}) {
    EXPECT_EQ(gpu.bars[bar].address % gpu.bars[bar].size, 0u);
    EXPECT_LT(gpu.bars[bar].address + gpu.bars[bar].size, uint64_t{4} << 30);
  }
  EXPECT_EQ(machine.kernel.hal().Read(gpu.bars[0].address, 8) & 0xFFFFFFFF, 0x554D4D47u);
}

TEST(Pci, AFunctionInUseIsLeftOutAndKeepsItsBars) {
  Machine machine;
  const PciFunction gpu = machine.kernel.pci().Enumerate().front();
  EXPECT_THAT(machine.kernel.pci().Enumerate(8, {gpu.bdf.requester_id()}), SizeIs(0));
  EXPECT_EQ(machine.kernel.hal().Read(gpu.bars[0].address, 8) & 0xFFFFFFFF, 0x554D4D47u);
}

}  // namespace
}  // namespace gmmu::os
