// SPDX-License-Identifier: Apache-2.0
// Implements the routines declared in wdm_threads.h.
#include "ddi/wdm_threads.h"

#include "os/base/bug_check.h"
#include "os/kernel/driver_objects.h"
#include "os/kernel/kernel.h"

using gmmu::os::Kernel;
using gmmu::os::KernelObject;

/// Work items are allocated from the pool, so that an unfreed item is reported as a leak.
struct _IO_WORKITEM {
  void* object;
};

namespace {

constexpr ULONG kWorkItemTag = 0x7457496F;  // "oIWt"
int thread_type;
POBJECT_TYPE thread_type_name = reinterpret_cast<POBJECT_TYPE>(&thread_type);

NTSTATUS Reference(HANDLE handle, POBJECT_TYPE type, PVOID* object) {
  Kernel& kernel = Kernel::Current();
  KernelObject* const found = kernel.driver().objects.Find(handle);
  *object = nullptr;
  if (found == nullptr) return STATUS_INVALID_HANDLE;
  if (found->type != KernelObject::Type::kThread || (type != nullptr && type != *PsThreadType))
    return STATUS_OBJECT_TYPE_MISMATCH;
  kernel.driver().objects.Reference(*found, "ObReferenceObjectByHandle");
  *object = static_cast<gmmu::os::SystemThread*>(found);
  return STATUS_SUCCESS;
}

}  // namespace

