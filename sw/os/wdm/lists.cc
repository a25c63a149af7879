// SPDX-License-Identifier: Apache-2.0
// Implements the routines declared in wdm_lists.h.
#include "ddi/wdm_lists.h"

#include "ddi/wdm_memory.h"
#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"

using gmmu::os::BugCheck;
using gmmu::os::Kernel;

namespace {

template <typename Operation>
void With(PKSPIN_LOCK lock, const char* routine, const Operation& operation) {
  Kernel::Current().locks().Interlocked(lock, routine, operation);
}

/// Runs an operation on a lock-free list. It counts as an acquire and a release of the list head.
template <typename Operation>
void Alone(PSLIST_HEADER head, const void* entry, const Operation& operation) {
  for (const void* at : {static_cast<const void*>(head), entry}) {
    if (reinterpret_cast<uintptr_t>(at) % 16 != 0)
      throw BugCheck("an interlocked list or entry at no multiple of 16 bytes");
  }
  Kernel& kernel = Kernel::Current();
  kernel.scheduler().Preempt();
  kernel.races().Acquire(head);
  operation();
  kernel.races().Release(head);
}

void Require(const NPAGED_LOOKASIDE_LIST* list, const char* routine) {
  Kernel::Called(routine, (list->Type & PagedPool) != 0 ? gmmu::os::kApc : gmmu::os::kDispatch);
  if (list->Size == 0) throw BugCheck(std::string(routine) + " of what is no lookaside list");
}

void Initialize(PNPAGED_LOOKASIDE_LIST list, PALLOCATE_FUNCTION allocate, PFREE_FUNCTION free, POOL_TYPE type,
                SIZE_T size, ULONG tag) {
  if (size == 0) throw BugCheck("a lookaside list of blocks of 0 bytes");
  *list = {};
  list->Type = type;
  list->Tag = tag;
  list->Size = static_cast<ULONG>(size);
  list->Allocate = allocate;
  list->Free = free;
}

}  // namespace

