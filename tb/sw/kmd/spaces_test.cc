// SPDX-License-Identifier: Apache-2.0
#include "kmd/adapter.h"

#include <gtest/gtest.h>

#include "kmd/segments.h"
#include "tb/sw/kmd/started_driver.h"
#include "kmd/escape.h"

namespace gmmu::kmd::test {
namespace {

TEST(Spaces, AreHandedOutFlushedAndGivenBackWithTheLastContext) {
  StartedDriver driver;  // the driver itself uses two of the four address spaces
  FakeKernel& kernel = driver.kernel;
  std::vector<HANDLE> processes, devices, contexts;
  for (int i = 0; i < 2; ++i) {
    processes.push_back(driver.CreateProcess(false));
    devices.push_back(driver.CreateDevice(processes.back()));
    kernel.writes.clear();
    contexts.push_back(driver.CreateContext(devices.back(), false));
    ASSERT_EQ(kernel.writes.size(), 1u);
    EXPECT_EQ(kernel.writes[0].offset, regs::InvCmd::kOffset);
    EXPECT_EQ(kernel.writes[0].value, regs::InvCmd{}.set_scope(regs::Scope::kSpace).set_space(2u + i).raw);
  }
  processes.push_back(driver.CreateProcess(false));
  devices.push_back(driver.CreateDevice(processes.back()));
  NTSTATUS status = STATUS_SUCCESS;
  driver.CreateContext(devices.back(), false, &status);
  EXPECT_EQ(status, STATUS_INSUFFICIENT_RESOURCES);

  DXGKARG_SETROOTPAGETABLE root{contexts[0], {kVramSegment, 0, 0x40000}, 512};
  kernel.table.DxgkDdiSetRootPageTable(kernel.adapter, &root);
  const uint32_t space2 = regs::kSpaceBase + 2 * regs::kSpaceStride;
  EXPECT_TRUE(kernel.Reg<regs::SpaceRoot>(space2).enable());
  kernel.table.DxgkDdiDestroyContext(contexts[0]);
  EXPECT_FALSE(kernel.Reg<regs::SpaceRoot>(space2).enable());
  // Reuses the space of the destroyed context.
  contexts[0] = driver.CreateContext(devices.back(), false);

  for (HANDLE handle : contexts) kernel.table.DxgkDdiDestroyContext(handle);
  for (HANDLE handle : devices) kernel.table.DxgkDdiDestroyDevice(handle);
  for (HANDLE handle : processes) kernel.table.DxgkDdiDestroyProcess(kernel.adapter, handle);
}

TEST(Spaces, RootGoesToTheSpaceOfTheContextsProcessAndOnlyAChangeIsWritten) {
  StartedDriver driver({{"PageTableLevels", 3}, {"PageTableBits0", 13}, {"PageTableBits1", 11}, {"PageTableBits2", 3}});
  FakeKernel& kernel = driver.kernel;
  DXGKARG_SETROOTPAGETABLE root{driver.context, {kVramSegment, 0, 0x123000}, 8};
  kernel.table.DxgkDdiSetRootPageTable(kernel.adapter, &root);
  ASSERT_EQ(kernel.writes.size(), 2u);
  const uint32_t space = regs::kSpaceBase + regs::kSpaceStride;
  EXPECT_EQ(kernel.writes[0].offset, space + regs::SpaceGeometry::kOffset);
  EXPECT_EQ(kernel.writes[1].offset, space + regs::SpaceRoot::kOffset) << "root last: it commits";
  const auto geometry = kernel.Reg<regs::SpaceGeometry>(space);
  EXPECT_EQ(geometry.levels(), 3u);
  EXPECT_EQ(geometry.bits0(), 13u);
  EXPECT_EQ(geometry.bits1(), 11u);
  EXPECT_EQ(geometry.bits2(), 3u);
  EXPECT_EQ(geometry.root_entries(), 8u);
  const auto written = kernel.Reg<regs::SpaceRoot>(space);
  EXPECT_EQ(written.address(), 0x123000u);
  EXPECT_EQ(written.target(), regs::Target::kVram);

  kernel.writes.clear();
  kernel.table.DxgkDdiSetRootPageTable(kernel.adapter, &root);
  EXPECT_TRUE(kernel.writes.empty());
  root.NumEntries = 4;
  kernel.table.DxgkDdiSetRootPageTable(kernel.adapter, &root);
  EXPECT_EQ(kernel.writes.size(), 2u);
}

TEST(Spaces, RefusesARootTheHardwareCannotHave) {
  StartedDriver driver;
  FakeKernel& kernel = driver.kernel;
  const DXGKARG_SETROOTPAGETABLE bad[] = {{driver.context, {kApertureSegment, 0, 0}, 512},
                                          {driver.context, {7, 0, 0}, 512},
                                          {driver.context, {kVramSegment, 0, 0x800}, 512},
                                          {driver.context, {kVramSegment, 0, 0}, 513}};
  for (const auto& root : bad) kernel.table.DxgkDdiSetRootPageTable(kernel.adapter, &root);
  EXPECT_TRUE(kernel.writes.empty());
}

TEST(Spaces, ASpaceThatNeverBecomesQuietIsNotHandedOut) {
  StartedDriver driver;
  FakeKernel& kernel = driver.kernel;
  const HANDLE process = driver.CreateProcess(false);
  const HANDLE device = driver.CreateDevice(process);
  kernel.reg(regs::InvStatus::kOffset) = 1;
  NTSTATUS status = STATUS_SUCCESS;
  driver.CreateContext(device, false, &status);
  EXPECT_EQ(status, STATUS_IO_TIMEOUT);
  kernel.reg(regs::InvStatus::kOffset) = 0;
  kernel.table.DxgkDdiDestroyDevice(device);
  kernel.table.DxgkDdiDestroyProcess(kernel.adapter, process);
}

}  // namespace
}  // namespace gmmu::kmd::test
