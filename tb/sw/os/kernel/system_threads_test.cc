// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/system_threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/sw/os/threads/driver_threads.h"

namespace gmmu::os {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Shared {
  KEVENT work, stop;
  int served = 0;
  PVOID self = nullptr;
};
void Serve(PVOID context) {
  auto& shared = *static_cast<Shared*>(context);
  shared.self = KeGetCurrentThread();
  PVOID objects[] = {&shared.work, &shared.stop};
  while (KeWaitForMultipleObjects(2, objects, WaitAny, Executive, KernelMode, FALSE, nullptr, nullptr) == STATUS_WAIT_0)
    ++shared.served;
  PsTerminateSystemThread(STATUS_SUCCESS);
  ADD_FAILURE() << "it has ended";
}
PVOID Start(Shared& shared, PKSTART_ROUTINE routine = Serve) {
  KeInitializeEvent(&shared.work, SynchronizationEvent, FALSE);
  KeInitializeEvent(&shared.stop, NotificationEvent, FALSE);
  HANDLE handle;
  PVOID thread;
  EXPECT_EQ(PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, nullptr, nullptr, nullptr, routine, &shared),
            STATUS_SUCCESS);
  EXPECT_EQ(ObReferenceObjectByHandle(handle, THREAD_ALL_ACCESS, *PsThreadType, KernelMode, &thread, nullptr),
            STATUS_SUCCESS);
  ZwClose(handle);
  EXPECT_EQ(ObReferenceObjectByHandle(handle, 0, nullptr, KernelMode, &handle, nullptr), STATUS_INVALID_HANDLE);
  return thread;
}
void Delay(int64_t ns) {
  LARGE_INTEGER interval;
  interval.QuadPart = -ns / 100;
  KeDelayExecutionThread(KernelMode, FALSE, &interval);
}