extern "C" {

PLIST_ENTRY ExInterlockedInsertHeadList(PLIST_ENTRY ListHead, PLIST_ENTRY ListEntry, PKSPIN_LOCK Lock) {
  PLIST_ENTRY first = nullptr;
  With(Lock, "ExInterlockedInsertHeadList", [&] {
    first = ListHead->Flink == ListHead ? nullptr : ListHead->Flink;
    *ListEntry = {ListHead->Flink, ListHead};
    ListHead->Flink->Blink = ListEntry;
    ListHead->Flink = ListEntry;
  });
  return first;
}
PLIST_ENTRY ExInterlockedInsertTailList(PLIST_ENTRY ListHead, PLIST_ENTRY ListEntry, PKSPIN_LOCK Lock) {
  PLIST_ENTRY last = nullptr;
  With(Lock, "ExInterlockedInsertTailList", [&] {
    last = ListHead->Blink == ListHead ? nullptr : ListHead->Blink;
    *ListEntry = {ListHead, ListHead->Blink};
    ListHead->Blink->Flink = ListEntry;
    ListHead->Blink = ListEntry;
  });
  return last;
}
PLIST_ENTRY ExInterlockedRemoveHeadList(PLIST_ENTRY ListHead, PKSPIN_LOCK Lock) {
  PLIST_ENTRY first = nullptr;
  With(Lock, "ExInterlockedRemoveHeadList", [&] {
    if (ListHead->Flink == ListHead) return;
    first = ListHead->Flink;
    ListHead->Flink = first->Flink;
    first->Flink->Blink = ListHead;
  });
  return first;
}
PSINGLE_LIST_ENTRY ExInterlockedPushEntryList(PSINGLE_LIST_ENTRY ListHead, PSINGLE_LIST_ENTRY ListEntry,
                                              PKSPIN_LOCK Lock) {
  PSINGLE_LIST_ENTRY first = nullptr;
  With(Lock, "ExInterlockedPushEntryList", [&] {
    first = ListEntry->Next = ListHead->Next;
    ListHead->Next = ListEntry;
  });
  return first;
}
PSINGLE_LIST_ENTRY ExInterlockedPopEntryList(PSINGLE_LIST_ENTRY ListHead, PKSPIN_LOCK Lock) {
  PSINGLE_LIST_ENTRY first = nullptr;
  With(Lock, "ExInterlockedPopEntryList", [&] {
    first = ListHead->Next;
    if (first != nullptr) ListHead->Next = first->Next;
  });
  return first;
}
ULONG ExInterlockedAddUlong(PULONG Addend, ULONG Increment, PKSPIN_LOCK Lock) {
  ULONG before = 0;
  With(Lock, "ExInterlockedAddUlong", [&] {
    before = *Addend;
    *Addend = before + Increment;
  });
  return before;
}

void InitializeSListHead(PSLIST_HEADER SListHead) {
  Alone(SListHead, nullptr, [&] { SListHead->Alignment = SListHead->Region = 0; });
}
PSLIST_ENTRY ExpInterlockedPushEntrySList(PSLIST_HEADER ListHead, PSLIST_ENTRY ListEntry) {
  PSLIST_ENTRY first = nullptr;
  Alone(ListHead, ListEntry, [&] {
    auto& head = ListHead->HeaderX64;
    first = ListEntry->Next = head.First;
    head.First = ListEntry;
    ++head.Depth;
    ++head.Sequence;
  });
  return first;
}
PSLIST_ENTRY ExpInterlockedPopEntrySList(PSLIST_HEADER ListHead) {
  PSLIST_ENTRY first = nullptr;
  Alone(ListHead, nullptr, [&] {
    auto& head = ListHead->HeaderX64;
    first = head.First;
    if (first == nullptr) return;
    head.First = first->Next;
    --head.Depth;
  });
  return first;
}
PSLIST_ENTRY ExpInterlockedFlushSList(PSLIST_HEADER ListHead) {
  PSLIST_ENTRY first = nullptr;
  Alone(ListHead, nullptr, [&] {
    first = ListHead->HeaderX64.First;
    ListHead->HeaderX64.First = nullptr;
    ListHead->HeaderX64.Depth = 0;
  });
  return first;
}
USHORT ExQueryDepthSList(PSLIST_HEADER SListHead) {
  Kernel::Called("ExQueryDepthSList", gmmu::os::kDispatch);
  return static_cast<USHORT>(SListHead->HeaderX64.Depth);
}

void ExInitializeNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside, PALLOCATE_FUNCTION Allocate, PFREE_FUNCTION Free,
                                     ULONG Flags, SIZE_T Size, ULONG Tag, USHORT Depth) {
  UNREFERENCED_PARAMETER(Flags);
  UNREFERENCED_PARAMETER(Depth);
  Kernel::Called("ExInitializeNPagedLookasideList", gmmu::os::kDispatch);
  Initialize(Lookaside, Allocate, Free, NonPagedPoolNx, Size, Tag);
}
void ExInitializePagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside, PALLOCATE_FUNCTION Allocate, PFREE_FUNCTION Free,
                                    ULONG Flags, SIZE_T Size, ULONG Tag, USHORT Depth) {
  UNREFERENCED_PARAMETER(Flags);
  UNREFERENCED_PARAMETER(Depth);
  Kernel::Called("ExInitializePagedLookasideList", gmmu::os::kApc);
  Initialize(Lookaside, Allocate, Free, PagedPool, Size, Tag);
}
void ExDeleteNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside) {
  Require(Lookaside, "ExDeleteNPagedLookasideList");
  if (Lookaside->TotalAllocates != Lookaside->TotalFrees) {
    throw BugCheck("ExDeleteNPagedLookasideList of a list of which " +
                   std::to_string(Lookaside->TotalAllocates - Lookaside->TotalFrees) + " blocks are not freed");
  }
  Lookaside->Size = 0;
}
PVOID ExAllocateFromNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside) {
  Require(Lookaside, "ExAllocateFromNPagedLookasideList");
  PVOID const block = (Lookaside->Allocate != nullptr ? Lookaside->Allocate : ExAllocatePoolWithTag)(Lookaside->Type,
                                                                                                     Lookaside->Size,
                                                                                                     Lookaside->Tag);
  Lookaside->TotalAllocates += block != nullptr;
  return block;
}
void ExFreeToNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside, PVOID Entry) {
  Require(Lookaside, "ExFreeToNPagedLookasideList");
  ++Lookaside->TotalFrees;
  if (Lookaside->Free != nullptr) Lookaside->Free(Entry);
  else ExFreePoolWithTag(Entry, Lookaside->Tag);
}

}  // extern "C"