extern "C" {

POBJECT_TYPE* PsThreadType = &thread_type_name;

NTSTATUS PsCreateSystemThread(PHANDLE ThreadHandle, ULONG DesiredAccess, POBJECT_ATTRIBUTES ObjectAttributes,
                              HANDLE ProcessHandle, PCLIENT_ID ClientId, PKSTART_ROUTINE StartRoutine,
                              PVOID StartContext) {
  UNREFERENCED_PARAMETER(DesiredAccess);
  UNREFERENCED_PARAMETER(ObjectAttributes);
  UNREFERENCED_PARAMETER(ProcessHandle);
  Kernel& kernel = Kernel::Called("PsCreateSystemThread", gmmu::os::kPassive);
  if (kernel.refusals().Allocation([] { return std::string("a system thread"); })) return STATUS_INSUFFICIENT_RESOURCES;
  gmmu::os::SystemThread& thread = kernel.driver().threads.Create(StartRoutine, StartContext);
  *ThreadHandle = kernel.driver().objects.Open(thread, "PsCreateSystemThread");
  if (ClientId != nullptr) *ClientId = {nullptr, *ThreadHandle};
  kernel.scheduler().Preempt();
  return STATUS_SUCCESS;
}

NTSTATUS PsTerminateSystemThread(NTSTATUS ExitStatus) {
  UNREFERENCED_PARAMETER(ExitStatus);
  Kernel::Called("PsTerminateSystemThread", gmmu::os::kPassive).driver().threads.Terminate();
  return STATUS_INVALID_PARAMETER;
}

NTSTATUS ObReferenceObjectByHandle(HANDLE Handle, ACCESS_MASK DesiredAccess, POBJECT_TYPE ObjectType,
                                   KPROCESSOR_MODE AccessMode, PVOID* Object,
                                   POBJECT_HANDLE_INFORMATION HandleInformation) {
  UNREFERENCED_PARAMETER(DesiredAccess);
  UNREFERENCED_PARAMETER(AccessMode);
  UNREFERENCED_PARAMETER(HandleInformation);
  Kernel::Called("ObReferenceObjectByHandle", gmmu::os::kPassive);
  return Reference(Handle, ObjectType, Object);
}
NTSTATUS ObReferenceObjectByHandleWithTag(HANDLE Handle, ACCESS_MASK DesiredAccess, POBJECT_TYPE ObjectType,
                                          KPROCESSOR_MODE AccessMode, ULONG Tag, PVOID* Object,
                                          POBJECT_HANDLE_INFORMATION HandleInformation) {
  UNREFERENCED_PARAMETER(Tag);
  return ObReferenceObjectByHandle(Handle, DesiredAccess, ObjectType, AccessMode, Object, HandleInformation);
}

LONG_PTR ObfReferenceObject(PVOID Object) {
  Kernel& kernel = Kernel::Called("ObReferenceObject", gmmu::os::kDispatch);
  gmmu::os::SystemThread* const thread = kernel.driver().threads.Find(Object);
  if (thread == nullptr) throw gmmu::os::BugCheck("ObReferenceObject of what is no object");
  return kernel.driver().objects.Reference(*thread, "ObReferenceObject");
}
LONG_PTR ObfDereferenceObject(PVOID Object) {
  Kernel& kernel = Kernel::Called("ObDereferenceObject", gmmu::os::kDispatch);
  gmmu::os::SystemThread* const thread = kernel.driver().threads.Find(Object);
  return kernel.driver().objects.Dereference(static_cast<KernelObject*>(thread));
}

NTSTATUS ZwClose(HANDLE Handle) {
  Kernel& kernel = Kernel::Called("ZwClose", gmmu::os::kPassive);
  kernel.driver().objects.Close(Handle);
  return STATUS_SUCCESS;
}

PRKTHREAD KeGetCurrentThread(void) {
  return reinterpret_cast<PRKTHREAD>(&Kernel::Current().driver().threads.Current());
}
HANDLE PsGetCurrentThreadId(void) {
  return reinterpret_cast<HANDLE>(Kernel::Current().scheduler().thread_number() * 4);
}
HANDLE PsGetCurrentProcessId(void) { return reinterpret_cast<HANDLE>(Kernel::Current().scheduler().process() * 4); }
LONG KeSetPriorityThread(PKTHREAD Thread, LONG Priority) {
  gmmu::os::SystemThread* const thread =
      Kernel::Called("KeSetPriorityThread", gmmu::os::kPassive).driver().threads.Find(Thread);
  if (thread == nullptr) throw gmmu::os::BugCheck("KeSetPriorityThread of what is no thread");
  if (Priority < LOW_PRIORITY + 1 || Priority > HIGH_PRIORITY)
    throw gmmu::os::BugCheck("KeSetPriorityThread to " + std::to_string(Priority) + ": priorities are 1 to 31");
  return std::exchange(thread->priority, Priority);
}
ULONG KeGetCurrentProcessorNumberEx(PVOID ProcNumber) {
  if (ProcNumber != nullptr) memset(ProcNumber, 0, sizeof(ULONG));
  return 0;
}
ULONG KeQueryActiveProcessorCountEx(USHORT GroupNumber) {
  UNREFERENCED_PARAMETER(GroupNumber);
  return 1;
}

PIO_WORKITEM IoAllocateWorkItem(PDEVICE_OBJECT DeviceObject) {
  auto* const item = static_cast<PIO_WORKITEM>(
      Kernel::Called("IoAllocateWorkItem", gmmu::os::kDispatch).AllocatePool(sizeof(_IO_WORKITEM), kWorkItemTag));
  if (item != nullptr) item->object = DeviceObject;
  return item;
}
void IoQueueWorkItem(PIO_WORKITEM IoWorkItem, PIO_WORKITEM_ROUTINE WorkerRoutine, WORK_QUEUE_TYPE QueueType,
                     PVOID Context) {
  UNREFERENCED_PARAMETER(QueueType);
  auto* const device = static_cast<PDEVICE_OBJECT>(IoWorkItem->object);
  Kernel::Current().driver().work_items.Queue(IoWorkItem, "IoQueueWorkItem",
                                              reinterpret_cast<const void*>(WorkerRoutine),
                                              [=] { WorkerRoutine(device, Context); });
}
void IoQueueWorkItemEx(PIO_WORKITEM IoWorkItem, PIO_WORKITEM_ROUTINE_EX WorkerRoutine, WORK_QUEUE_TYPE QueueType,
                       PVOID Context) {
  UNREFERENCED_PARAMETER(QueueType);
  void* const object = IoWorkItem->object;
  Kernel::Current().driver().work_items.Queue(IoWorkItem, "IoQueueWorkItemEx",
                                              reinterpret_cast<const void*>(WorkerRoutine),
                                              [=] { WorkerRoutine(object, Context, IoWorkItem); });
}
void IoFreeWorkItem(PIO_WORKITEM IoWorkItem) {
  Kernel::Called("IoFreeWorkItem", gmmu::os::kDispatch).driver().work_items.RequireIdle(IoWorkItem, "IoFreeWorkItem");
  Kernel::Current().FreePool(IoWorkItem, kWorkItemTag);
}
ULONG IoSizeofWorkItem(void) { return sizeof(_IO_WORKITEM); }
void IoInitializeWorkItem(PVOID IoObject, PIO_WORKITEM IoWorkItem) {
  Kernel::Current().driver().work_items.RequireIdle(IoWorkItem, "IoInitializeWorkItem");
  IoWorkItem->object = IoObject;
}
void IoUninitializeWorkItem(PIO_WORKITEM IoWorkItem) {
  Kernel::Current().driver().work_items.RequireIdle(IoWorkItem, "IoUninitializeWorkItem");
}
void ExQueueWorkItem(PWORK_QUEUE_ITEM WorkItem, WORK_QUEUE_TYPE QueueType) {
  UNREFERENCED_PARAMETER(QueueType);
  const WORK_QUEUE_ITEM given = *WorkItem;
  Kernel::Current().driver().work_items.Queue(WorkItem, "ExQueueWorkItem",
                                              reinterpret_cast<const void*>(given.WorkerRoutine),
                                              [=] { given.WorkerRoutine(given.Parameter); });
}

}  // extern "C"
