// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/contiguous_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "ddi/wdm.h"
#include "os/kernel/driver_objects.h"
#include "tb/sw/os/machine.h"
#include "os/base/bug_check.h"

namespace gmmu::os {
namespace {

using ::testing::SizeIs;

TEST(ContiguousMemory, IsConsecutiveForTheDeviceAndWithinItsBounds) {
  Machine machine;
  ContiguousMemory& memory = machine.kernel.contiguous();
  ContiguousMemory::Bounds bounds;
  bounds.lowest = 1 << 20;
  bounds.highest = (2 << 20) - 1;
  auto* const view = static_cast<uint8_t*>(memory.Allocate(3 * 4096, bounds, MmCached));
  ASSERT_NE(view, nullptr);
  const auto first = static_cast<uint64_t>(MmGetPhysicalAddress(view).QuadPart);
  EXPECT_GE(first, bounds.lowest);
  EXPECT_LE(first + 3 * 4096 - 1, bounds.highest);
  for (int page = 1; page < 3; ++page)
    EXPECT_EQ(MmGetPhysicalAddress(view + page * 4096).QuadPart, static_cast<LONGLONG>(first) + page * 4096);
  EXPECT_THAT(machine.kernel.ledger().Leaks(), ::testing::Contains(::testing::Field(&Leak::kind, "contiguous_memory")));
  memory.Free(view, 3 * 4096);
  EXPECT_THAT(machine.kernel.ledger().Leaks(), SizeIs(0));
  EXPECT_STREQ(machine.kernel.driver().forbidden_routine, "MmAllocateContiguousMemorySpecifyCache");
}

TEST(ContiguousMemory, ThatDoesNotExistIsNull) {
  Machine machine;
  ContiguousMemory::Bounds none;
  none.highest = 4095;
  none.lowest = 4096;
  EXPECT_EQ(machine.kernel.contiguous().Allocate(4096, none, MmCached), nullptr);
  EXPECT_EQ(machine.kernel.contiguous().Allocate(0, {}, MmCached), nullptr);
  ContiguousMemory::Bounds odd;
  odd.boundary = 12288;
  EXPECT_EQ(machine.kernel.contiguous().Allocate(4096, odd, MmCached), nullptr);
  EXPECT_EQ(machine.kernel.pages().allocated(), 0u);
}

TEST(ContiguousMemory, IsGivenBackAsItWasTaken) {
  Machine machine;
  ContiguousMemory& memory = machine.kernel.contiguous();
  void* const view = memory.Allocate(8192, {}, MmNonCached);
  EXPECT_THROW(memory.Free(view, 4096), BugCheck);
  memory.Free(view, 8192);
  EXPECT_THROW(memory.Free(view, 8192), BugCheck);
}

TEST(ContiguousMemory, HasRoutinesThatAreFoundByName) {
  Machine machine;
  const auto find = [](std::u16string name) {
    UNICODE_STRING text{static_cast<USHORT>(name.size() * 2), static_cast<USHORT>(name.size() * 2),
                        reinterpret_cast<PWSTR>(name.data())};
    return MmGetSystemRoutineAddress(&text);
  };
  EXPECT_EQ(find(u"MmAllocateContiguousMemorySpecifyCache"),
            reinterpret_cast<PVOID>(MmAllocateContiguousMemorySpecifyCache));
  EXPECT_EQ(find(u"MmFreeContiguousMemorySpecifyCache"), reinterpret_cast<PVOID>(MmFreeContiguousMemorySpecifyCache));
  EXPECT_EQ(find(u"MmProbeAndLockPages"), nullptr);
}

}  // namespace
}  // namespace gmmu::os
