// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/work_items.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ddi/wdm_threads.h"
#include "tb/sw/os/threads/driver_threads.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;

struct Work {
  KEVENT done;
  PIO_WORKITEM item = nullptr;
  PDEVICE_OBJECT device = nullptr;
};
void Serve(PDEVICE_OBJECT device, PVOID context) {
  auto& work = *static_cast<Work*>(context);
  EXPECT_EQ(KeGetCurrentIrql(), PASSIVE_LEVEL);
  work.device = device;
  IoFreeWorkItem(work.item);  // as drivers do
  KeSetEvent(&work.done, 0, FALSE);
}

TEST(WorkItemsOfADriver, RunAtPassiveLevelAndMayFreeThemselves) {
  Threads threads;
  Work work;
  auto* const device = reinterpret_cast<PDEVICE_OBJECT>(&threads);
  EXPECT_EQ(threads.Alone([&] {
    KeInitializeEvent(&work.done, NotificationEvent, FALSE);
    work.item = IoAllocateWorkItem(device);
    const KIRQL before = KeRaiseIrqlToDpcLevel();
    IoQueueWorkItem(work.item, Serve, DelayedWorkQueue, &work);
    KeLowerIrql(before);
    EXPECT_EQ(KeWaitForSingleObject(&work.done, Executive, KernelMode, FALSE, nullptr), STATUS_SUCCESS);
  }),
            "");
  EXPECT_EQ(work.device, device);
  EXPECT_EQ(threads.kernel.ledger().open(), 0u);
}

TEST(WorkItemsOfADriver, OfExQueueWorkItemTakeTheirParameter) {
  Threads threads;
  int served = 0;
  EXPECT_EQ(threads.Alone([&] {
    WORK_QUEUE_ITEM item;
    ExInitializeWorkItem(&item, [](PVOID parameter) { ++*static_cast<int*>(parameter); }, &served);
    ExQueueWorkItem(&item, DelayedWorkQueue);
    LARGE_INTEGER interval;
    interval.QuadPart = -100;
    KeDelayExecutionThread(KernelMode, FALSE, &interval);
  }),
            "");
  EXPECT_EQ(served, 1);
}

TEST(WorkItemsOfADriver, InMemoryOfTheDriverKnowTheirObjectAndThemselves) {
  Threads threads;
  static PIO_WORKITEM told;
  static PVOID object;
  EXPECT_EQ(threads.Alone([&] {
    auto* const item = static_cast<PIO_WORKITEM>(ExAllocatePool2(0, IoSizeofWorkItem(), 0x6D657449));
    IoInitializeWorkItem(&threads, item);
    IoQueueWorkItemEx(
        item, [](PVOID of, PVOID, PIO_WORKITEM self) { object = of, told = self; }, DelayedWorkQueue, nullptr);
    LARGE_INTEGER interval;
    interval.QuadPart = -100;
    KeDelayExecutionThread(KernelMode, FALSE, &interval);
    EXPECT_EQ(told, item);
    IoUninitializeWorkItem(item);
    ExFreePoolWithTag(item, 0x6D657449);
  }),
            "");
  EXPECT_EQ(object, &threads);
}

struct Again {
  WORK_QUEUE_ITEM item;
  uint64_t served = 0;
};
void QueueAgain(PVOID context) {
  auto& again = *static_cast<Again*>(context);
  ++again.served;
  ExQueueWorkItem(&again.item, DelayedWorkQueue);
}

TEST(WorkItemsOfADriver, ThatQueueThemselvesForEverEndTheRunWithTheirRoutine) {
  Machine machine;
  Again again;
  ExInitializeWorkItem(&again.item, QueueAgain, &again);
  machine.kernel.scheduler().Spawn("application", [&] { ExQueueWorkItem(&again.item, DelayedWorkQueue); });
  std::string stop;
  try {
    machine.kernel.scheduler().Run();
  } catch (const BugCheck& check) {
    stop = check.what();
  }
  EXPECT_THAT(stop, ::testing::AllOf(HasSubstr("a storm of work at "), HasSubstr(" times the work item")));
  EXPECT_EQ(again.served, Scheduler::kWorkStorm);
}

TEST(WorkItemsOfADriver, QueuedTwiceOrFreedWhileQueuedAreABugCheck) {
  const auto nothing = [](PDEVICE_OBJECT, PVOID) {};
  Machine machine;  // nothing is preempted
  PIO_WORKITEM const item = IoAllocateWorkItem(nullptr);
  IoQueueWorkItem(item, nothing, DelayedWorkQueue, nullptr);
  EXPECT_THROW(IoQueueWorkItem(item, nothing, DelayedWorkQueue, nullptr), BugCheck);
  EXPECT_THROW(IoFreeWorkItem(item), BugCheck);
  auto* const own = static_cast<PWORK_QUEUE_ITEM>(ExAllocatePool2(0, sizeof(WORK_QUEUE_ITEM), 0x6D657449));
  ExInitializeWorkItem(own, [](PVOID) {}, nullptr);
  ExQueueWorkItem(own, DelayedWorkQueue);
  EXPECT_THROW(ExFreePoolWithTag(own, 0x6D657449), BugCheck);
}

}  // namespace
}  // namespace gmmu::os
