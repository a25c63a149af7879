// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/driver_dpcs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tb/sw/os/threads/driver_threads.h"

namespace gmmu::os {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int> order;
void Note(PKDPC, PVOID context, PVOID one, PVOID two) {
  EXPECT_EQ(KeGetCurrentIrql(), DISPATCH_LEVEL);
  order.push_back(static_cast<int>(reinterpret_cast<intptr_t>(context) + reinterpret_cast<intptr_t>(one) +
                                   reinterpret_cast<intptr_t>(two)));
}
PVOID Number(intptr_t number) { return reinterpret_cast<PVOID>(number); }

TEST(DeferredCalls, RunAtDispatchLevelInTheirOrderEachOnce) {
  order.clear();
  Threads threads;
  KDPC first, second;
  EXPECT_EQ(threads.Alone([&] {
    KeInitializeDpc(&first, Note, Number(1));
    KeInitializeDpc(&second, Note, Number(2));
    const KIRQL before = KeRaiseIrqlToDpcLevel();
    EXPECT_TRUE(KeInsertQueueDpc(&first, Number(10), Number(100)));
    EXPECT_FALSE(KeInsertQueueDpc(&first, Number(20), Number(200)));
    EXPECT_TRUE(KeInsertQueueDpc(&second, Number(30), nullptr));
    KeLowerIrql(before);
    KeFlushQueuedDpcs();
  }),
            "");
  EXPECT_THAT(order, ElementsAre(111, 32));
}

TEST(DeferredCalls, CanBeTakenBack) {
  order.clear();
  Machine machine;  // without preemption, no deferred call runs at a raised IRQL
  KDPC dpc;
  KeInitializeDpc(&dpc, Note, nullptr);
  EXPECT_EQ(dpc.Importance, MediumImportance);
  KeSetImportanceDpc(&dpc, HighImportance);
  KeSetTargetProcessorDpc(&dpc, 3);
  EXPECT_EQ(dpc.Importance, HighImportance);
  EXPECT_EQ(dpc.Number, 3);
  EXPECT_FALSE(KeRemoveQueueDpc(&dpc));
  const KIRQL before = KeRaiseIrqlToDpcLevel();
  KeInsertQueueDpc(&dpc, nullptr, nullptr);
  EXPECT_TRUE(KeRemoveQueueDpc(&dpc));
  KeLowerIrql(before);
  EXPECT_TRUE(order.empty());
  KeInsertQueueDpc(&dpc, nullptr, nullptr);
  EXPECT_EQ(order.size(), 1u) << "below DISPATCH_LEVEL it has run on return";
}

TEST(DeferredCalls, MisuseIsABugCheck) {
  Machine machine;
  KDPC wild{};
  EXPECT_THROW(KeInsertQueueDpc(&wild, nullptr, nullptr), BugCheck);
  auto* dpc = static_cast<PKDPC>(ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(KDPC), 0x63704464));
  KeInitializeDpc(dpc, Note, nullptr);
  KeRaiseIrqlToDpcLevel();
  KeInsertQueueDpc(dpc, nullptr, nullptr);
  try {
    ExFreePoolWithTag(dpc, 0x63704464);
    FAIL();
  } catch (const BugCheck& stop) {
    EXPECT_THAT(stop.cause(), HasSubstr("is freed while it is queued"));
  }
  EXPECT_THROW(KeInitializeDpc(dpc, Note, nullptr), BugCheck);
}

void Waits(PKDPC, PVOID, PVOID, PVOID) {
  LARGE_INTEGER interval;
  interval.QuadPart = -10;
  KeDelayExecutionThread(KernelMode, FALSE, &interval);
}
void KeepsTheLock(PKDPC, PVOID lock, PVOID, PVOID) { KeAcquireSpinLockAtDpcLevel(static_cast<PKSPIN_LOCK>(lock)); }

TEST(DeferredCalls, AreBlamedForAWait) {
  Threads threads;
  KDPC dpc;
  EXPECT_THAT(threads.Alone([&] {
    KeInitializeDpc(&dpc, Waits, nullptr);
    KeInsertQueueDpc(&dpc, nullptr, nullptr);
    KeFlushQueuedDpcs();
  }),
              HasSubstr("KeDelayExecutionThread above APC_LEVEL"));
}

TEST(DeferredCalls, AreBlamedForALockThatTheyKeep) {
  Threads threads;
  KDPC dpc;
  KSPIN_LOCK lock;
  EXPECT_THAT(threads.Alone([&] {
    KeInitializeSpinLock(&lock);
    KeInitializeDpc(&dpc, KeepsTheLock, &lock);
    KeInsertQueueDpc(&dpc, nullptr, nullptr);
    KeFlushQueuedDpcs();
  }),
              AllOf(HasSubstr("deferred routine"), HasSubstr("returned and holds the spin lock at")));
}

}  // namespace
}  // namespace gmmu::os
