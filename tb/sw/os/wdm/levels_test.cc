// SPDX-License-Identifier: Apache-2.0
// Tests the highest IRQL at which each kernel routine may be called, according to its Microsoft
// page. A call at the next higher IRQL triggers a bug check that names the routine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "ddi/ntstrsafe.h"
#include "ddi/wdm_bus.h"
#include "ddi/wdm_names.h"
#include "os/base/bug_check.h"
#include "tb/sw/os/machine.h"

namespace gmmu::os {
namespace {

using ::testing::StartsWith;

struct Routine {
  const char* name;
  Irql highest;
  std::function<void()> call;
};

// The bug check comes before a routine uses its arguments, so these objects need not be
// initialized.
TEST(KernelRoutineLevels, AreThoseOfTheDocuments) {
  Machine machine;
  LARGE_INTEGER soon{};
  UNICODE_STRING text{};
  ANSI_STRING narrow{};
  MDL list{};
  FAST_MUTEX fast;
  KGUARDED_MUTEX guarded;
  KMUTEX mutex;
  ERESOURCE resource;
  KEVENT event;
  KSEMAPHORE semaphore;
  KTIMER timer;
  SLIST_HEADER head{};
  NPAGED_LOOKASIDE_LIST blocks{};
  PAGED_LOOKASIDE_LIST paged{};
  KFLOATING_SAVE save;
  KeInitializeEvent(&event, NotificationEvent, FALSE);
  KeInitializeMutex(&mutex, 0);
  KeInitializeTimer(&timer);
  const std::vector<Routine> routines = {
      {"ExAllocatePool2", kDispatch, [] { ExAllocatePool2(POOL_FLAG_NON_PAGED, 8, 1); }},
      {"ExAllocatePool2 of paged pool", kApc, [] { ExAllocatePool2(POOL_FLAG_PAGED, 8, 1); }},
      {"ExAllocatePoolWithTag", kDispatch, [] { ExAllocatePoolWithTag(NonPagedPoolNx, 8, 1); }},
      {"ExFreePool", kDispatch, [] { ExFreePool(nullptr); }},
      {"ExFreePoolWithTag", kDispatch, [] { ExFreePoolWithTag(nullptr, 1); }},
      {"KeDelayExecutionThread", kApc, [&] { KeDelayExecutionThread(KernelMode, FALSE, &soon); }},
      {"MmAllocateContiguousMemorySpecifyCache", kDispatch, [] { MmAllocateContiguousMemory(4096, {}); }},
      {"MmFreeContiguousMemory", kDispatch, [] { MmFreeContiguousMemory(nullptr); }},
      {"MmFreeContiguousMemorySpecifyCache", kDispatch,
       [] { MmFreeContiguousMemorySpecifyCache(nullptr, 0, MmCached); }},
      {"MmGetSystemRoutineAddress", kPassive, [&] { MmGetSystemRoutineAddress(&text); }},
      {"MmAllocatePagesForMdlEx", kDispatch, [] { MmAllocatePagesForMdlEx({}, {}, {}, 4096, MmCached, 0); }},
      {"MmFreePagesFromMdl", kDispatch, [&] { MmFreePagesFromMdl(&list); }},
      {"IoAllocateMdl", kDispatch, [] { IoAllocateMdl(nullptr, 4096, FALSE, FALSE, nullptr); }},
      {"IoFreeMdl", kDispatch, [&] { IoFreeMdl(&list); }},
      {"MmBuildMdlForNonPagedPool", kDispatch, [&] { MmBuildMdlForNonPagedPool(&list); }},
      {"MmMapLockedPagesSpecifyCache", kDispatch, [&] { MmMapLockedPages(&list, KernelMode); }},
      {"MmMapLockedPagesSpecifyCache", kApc, [&] { MmMapLockedPages(&list, UserMode); }},
      {"MmUnmapLockedPages", kDispatch, [&] { MmUnmapLockedPages(nullptr, &list); }},
      {"MmMapIoSpace", kDispatch, [] { MmMapIoSpace({}, 4096, MmNonCached); }},
      {"MmUnmapIoSpace", kDispatch, [] { MmUnmapIoSpace(nullptr, 4096); }},
      {"KeInvalidateAllCaches", kDispatch, [] { KeInvalidateAllCaches(); }},
      {"ExInitializeFastMutex", kDispatch, [&] { ExInitializeFastMutex(&fast); }},
      {"KeInitializeGuardedMutex", kApc, [&] { KeInitializeGuardedMutex(&guarded); }},
      {"KeReleaseMutex", kDispatch, [&] { KeReleaseMutex(&mutex, FALSE); }},
      {"KeReadStateMutex", kDispatch, [&] { KeReadStateMutex(&mutex); }},
      {"ExInitializeResourceLite", kDispatch, [&] { ExInitializeResourceLite(&resource); }},
      {"ExDeleteResourceLite", kApc, [&] { ExDeleteResourceLite(&resource); }},
      {"KeEnterCriticalRegion", kApc, [] { KeEnterCriticalRegion(); }},
      {"KeLeaveCriticalRegion", kApc, [] { KeLeaveCriticalRegion(); }},
      {"KeSetEvent", kDispatch, [&] { KeSetEvent(&event, 0, FALSE); }},
      {"KeClearEvent", kDispatch, [&] { KeClearEvent(&event); }},
      {"KeReadStateEvent", kDispatch, [&] { KeReadStateEvent(&event); }},
      {"KeInitializeSemaphore", kPassive, [&] { KeInitializeSemaphore(&semaphore, 0, 1); }},
      {"KeInitializeTimer", kDispatch, [&] { KeInitializeTimer(&timer); }},
      {"KeInitializeTimerEx", kDispatch, [&] { KeInitializeTimerEx(&timer, NotificationTimer); }},
      {"KeSetTimer", kDispatch, [&] { KeSetTimer(&timer, soon, nullptr); }},
      {"KeCancelTimer", kDispatch, [&] { KeCancelTimer(&timer); }},
      {"KeReadStateTimer", kDispatch, [&] { KeReadStateTimer(&timer); }},
      {"KeFlushQueuedDpcs", kPassive, [] { KeFlushQueuedDpcs(); }},
      {"PsTerminateSystemThread", kPassive, [] { PsTerminateSystemThread(STATUS_SUCCESS); }},
      {"KeSetPriorityThread", kPassive, [] { KeSetPriorityThread(nullptr, 8); }},
      {"ObReferenceObjectByHandle", kPassive,
       [] { ObReferenceObjectByHandle(nullptr, 0, nullptr, KernelMode, nullptr, nullptr); }},
      {"ObReferenceObject", kDispatch, [] { ObfReferenceObject(nullptr); }},
      {"ObDereferenceObject", kDispatch, [] { ObfDereferenceObject(nullptr); }},
      {"ZwClose", kPassive, [] { ZwClose(nullptr); }},
      {"IoAllocateWorkItem", kDispatch, [] { IoAllocateWorkItem(nullptr); }},
      {"IoFreeWorkItem", kDispatch, [] { IoFreeWorkItem(nullptr); }},
      {"ExQueryDepthSList", kDispatch, [&] { ExQueryDepthSList(&head); }},
      {"ExInitializeNPagedLookasideList", kDispatch,
       [&] { ExInitializeNPagedLookasideList(&blocks, nullptr, nullptr, 0, 8, 1, 0); }},
      {"ExInitializePagedLookasideList", kApc,
       [&] { ExInitializePagedLookasideList(&paged, nullptr, nullptr, 0, 8, 1, 0); }},
      {"ExDeleteNPagedLookasideList", kDispatch, [&] { ExDeleteNPagedLookasideList(&blocks); }},
      {"RtlUpcaseUnicodeChar", kApc, [] { RtlUpcaseUnicodeChar('a'); }},
      {"RtlCompareUnicodeString", kPassive, [&] { RtlCompareUnicodeString(&text, &text, FALSE); }},
      {"RtlEqualUnicodeString", kPassive, [&] { RtlEqualUnicodeString(&text, &text, FALSE); }},
      {"RtlPrefixUnicodeString", kPassive, [&] { RtlPrefixUnicodeString(&text, &text, FALSE); }},
      {"RtlFreeUnicodeString", kApc, [&] { RtlFreeUnicodeString(&text); }},
      {"RtlFreeAnsiString", kApc, [&] { RtlFreeAnsiString(&narrow); }},
      {"ZwCreateFile", kPassive, [] { ZwCreateFile(nullptr, 0, nullptr, nullptr, nullptr, 0, 0, 0, 0, nullptr, 0); }},
      {"IoGetRelatedDeviceObject", kDispatch, [] { IoGetRelatedDeviceObject(nullptr); }},
      {"IoCallDriver", kDispatch, [] { IoCallDriver(nullptr, nullptr); }},
      {"MmProbeAndLockPages", kDispatch, [&] { MmProbeAndLockPages(&list, KernelMode, IoReadAccess); }},
      {"MmUnlockPages", kDispatch, [&] { MmUnlockPages(&list); }},
      {"MmIsAddressValid", kDispatch, [] { MmIsAddressValid(nullptr); }},
      {"KeSaveFloatingPointState", kDispatch, [&] { KeSaveFloatingPointState(&save); }},
  };
  Scheduler& scheduler = machine.kernel.scheduler();
  for (const Routine& routine : routines) {
    const Irql above = routine.highest == kPassive ? kApc : routine.highest == kApc ? kDispatch : kDevice;
    const Irql before = scheduler.Raise(above);
    std::string cause = "no bug check";
    try {
      routine.call();
    } catch (const BugCheck& stop) {
      cause = stop.cause();
    }
    scheduler.Lower(before);
    EXPECT_THAT(cause, StartsWith(std::string(routine.name) + " above ")) << routine.name;
  }
}

}  // namespace
}  // namespace gmmu::os