TEST(SystemThreads, ServeUntilTheyAreToldToEndAndCanBeWaitedFor) {
  Threads threads;
  Shared shared;
  EXPECT_EQ(threads.Alone([&] {
    PVOID const thread = Start(shared);
    Delay(2'000'000'000);  // exceeds the time limit of all other waits
    for (int i = 0; i < 3; ++i) {
      KeSetEvent(&shared.work, 0, FALSE);
      Delay(1'000);
    }
    KeSetEvent(&shared.stop, 0, FALSE);
    EXPECT_EQ(KeWaitForSingleObject(thread, Executive, KernelMode, FALSE, nullptr), STATUS_SUCCESS);
    EXPECT_EQ(thread, shared.self);
    EXPECT_EQ(ObDereferenceObject(thread), 0);
  }),
            "");
  EXPECT_EQ(shared.served, 3);
  EXPECT_EQ(threads.kernel.ledger().open(), 0u);
}

TEST(SystemThreads, ThatHaveNotEndedAreLeaksAndDoNotKeepTheRunGoing) {
  Threads threads;
  Shared shared;
  EXPECT_EQ(threads.Alone([&] { ObDereferenceObject(Start(shared)); }), "");
  const auto leaks = threads.kernel.ledger().Leaks();
  ASSERT_EQ(leaks.size(), 1u);
  EXPECT_EQ(leaks[0].kind, "system_thread");
  EXPECT_THAT(leaks[0].name, HasSubstr("the system thread"));
  EXPECT_EQ(leaks[0].created_by, "PsCreateSystemThread");
}

TEST(SystemThreads, HandlesAndReferencesThatAreLeftAreLeaks) {
  Threads threads;
  EXPECT_EQ(threads.Alone([&] {
    HANDLE handle;
    PVOID thread;
    PsCreateSystemThread(&handle, 0, nullptr, nullptr, nullptr, [](PVOID) {}, nullptr);
    ObReferenceObjectByHandle(handle, 0, nullptr, KernelMode, &thread, nullptr);
    Delay(1'000);
  }),
            "");
  std::vector<std::string> kinds;
  for (const Leak& leak : threads.kernel.ledger().Leaks()) kinds.push_back(leak.kind);
  EXPECT_THAT(kinds, ::testing::ElementsAre("handle", "object_reference"));
}

void HoldsALock(PVOID context) {
  KeInitializeGuardedMutex(static_cast<PKGUARDED_MUTEX>(context));
  KeAcquireGuardedMutex(static_cast<PKGUARDED_MUTEX>(context));
  PsTerminateSystemThread(STATUS_SUCCESS);
}

TEST(SystemThreads, MisuseIsABugCheck) {
  Threads threads;
  KGUARDED_MUTEX lock;
  EXPECT_THAT(threads.Alone([&] {
    HANDLE handle;
    PsCreateSystemThread(&handle, 0, nullptr, nullptr, nullptr, HoldsALock, &lock);
    ZwClose(handle);
    Delay(1'000);
  }),
              AllOf(HasSubstr("system thread"), HasSubstr("returned and holds the guarded mutex at ")));
  EXPECT_THAT(threads.Alone([] { ZwClose(reinterpret_cast<HANDLE>(0x1234)); }),
              HasSubstr("ZwClose of 0x1234, which is no open handle"));
  EXPECT_THAT(threads.Alone([] { ObDereferenceObject(KeGetCurrentThread()); }),
              HasSubstr("ObDereferenceObject of an object to which the driver has no reference"));
  EXPECT_THAT(threads.Alone([] {
    KeRaiseIrqlToDpcLevel();
    HANDLE handle;
    PsCreateSystemThread(&handle, 0, nullptr, nullptr, nullptr, Serve, nullptr);
  }),
              HasSubstr("PsCreateSystemThread above PASSIVE_LEVEL"));
  EXPECT_EQ(threads.Alone([] { EXPECT_EQ(PsTerminateSystemThread(0), STATUS_INVALID_PARAMETER); }), "");
}

TEST(SystemThreads, HaveAPriorityAndANumber) {
  Threads threads;
  EXPECT_EQ(threads.Alone([] {
    EXPECT_EQ(KeSetPriorityThread(KeGetCurrentThread(), LOW_REALTIME_PRIORITY), 8);
    EXPECT_EQ(KeSetPriorityThread(KeGetCurrentThread(), 8), LOW_REALTIME_PRIORITY);
    EXPECT_NE(PsGetCurrentThreadId(), nullptr);
    EXPECT_EQ(PsGetCurrentProcessId(), nullptr);
    ULONG number = 7;
    EXPECT_EQ(KeGetCurrentProcessorNumberEx(&number), 0u);
    EXPECT_EQ(number, 0u);
    EXPECT_EQ(KeQueryActiveProcessorCountEx(ALL_PROCESSOR_GROUPS), 1u);
  }),
            "");
  EXPECT_THAT(threads.Alone([] { KeSetPriorityThread(KeGetCurrentThread(), 32); }),
              HasSubstr("priorities are 1 to 31"));
}

TEST(SystemThreads, ReferencesAddUp) {
  Threads threads;
  EXPECT_EQ(threads.Alone([] {
    PVOID const self = KeGetCurrentThread();
    EXPECT_EQ(ObReferenceObject(self), 1);
    EXPECT_EQ(ObReferenceObject(self), 2);
    EXPECT_EQ(ObDereferenceObject(self), 1);
    EXPECT_EQ(ObDereferenceObject(self), 0);
  }),
            "");
  EXPECT_THAT(threads.Alone([&] { ObReferenceObject(&threads); }), HasSubstr("ObReferenceObject of what is no object"));
}

void StartAnother(PVOID) {
  HANDLE handle;
  EXPECT_EQ(PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, nullptr, nullptr, nullptr, StartAnother, nullptr),
            STATUS_SUCCESS);
  ZwClose(handle);
}

TEST(SystemThreads, ThatStartAnotherForEverEndTheRunWithTheirRoutine) {
  Machine machine;
  machine.kernel.scheduler().Spawn("application", [&] {
    StartAnother(nullptr);
    machine.kernel.scheduler().Wait([] { return false; }, Scheduler::kForEver, "a fence");
  });
  std::string stop;
  try {
    machine.kernel.scheduler().Run();
  } catch (const BugCheck& check) {
    stop = check.what();
  }
  EXPECT_THAT(stop, AllOf(HasSubstr("a storm of work at "), HasSubstr(" times the system thread")));
}

}  // namespace
}  // namespace gmmu::os
