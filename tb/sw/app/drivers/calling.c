/* SPDX-License-Identifier: Apache-2.0 */
/* A driver in C whose DriverEntry uses a thread, a timer with a deferred call, a work item and the registry. It prints
 * their results and then refuses to start. */
#include <wdm_names.h>

#include <dispmprt.h>

static KEVENT worked;
static LONG deferred, served;

static void OnTimer(PKDPC Dpc, PVOID Context, PVOID Argument1, PVOID Argument2) {
  (void)Dpc;
  (void)Context;
  (void)Argument1;
  (void)Argument2;
  InterlockedIncrement(&deferred);
}

static void Work(PVOID Context) {
  (void)Context;
  KeSetEvent(&worked, 0, FALSE);
}

static void Thread(PVOID Context) {
  KeWaitForSingleObject(Context, Executive, KernelMode, FALSE, NULL);
  InterlockedIncrement(&served);
  PsTerminateSystemThread(STATUS_SUCCESS);
}

static ULONG Depth(PUNICODE_STRING Path) {
  static WCHAR name[] = {'D', 'e', 'p', 't', 'h', 0};
  UNICODE_STRING value;
  UCHAR buffer[sizeof(KEY_VALUE_PARTIAL_INFORMATION) + sizeof(ULONG)];
  PKEY_VALUE_PARTIAL_INFORMATION found = (PKEY_VALUE_PARTIAL_INFORMATION)buffer;
  OBJECT_ATTRIBUTES attributes = {sizeof(OBJECT_ATTRIBUTES), NULL, Path, OBJ_KERNEL_HANDLE, NULL, NULL};
  HANDLE key;
  ULONG length, depth = 0;
  if (!NT_SUCCESS(ZwOpenKey(&key, KEY_READ, &attributes))) return 0;
  RtlInitUnicodeString(&value, name);
  if (NT_SUCCESS(ZwQueryValueKey(key, &value, KeyValuePartialInformation, found, sizeof(buffer), &length)))
    memcpy(&depth, found->Data, sizeof(depth));
  ZwClose(key);
  return depth;
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  static KTIMER timer;
  static KDPC dpc;
  static WORK_QUEUE_ITEM item;
  static KSEMAPHORE start;
  HANDLE handle;
  PVOID thread, both[2];
  LARGE_INTEGER due;
  NTSTATUS status;
  (void)DriverObject;
  KeInitializeEvent(&worked, NotificationEvent, FALSE);
  KeInitializeSemaphore(&start, 0, 1);
  KeInitializeTimer(&timer);
  KeInitializeDpc(&dpc, OnTimer, NULL);
  ExInitializeWorkItem(&item, Work, NULL);
  status = PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, NULL, NULL, NULL, Thread, &start);
  if (!NT_SUCCESS(status)) return status;
  ObReferenceObjectByHandle(handle, THREAD_ALL_ACCESS, *PsThreadType, KernelMode, &thread, NULL);
  ZwClose(handle);
  due.QuadPart = -10000;
  KeSetTimer(&timer, due, &dpc);
  ExQueueWorkItem(&item, DelayedWorkQueue);
  KeReleaseSemaphore(&start, 0, 1, FALSE);
  both[0] = &timer;
  both[1] = &worked;
  status = KeWaitForMultipleObjects(2, both, WaitAll, Executive, KernelMode, FALSE, NULL, NULL);
  KeWaitForSingleObject(thread, Executive, KernelMode, FALSE, NULL);
  ObDereferenceObject(thread);
  KeFlushQueuedDpcs();
  DbgPrint("calling: status %lx, deferred %d, served %d, path %wZ, depth %lu\n", status, deferred, served, RegistryPath,
           Depth(RegistryPath));
  return STATUS_NOT_SUPPORTED;
}
