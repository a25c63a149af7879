/* SPDX-License-Identifier: Apache-2.0 */
/* Lists shared by several threads, lists of free blocks, and the interlocked operations that wdm.h lacks. */
#ifndef GMMU_DDI_WDM_LISTS_H
#define GMMU_DDI_WDM_LISTS_H

#include "wdm_objects.h"
#include "wdm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Any IRQL. The lock must be used with these routines only, and the caller must not hold it. NULL: the list was
 * empty. */
PLIST_ENTRY ExInterlockedInsertHeadList(PLIST_ENTRY ListHead, PLIST_ENTRY ListEntry, PKSPIN_LOCK Lock);
PLIST_ENTRY ExInterlockedInsertTailList(PLIST_ENTRY ListHead, PLIST_ENTRY ListEntry, PKSPIN_LOCK Lock);
PLIST_ENTRY ExInterlockedRemoveHeadList(PLIST_ENTRY ListHead, PKSPIN_LOCK Lock);
PSINGLE_LIST_ENTRY ExInterlockedPushEntryList(PSINGLE_LIST_ENTRY ListHead, PSINGLE_LIST_ENTRY ListEntry,
                                              PKSPIN_LOCK Lock);
PSINGLE_LIST_ENTRY ExInterlockedPopEntryList(PSINGLE_LIST_ENTRY ListHead, PKSPIN_LOCK Lock);
/* Returns the previous value. */
ULONG ExInterlockedAddUlong(PULONG Addend, ULONG Increment, PKSPIN_LOCK Lock);

/* Entry and header must be 16-byte aligned; otherwise a bug check results. */
typedef struct DECLSPEC_ALIGN(16) _SLIST_ENTRY {
  struct _SLIST_ENTRY* Next;
} SLIST_ENTRY, *PSLIST_ENTRY;
typedef union DECLSPEC_ALIGN(16) _SLIST_HEADER {
  struct {
    ULONGLONG Alignment;
    ULONGLONG Region;
  };
  struct {
    ULONGLONG Depth : 16;
    ULONGLONG Sequence : 48;
    PSLIST_ENTRY First;
  } HeaderX64;
} SLIST_HEADER, *PSLIST_HEADER;
void InitializeSListHead(PSLIST_HEADER SListHead);
/* Return the previous first entry, or NULL if the list was empty. */
PSLIST_ENTRY ExpInterlockedPushEntrySList(PSLIST_HEADER ListHead, PSLIST_ENTRY ListEntry);
PSLIST_ENTRY ExpInterlockedPopEntrySList(PSLIST_HEADER ListHead);
PSLIST_ENTRY ExpInterlockedFlushSList(PSLIST_HEADER ListHead);
USHORT ExQueryDepthSList(PSLIST_HEADER SListHead);
#define ExInitializeSListHead InitializeSListHead
#define ExInterlockedPushEntrySList(Head, Entry, Lock) ExpInterlockedPushEntrySList(Head, Entry)
#define ExInterlockedPopEntrySList(Head, Lock) ExpInterlockedPopEntrySList(Head)
#define ExInterlockedFlushSList ExpInterlockedFlushSList
#define InterlockedPushEntrySList ExpInterlockedPushEntrySList
#define InterlockedPopEntrySList ExpInterlockedPopEntrySList
#define InterlockedFlushSList ExpInterlockedFlushSList

/* Lookaside lists, which hold free blocks of one size. In this model, each block is allocated from
 * the pool and freed to it immediately, so that misuse is detected as for any other block. */
typedef PVOID ALLOCATE_FUNCTION(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag);
typedef ALLOCATE_FUNCTION* PALLOCATE_FUNCTION;
typedef VOID FREE_FUNCTION(PVOID Buffer);
typedef FREE_FUNCTION* PFREE_FUNCTION;
typedef struct DECLSPEC_ALIGN(64) _GENERAL_LOOKASIDE {
  SLIST_HEADER ListHead;
  USHORT Depth;
  USHORT MaximumDepth;
  ULONG TotalAllocates;
  ULONG AllocateMisses;
  ULONG TotalFrees;
  ULONG FreeMisses;
  POOL_TYPE Type;
  ULONG Tag;
  ULONG Size;
  PALLOCATE_FUNCTION Allocate;
  PFREE_FUNCTION Free;
  LIST_ENTRY ListEntry;
  ULONG LastTotalAllocates;
  ULONG LastAllocateMisses;
  ULONG Future[2];
} NPAGED_LOOKASIDE_LIST, *PNPAGED_LOOKASIDE_LIST, PAGED_LOOKASIDE_LIST, *PPAGED_LOOKASIDE_LIST;
void ExInitializeNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside, PALLOCATE_FUNCTION Allocate, PFREE_FUNCTION Free,
                                     ULONG Flags, SIZE_T Size, ULONG Tag, USHORT Depth);
void ExDeleteNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside);
PVOID ExAllocateFromNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside);
void ExFreeToNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside, PVOID Entry);
void ExInitializePagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside, PALLOCATE_FUNCTION Allocate, PFREE_FUNCTION Free,
                                    ULONG Flags, SIZE_T Size, ULONG Tag, USHORT Depth);
#define ExDeletePagedLookasideList ExDeleteNPagedLookasideList
#define ExAllocateFromPagedLookasideList ExAllocateFromNPagedLookasideList
#define ExFreeToPagedLookasideList ExFreeToNPagedLookasideList

/* Atomic, with a full barrier. And, Or and Xor return the previous value; Add64 returns the new
 * value. */
#define GMMU_INTERLOCKED(name, type, builtin) \
  static __inline type name(volatile type* Target, type Value) { return builtin(Target, Value, __ATOMIC_SEQ_CST); }
GMMU_INTERLOCKED(InterlockedExchangeAdd, LONG, __atomic_fetch_add)
GMMU_INTERLOCKED(InterlockedAdd, LONG, __atomic_add_fetch)
GMMU_INTERLOCKED(InterlockedAnd, LONG, __atomic_fetch_and)
GMMU_INTERLOCKED(InterlockedOr, LONG, __atomic_fetch_or)
GMMU_INTERLOCKED(InterlockedXor, LONG, __atomic_fetch_xor)
GMMU_INTERLOCKED(InterlockedExchange64, LONG64, __atomic_exchange_n)
GMMU_INTERLOCKED(InterlockedExchangeAdd64, LONG64, __atomic_fetch_add)
GMMU_INTERLOCKED(InterlockedAdd64, LONG64, __atomic_add_fetch)
GMMU_INTERLOCKED(InterlockedAnd64, LONG64, __atomic_fetch_and)
GMMU_INTERLOCKED(InterlockedOr64, LONG64, __atomic_fetch_or)
GMMU_INTERLOCKED(InterlockedXor64, LONG64, __atomic_fetch_xor)
#undef GMMU_INTERLOCKED
static __inline LONG64 InterlockedIncrement64(volatile LONG64* Addend) { return InterlockedAdd64(Addend, 1); }
static __inline LONG64 InterlockedDecrement64(volatile LONG64* Addend) { return InterlockedAdd64(Addend, -1); }
static __inline LONG64 InterlockedCompareExchange64(volatile LONG64* Destination, LONG64 Exchange, LONG64 Comparand) {
  __atomic_compare_exchange_n(Destination, &Comparand, Exchange, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return Comparand;
}
static __inline PVOID InterlockedExchangePointer(PVOID volatile* Target, PVOID Value) {
  return __atomic_exchange_n(Target, Value, __ATOMIC_SEQ_CST);
}
static __inline PVOID InterlockedCompareExchangePointer(PVOID volatile* Destination, PVOID Exchange, PVOID Comparand) {
  __atomic_compare_exchange_n(Destination, &Comparand, Exchange, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return Comparand;
}
/* Return whether the bit was previously set. */
static __inline BOOLEAN InterlockedBitTestAndSet(volatile LONG* Base, LONG Bit) {
  return (BOOLEAN)((InterlockedOr(Base + Bit / 32, (LONG)(1u << Bit % 32)) >> Bit % 32) & 1);
}
static __inline BOOLEAN InterlockedBitTestAndReset(volatile LONG* Base, LONG Bit) {
  return (BOOLEAN)((InterlockedAnd(Base + Bit / 32, (LONG) ~(1u << Bit % 32)) >> Bit % 32) & 1);
}

#ifdef __cplusplus
}
#endif

#endif
