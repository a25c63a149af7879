// SPDX-License-Identifier: Apache-2.0
#include "ddi/wdm_lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ddi/wdm_inline.h"
#include "tb/sw/os/threads/driver_threads.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;

TEST(InterlockedLists, KeepTheirOrder) {
  Machine machine;
  KSPIN_LOCK lock;
  LIST_ENTRY head, one, two, three;
  KeInitializeSpinLock(&lock);
  InitializeListHead(&head);
  EXPECT_EQ(ExInterlockedRemoveHeadList(&head, &lock), nullptr);
  EXPECT_EQ(ExInterlockedInsertTailList(&head, &two, &lock), nullptr);
  EXPECT_EQ(ExInterlockedInsertTailList(&head, &three, &lock), &two);
  EXPECT_EQ(ExInterlockedInsertHeadList(&head, &one, &lock), &two);
  for (LIST_ENTRY* entry : {&one, &two, &three}) EXPECT_EQ(ExInterlockedRemoveHeadList(&head, &lock), entry);
  EXPECT_TRUE(IsListEmpty(&head));
  SINGLE_LIST_ENTRY stack{}, a, b;
  EXPECT_EQ(ExInterlockedPushEntryList(&stack, &a, &lock), nullptr);
  EXPECT_EQ(ExInterlockedPushEntryList(&stack, &b, &lock), &a);
  EXPECT_EQ(ExInterlockedPopEntryList(&stack, &lock), &b);
  EXPECT_EQ(ExInterlockedPopEntryList(&stack, &lock), &a);
  EXPECT_EQ(ExInterlockedPopEntryList(&stack, &lock), nullptr);
  ULONG sum = 5;
  EXPECT_EQ(ExInterlockedAddUlong(&sum, 3, &lock), 5u);
  EXPECT_EQ(sum, 8u);
}

TEST(InterlockedLists, WithALockThatIsHeldAreADeadlock) {
  Threads threads;
  KSPIN_LOCK lock;
  LIST_ENTRY head;
  EXPECT_THAT(threads.Alone([&] {
    KeInitializeSpinLock(&lock);
    InitializeListHead(&head);
    KeAcquireSpinLockRaiseToDpc(&lock);
    ExInterlockedRemoveHeadList(&head, &lock);
  }),
              HasSubstr("deadlock: alone calls ExInterlockedRemoveHeadList with the spin lock at "));
  KSPIN_LOCK wild = 0;
  EXPECT_THAT(threads.Alone([&] { ExInterlockedRemoveHeadList(&head, &wild); }), HasSubstr("was not initialised"));
}

TEST(SequencedLists, AreStacksThatCount) {
  Machine machine;
  SLIST_HEADER head;
  SLIST_ENTRY one, two;
  InitializeSListHead(&head);
  EXPECT_EQ(InterlockedPopEntrySList(&head), nullptr);
  EXPECT_EQ(InterlockedPushEntrySList(&head, &one), nullptr);
  EXPECT_EQ(InterlockedPushEntrySList(&head, &two), &one);
  EXPECT_EQ(ExQueryDepthSList(&head), 2);
  EXPECT_EQ(InterlockedPopEntrySList(&head), &two);
  EXPECT_EQ(ExInterlockedFlushSList(&head), &one);
  EXPECT_EQ(ExQueryDepthSList(&head), 0);
  auto* const odd = reinterpret_cast<PSLIST_ENTRY>(reinterpret_cast<char*>(&two) + 8);
  EXPECT_THROW(InterlockedPushEntrySList(&head, odd), BugCheck);
}

TEST(LookasideLists, GiveBlocksOfTheirSizeAndCountThem) {
  Machine machine;
  NPAGED_LOOKASIDE_LIST list{};
  EXPECT_THROW(ExAllocateFromNPagedLookasideList(&list), BugCheck) << "not initialised";
  ExInitializeNPagedLookasideList(&list, nullptr, nullptr, 0, 48, 0x6B6F6F4C, 0);
  PVOID const block = ExAllocateFromNPagedLookasideList(&list);
  ASSERT_NE(block, nullptr);
  EXPECT_THROW(ExDeleteNPagedLookasideList(&list), BugCheck) << "one is not freed";
  ExFreeToNPagedLookasideList(&list, block);
  EXPECT_THROW(ExFreeToNPagedLookasideList(&list, block), BugCheck) << "freed twice";
  list.TotalFrees = list.TotalAllocates;
  ExDeleteNPagedLookasideList(&list);
  EXPECT_EQ(machine.kernel.ledger().open(), 0u);
}

TEST(LookasideLists, OfPagedPoolAreForApcLevelAndBelow) {
  Machine machine;
  PAGED_LOOKASIDE_LIST list;
  ExInitializePagedLookasideList(&list, nullptr, nullptr, 0, 48, 0x6B6F6F4C, 0);
  ExFreeToPagedLookasideList(&list, ExAllocateFromPagedLookasideList(&list));
  machine.kernel.scheduler().Raise(kDispatch);
  EXPECT_THROW(ExAllocateFromPagedLookasideList(&list), BugCheck);
}

TEST(LookasideLists, TakeAllocatorsOfTheDriver) {
  Machine machine;
  static int allocated = 0, freed = 0;
  static LONG64 place;
  NPAGED_LOOKASIDE_LIST list;
  ExInitializeNPagedLookasideList(
      &list,
      [](POOL_TYPE, SIZE_T, ULONG) {
        ++allocated;
        return static_cast<PVOID>(&place);
      },
      [](PVOID) { ++freed; }, 0, 8, 0x6B6F6F4C, 0);
  ExFreeToNPagedLookasideList(&list, ExAllocateFromNPagedLookasideList(&list));
  EXPECT_EQ(allocated, 1);
  EXPECT_EQ(freed, 1);
}

TEST(Interlocked, ReturnWhatTheKitSays) {
  volatile LONG word = 6;
  EXPECT_EQ(InterlockedExchangeAdd(&word, 2), 6);
  EXPECT_EQ(InterlockedAdd(&word, 2), 10);
  EXPECT_EQ(InterlockedAnd(&word, 3), 10);
  EXPECT_EQ(InterlockedOr(&word, 5), 2);
  EXPECT_EQ(InterlockedXor(&word, 1), 7);
  EXPECT_EQ(word, 6);
  EXPECT_EQ(InterlockedBitTestAndSet(&word, 0), FALSE);
  EXPECT_EQ(InterlockedBitTestAndReset(&word, 1), TRUE);
  EXPECT_EQ(word, 5);
  volatile LONG64 wide = LONG64{1} << 40;
  EXPECT_EQ(InterlockedIncrement64(&wide), (LONG64{1} << 40) + 1);
  EXPECT_EQ(InterlockedCompareExchange64(&wide, 3, (LONG64{1} << 40) + 1), (LONG64{1} << 40) + 1);
  EXPECT_EQ(InterlockedExchange64(&wide, 4), 3);
  PVOID volatile pointer = nullptr;
  LONG other = 0;
  EXPECT_EQ(InterlockedCompareExchangePointer(&pointer, &other, nullptr), nullptr);
  EXPECT_EQ(InterlockedExchangePointer(&pointer, nullptr), &other);
}

}  // namespace
}  // namespace gmmu::os
