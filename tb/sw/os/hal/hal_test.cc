// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "ddi/wdm.h"
#include "os/base/bug_check.h"
#include "tb/sw/os/driver_front.h"
#include "tb/sw/os/machine.h"

namespace gmmu::os {
namespace {

TEST(RegisterViews, AreReachableByTheRegisterRoutinesOnly) {
  Machine machine;
  const auto gpu = machine.kernel.pci().Enumerate().front();
  void* view = machine.kernel.mmio().Map(gpu.bars[0].address, 0x1000, "test", "test");
  EXPECT_EQ(READ_REGISTER_ULONG64(static_cast<volatile ULONG64*>(view)) & 0xFFFFFFFF, 0x554D4D47u);
  EXPECT_THROW(READ_REGISTER_ULONG64(static_cast<volatile ULONG64*>(view) + 0x200), BugCheck);
  EXPECT_DEATH(*static_cast<volatile ULONG64*>(view) = 0, "");
  machine.kernel.mmio().Unmap(view);
  EXPECT_THROW(machine.kernel.mmio().Unmap(view), BugCheck);
}

}  // namespace
}  // namespace gmmu::os

namespace gmmu::os::test {
namespace {

using ::testing::HasSubstr;

using workload::Life;

class RegisterViewsOfADriver : public DriverFront {};

TEST_F(RegisterViewsOfADriver, LieInsideOneBarOfItsDevice) {
  Run([&](Life& life) {
    const Bar bar = life.adapter.function().bars[0];
    const HANDLE device = life.adapter.handle();
    const auto map = [&](uint64_t address, uint64_t length, bool io = false, bool user = false) {
      PHYSICAL_ADDRESS start{};
      start.QuadPart = static_cast<LONGLONG>(address);
      PVOID view = nullptr;
      const NTSTATUS status = seen.interface.DxgkCbMapMemory(device, start, static_cast<ULONG>(length), io, user,
                                                             MmNonCached, &view);
      EXPECT_EQ(view != nullptr, status == STATUS_SUCCESS);
      if (view != nullptr) seen.interface.DxgkCbUnmapMemory(device, view);
      return status;
    };
    EXPECT_EQ(map(bar.address, bar.size), STATUS_SUCCESS);
    EXPECT_EQ(map(bar.address + 0x1000, bar.size - 0x1000), STATUS_SUCCESS);
    EXPECT_EQ(map(bar.address + 0x1000, bar.size), STATUS_INVALID_PARAMETER) << "past its end";
    EXPECT_EQ(map(bar.address, 0), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(map(0x1000, 0x1000), STATUS_INVALID_PARAMETER) << "memory is no device";
    EXPECT_EQ(map(bar.address, 0x1000, true), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(map(bar.address, 0x1000, false, true), STATUS_INVALID_PARAMETER) << "the system process has no user part";
  });
}

TEST_F(RegisterViewsOfADriver, BelongToTheProcessInWhichTheyWereMappedForUserMode) {
  Run([&](Life& life) {
    life.worker.Call([&] {
      Scheduler& scheduler = life.adapter.kernel().scheduler();
      PHYSICAL_ADDRESS start{};
      start.QuadPart = static_cast<LONGLONG>(life.adapter.function().bars[0].address);
      const HANDLE device = life.adapter.handle();
      scheduler.AttachProcess(7);
      PVOID view = nullptr;
      ASSERT_EQ(seen.interface.DxgkCbMapMemory(device, start, 0x1000, FALSE, TRUE, MmNonCached, &view), STATUS_SUCCESS);
      auto* const word = static_cast<volatile ULONG*>(view);
      const ULONG id = READ_REGISTER_ULONG(word);
      for (const uint64_t process : {8, 0}) {
        scheduler.AttachProcess(process);
        try {
          READ_REGISTER_ULONG(word);
          ADD_FAILURE() << "read in process " << process;
        } catch (const BugCheck& stop) {
          EXPECT_THAT(stop.cause(), HasSubstr("belongs to process 7, in process " + std::to_string(process)));
        }
        EXPECT_THROW(seen.interface.DxgkCbUnmapMemory(device, view), BugCheck);
      }
      scheduler.AttachProcess(7);
      EXPECT_EQ(READ_REGISTER_ULONG(word), id);
      EXPECT_EQ(seen.interface.DxgkCbUnmapMemory(device, view), STATUS_SUCCESS);
      scheduler.AttachProcess(0);
    });
  });
}

}  // namespace
}  // namespace gmmu::os::test
