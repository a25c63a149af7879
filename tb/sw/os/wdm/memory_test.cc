// SPDX-License-Identifier: Apache-2.0
#include "ddi/wdm_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ddi/wdm_waits.h"
#include "os/kernel/driver_objects.h"
#include "tb/sw/os/threads/driver_threads.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;

TEST(PoolByItsOlderNames, IsFullOfAPatternWhereItIsNotZeroed) {
  Machine machine;
  auto* bytes = static_cast<UCHAR*>(ExAllocatePoolWithTag(NonPagedPoolNx, 16, 0x6C646C4F));
  EXPECT_EQ(bytes[0], 0xCD);
  EXPECT_EQ(bytes[15], 0xCD);
  ExFreePoolWithTag(bytes, 0x6C646C4F);
  bytes = static_cast<UCHAR*>(ExAllocatePoolZero(NonPagedPoolNx, 16, 0x6C646C4F));
  EXPECT_EQ(bytes[15], 0);
  ExFreePool(bytes);
  bytes = static_cast<UCHAR*>(ExAllocatePool2(POOL_FLAG_NON_PAGED | POOL_FLAG_UNINITIALIZED, 16, 0x6C646C4F));
  EXPECT_EQ(bytes[3], 0xCD);
  ExFreePool(bytes);
  EXPECT_EQ(machine.kernel.ledger().open(), 0u);
}

TEST(PoolByItsOlderNames, ThatIsPagedIsForApcLevelAndBelow) {
  Threads threads;
  EXPECT_THAT(threads.Alone([] {
    KeLowerIrql(KeRaiseIrqlToDpcLevel());
    KeRaiseIrqlToDpcLevel();
    ExFreePool(ExAllocatePoolWithTag(NonPagedPoolNx, 16, 0x6C646C4F));
    ExAllocatePoolWithTag(PagedPool, 16, 0x6C646C4F);
  }),
              HasSubstr("ExAllocatePoolWithTag of paged pool above APC_LEVEL"));
  EXPECT_THAT(threads.Alone([] {
    KeRaiseIrqlToDpcLevel();
    ExAllocatePool2(POOL_FLAG_PAGED, 16, 0x6C646C4F);
  }),
              HasSubstr("ExAllocatePool2 of paged pool above APC_LEVEL"));
}

TEST(PoolByItsOlderNames, RaisesWhereItIsAskedTo) {
  Machine machine;
  EXPECT_EQ(ExAllocatePool2(POOL_FLAG_NON_PAGED, 0, 0x6C646C4F), nullptr);
  EXPECT_THROW(ExAllocatePool2(POOL_FLAG_NON_PAGED | POOL_FLAG_RAISE_ON_FAILURE, 0, 0x6C646C4F), BugCheck);
}

TEST(ContiguousMemoryByItsOlderName, IsFreedWithoutItsSize) {
  Machine machine;
  PHYSICAL_ADDRESS highest;
  highest.QuadPart = -1;
  PVOID const memory = MmAllocateContiguousMemory(3 * PAGE_SIZE, highest);
  ASSERT_NE(memory, nullptr);
  MmFreeContiguousMemory(memory);
  EXPECT_THROW(MmFreeContiguousMemory(memory), BugCheck);
  EXPECT_EQ(machine.kernel.ledger().open(), 0u);
}

TEST(ViewsOfDeviceMemory, AreOfBarsAndForTheRegisterRoutines) {
  Machine machine;
  const auto functions = machine.kernel.pci().Enumerate();
  const auto gpu = std::find_if(functions.begin(), functions.end(),
                                [](const PciFunction& f) { return f.bars[0].size != 0; });
  ASSERT_NE(gpu, functions.end());
  PHYSICAL_ADDRESS address;
  address.QuadPart = static_cast<LONGLONG>(gpu->bars[0].address);
  auto* view = static_cast<ULONG*>(MmMapIoSpace(address, 0x1000, MmNonCached));
  ASSERT_NE(view, nullptr);
  const ULONG word = READ_REGISTER_ULONG(view);
  UCHAR bytes[4];
  READ_REGISTER_BUFFER_UCHAR(reinterpret_cast<UCHAR*>(view), bytes, 1);
  ULONG words[1];
  READ_REGISTER_BUFFER_ULONG(view, words, 1);
  EXPECT_EQ(word, 0x554D4D47u);
  EXPECT_EQ(words[0], word);
  EXPECT_EQ(bytes[0], 0x47);
  EXPECT_THROW(MmUnmapIoSpace(view, 0x2000), BugCheck) << "larger than it was mapped";
  MmUnmapIoSpace(view, 0x1000);
  EXPECT_THROW(READ_REGISTER_ULONG(view), BugCheck);
  address.QuadPart = 0x1000;
  EXPECT_EQ(MmMapIoSpaceEx(address, 0x1000, PAGE_READWRITE), nullptr) << "system memory";
  EXPECT_EQ(machine.kernel.ledger().open(), 0u);
}

TEST(RegistersOfOtherWidths, OfSystemMemoryAreMemory) {
  Machine machine;
  UCHAR bytes[4] = {};
  WRITE_REGISTER_UCHAR(bytes, 1);
  WRITE_REGISTER_USHORT(reinterpret_cast<USHORT*>(bytes + 2), 0x304);
  EXPECT_EQ(READ_REGISTER_UCHAR(bytes + 2), 4);
  EXPECT_EQ(READ_REGISTER_USHORT(reinterpret_cast<USHORT*>(bytes)), 1);
  UCHAR more[2] = {8, 9};
  WRITE_REGISTER_BUFFER_UCHAR(bytes, more, 2);
  EXPECT_EQ(bytes[1], 9);
}

TEST(PagesOfAnMdl, CanBeMappedAndAreGivenBack) {
  Machine machine;
  PHYSICAL_ADDRESS low{}, high, skip{};
  high.QuadPart = -1;
  PMDL const list = MmAllocatePagesForMdlEx(low, high, skip, 5 * PAGE_SIZE, MmCached, 0);
  ASSERT_NE(list, nullptr);
  EXPECT_STREQ(machine.kernel.driver().forbidden_routine, "MmAllocatePagesForMdlEx")
      << "with GPU isolation it is refused";
  EXPECT_EQ(MmGetMdlByteCount(list), 5u * PAGE_SIZE);
  auto* view = static_cast<UCHAR*>(MmMapLockedPages(list, KernelMode));
  ASSERT_NE(view, nullptr);
  view[4 * PAGE_SIZE] = 7;
  EXPECT_EQ(static_cast<uint64_t>(MmGetPhysicalAddress(view + 4 * PAGE_SIZE).QuadPart),
            MmGetMdlPfnArray(list)[4] * PAGE_SIZE);
  EXPECT_THROW(MmFreePagesFromMdl(list), BugCheck) << "a view is left";
  MmUnmapLockedPages(view, list);
  MmFreePagesFromMdl(list);
  ExFreePool(list);
  EXPECT_EQ(machine.kernel.ledger().open(), 0u);
}

}  // namespace
}  // namespace gmmu::os
