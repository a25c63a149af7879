/* SPDX-License-Identifier: Apache-2.0 */
/* A driver's threads and work items, and the handles and references to them. */
#ifndef GMMU_DDI_WDM_THREADS_H
#define GMMU_DDI_WDM_THREADS_H

#include "wdm_objects.h"
#include "wdm_waits.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef VOID KSTART_ROUTINE(PVOID StartContext);
typedef KSTART_ROUTINE* PKSTART_ROUTINE;
typedef struct _CLIENT_ID {
  HANDLE UniqueProcess;
  HANDLE UniqueThread;
} CLIENT_ID, *PCLIENT_ID;
typedef struct _KTHREAD *PKTHREAD, *PRKTHREAD;
typedef struct _KTHREAD* PETHREAD;
typedef struct _KPROCESS *PKPROCESS, *PRKPROCESS;
typedef struct _KPROCESS* PEPROCESS;
typedef struct _OBJECT_TYPE* POBJECT_TYPE;
typedef struct _OBJECT_HANDLE_INFORMATION* POBJECT_HANDLE_INFORMATION;
#define THREAD_ALL_ACCESS 0x001FFFFF
#define SYNCHRONIZE 0x00100000
#define LOW_PRIORITY 0
#define LOW_REALTIME_PRIORITY 16
#define HIGH_PRIORITY 31

/* PASSIVE_LEVEL. Before the driver is unloaded, the thread must end, its handle must be closed, and
 * all references to it must be released. */
NTSTATUS PsCreateSystemThread(PHANDLE ThreadHandle, ULONG DesiredAccess, POBJECT_ATTRIBUTES ObjectAttributes,
                              HANDLE ProcessHandle, PCLIENT_ID ClientId, PKSTART_ROUTINE StartRoutine,
                              PVOID StartContext);
/* Ends the calling thread if PsCreateSystemThread created it; otherwise returns STATUS_INVALID_PARAMETER. */
NTSTATUS PsTerminateSystemThread(NTSTATUS ExitStatus);
extern POBJECT_TYPE* PsThreadType;
NTSTATUS ObReferenceObjectByHandle(HANDLE Handle, ACCESS_MASK DesiredAccess, POBJECT_TYPE ObjectType,
                                   KPROCESSOR_MODE AccessMode, PVOID* Object,
                                   POBJECT_HANDLE_INFORMATION HandleInformation);
NTSTATUS ObReferenceObjectByHandleWithTag(HANDLE Handle, ACCESS_MASK DesiredAccess, POBJECT_TYPE ObjectType,
                                          KPROCESSOR_MODE AccessMode, ULONG Tag, PVOID* Object,
                                          POBJECT_HANDLE_INFORMATION HandleInformation);
/* In the WDK, these names are macros around the two functions. The functions return the remaining
 * number of references. */
LONG_PTR ObfReferenceObject(PVOID Object);
LONG_PTR ObfDereferenceObject(PVOID Object);
#define ObReferenceObject ObfReferenceObject
#define ObDereferenceObject ObfDereferenceObject
#define ObReferenceObjectWithTag(Object, Tag) ObfReferenceObject(Object)
#define ObDereferenceObjectWithTag(Object, Tag) ObfDereferenceObject(Object)
NTSTATUS ZwClose(HANDLE Handle);

PRKTHREAD KeGetCurrentThread(void);
#define PsGetCurrentThread KeGetCurrentThread
HANDLE PsGetCurrentThreadId(void);
/* Returns this model's number for the process of the current thread; 0 for the system process. */
HANDLE PsGetCurrentProcessId(void);
LONG KeSetPriorityThread(PKTHREAD Thread, LONG Priority);
ULONG KeGetCurrentProcessorNumberEx(PVOID ProcNumber);
ULONG KeQueryActiveProcessorCountEx(USHORT GroupNumber);
#define KeGetCurrentProcessorNumber() KeGetCurrentProcessorNumberEx(NULL)
#define KeQueryActiveProcessorCount(Affinity) KeQueryActiveProcessorCountEx(0)
#define KeQueryMaximumProcessorCountEx KeQueryActiveProcessorCountEx
#define ALL_PROCESSOR_GROUPS 0xFFFF

/* Work for system worker threads. IRQL <= DISPATCH_LEVEL. An item must not be queued twice, nor freed while it is
 * queued. */
typedef enum _WORK_QUEUE_TYPE {
  CriticalWorkQueue,
  DelayedWorkQueue,
  HyperCriticalWorkQueue,
  NormalWorkQueue
} WORK_QUEUE_TYPE;
typedef struct _IO_WORKITEM* PIO_WORKITEM;
typedef VOID IO_WORKITEM_ROUTINE(PDEVICE_OBJECT DeviceObject, PVOID Context);
typedef IO_WORKITEM_ROUTINE* PIO_WORKITEM_ROUTINE;
typedef VOID IO_WORKITEM_ROUTINE_EX(PVOID IoObject, PVOID Context, PIO_WORKITEM IoWorkItem);
typedef IO_WORKITEM_ROUTINE_EX* PIO_WORKITEM_ROUTINE_EX;
PIO_WORKITEM IoAllocateWorkItem(PDEVICE_OBJECT DeviceObject);
void IoQueueWorkItem(PIO_WORKITEM IoWorkItem, PIO_WORKITEM_ROUTINE WorkerRoutine, WORK_QUEUE_TYPE QueueType,
                     PVOID Context);
void IoQueueWorkItemEx(PIO_WORKITEM IoWorkItem, PIO_WORKITEM_ROUTINE_EX WorkerRoutine, WORK_QUEUE_TYPE QueueType,
                       PVOID Context);
void IoFreeWorkItem(PIO_WORKITEM IoWorkItem);
ULONG IoSizeofWorkItem(void);
void IoInitializeWorkItem(PVOID IoObject, PIO_WORKITEM IoWorkItem);
void IoUninitializeWorkItem(PIO_WORKITEM IoWorkItem);

typedef VOID WORKER_THREAD_ROUTINE(PVOID Parameter);
typedef WORKER_THREAD_ROUTINE* PWORKER_THREAD_ROUTINE;
typedef struct _WORK_QUEUE_ITEM {
  LIST_ENTRY List;
  PWORKER_THREAD_ROUTINE WorkerRoutine;
  PVOID Parameter;
} WORK_QUEUE_ITEM, *PWORK_QUEUE_ITEM;
#define ExInitializeWorkItem(Item, Routine, Context) \
  ((Item)->WorkerRoutine = (Routine), (Item)->Parameter = (Context), (Item)->List.Flink = NULL)
void ExQueueWorkItem(PWORK_QUEUE_ITEM WorkItem, WORK_QUEUE_TYPE QueueType);

#ifdef __cplusplus
}
#endif

#endif
