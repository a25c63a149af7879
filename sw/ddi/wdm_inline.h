/* SPDX-License-Identifier: Apache-2.0 */
/* Macros and inline functions of the WDK headers: memory, lists, assertions, barriers. */
#ifndef GMMU_DDI_WDM_INLINE_H
#define GMMU_DDI_WDM_INLINE_H

#include "ntdef.h"

#define RtlCopyMemory(to, from, bytes) __builtin_memcpy((to), (from), (bytes))
#define RtlMoveMemory(to, from, bytes) __builtin_memmove((to), (from), (bytes))
#define RtlFillMemory(to, bytes, value) __builtin_memset((to), (value), (bytes))
#define RtlZeroMemory(to, bytes) __builtin_memset((to), 0, (bytes))
#define RtlSecureZeroMemory(to, bytes) __builtin_memset((to), 0, (bytes))
#define RtlEqualMemory(a, b, bytes) (__builtin_memcmp((a), (b), (bytes)) == 0)
#define RtlCopyBytes RtlCopyMemory
#define RtlZeroBytes RtlZeroMemory

/* Operations on strings of 16-bit characters. The host's library supports 32-bit characters
 * only. */
static __inline size_t GmmuWideLength(PCWSTR text) {
  PCWSTR end = text;
  while (*end) ++end;
  return (size_t)(end - text);
}
static __inline int GmmuWideCompare(PCWSTR a, PCWSTR b) {
  while (*a && *a == *b) ++a, ++b;
  return *a < *b ? -1 : *a > *b;
}
#if __SIZEOF_WCHAR_T__ == 2
#define wcslen(text) GmmuWideLength(text)
#define wcscmp(a, b) GmmuWideCompare((a), (b))
#endif

/* A free build (no DBG, or DBG=0) drops the expression, which may use names that only a checked
 * build declares. */
#if defined(DBG) && DBG + 0
#define NT_ASSERT(e) ((e) ? TRUE : (__builtin_trap(), FALSE))
#define NT_VERIFY(e) NT_ASSERT(e)
#else
#define NT_ASSERT(e) ((void)0)
#define NT_VERIFY(e) ((e) ? TRUE : FALSE)
#endif
#define NT_ASSERTMSG(text, e) NT_ASSERT(e)
#define ASSERT(e) NT_ASSERT(e)
#define ASSERTMSG(text, e) NT_ASSERT(e)
#define PAGED_CODE() ((void)0)
#define PAGED_CODE_LOCKED() ((void)0)

#define KeMemoryBarrier() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define MemoryBarrier() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define _ReadWriteBarrier() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define YieldProcessor() __builtin_ia32_pause()

#define ADDRESS_AND_SIZE_TO_SPAN_PAGES(va, size) \
  ((ULONG)((((ULONG_PTR)(va) & (PAGE_SIZE - 1)) + (size) + (PAGE_SIZE - 1)) >> PAGE_SHIFT))
#define BYTES_TO_PAGES(size) (((size) >> PAGE_SHIFT) + (((size) & (PAGE_SIZE - 1)) != 0))
#define ROUND_TO_PAGES(size) (((ULONG_PTR)(size) + PAGE_SIZE - 1) & ~((ULONG_PTR)PAGE_SIZE - 1))
#define PAGE_ALIGN(va) ((PVOID)((ULONG_PTR)(va) & ~((ULONG_PTR)PAGE_SIZE - 1)))
#define BYTE_OFFSET(va) ((ULONG)((ULONG_PTR)(va) & (PAGE_SIZE - 1)))
#define ALIGN_DOWN_BY(length, alignment) ((ULONG_PTR)(length) & ~((ULONG_PTR)(alignment) - 1))
#define ALIGN_UP_BY(length, alignment) ALIGN_DOWN_BY((ULONG_PTR)(length) + (alignment) - 1, alignment)

#define InitializeObjectAttributes(p, n, a, r, s) \
  {                                               \
    (p)->Length = sizeof(OBJECT_ATTRIBUTES);      \
    (p)->RootDirectory = (r);                     \
    (p)->Attributes = (a);                        \
    (p)->ObjectName = (n);                        \
    (p)->SecurityDescriptor = (s);                \
    (p)->SecurityQualityOfService = NULL;         \
  }
#define RTL_CONSTANT_STRING(text) {sizeof(text) - sizeof((text)[0]), sizeof(text), (text)}
#define DECLARE_CONST_UNICODE_STRING(name, text) \
  const WCHAR name##_buffer[] = text;            \
  const UNICODE_STRING name = {sizeof(text) - sizeof(WCHAR), sizeof(text), (PWSTR)name##_buffer}

static __inline void InitializeListHead(PLIST_ENTRY head) { head->Flink = head->Blink = head; }
static __inline BOOLEAN IsListEmpty(const LIST_ENTRY* head) { return (BOOLEAN)(head->Flink == head); }
static __inline BOOLEAN RemoveEntryList(PLIST_ENTRY entry) {
  entry->Blink->Flink = entry->Flink;
  entry->Flink->Blink = entry->Blink;
  return (BOOLEAN)(entry->Flink == entry->Blink);
}
static __inline PLIST_ENTRY RemoveHeadList(PLIST_ENTRY head) {
  PLIST_ENTRY entry = head->Flink;
  RemoveEntryList(entry);
  return entry;
}
static __inline PLIST_ENTRY RemoveTailList(PLIST_ENTRY head) {
  PLIST_ENTRY entry = head->Blink;
  RemoveEntryList(entry);
  return entry;
}
static __inline void InsertHeadList(PLIST_ENTRY head, PLIST_ENTRY entry) {
  entry->Flink = head->Flink;
  entry->Blink = head;
  head->Flink->Blink = entry;
  head->Flink = entry;
}
static __inline void InsertTailList(PLIST_ENTRY head, PLIST_ENTRY entry) {
  entry->Flink = head;
  entry->Blink = head->Blink;
  head->Blink->Flink = entry;
  head->Blink = entry;
}

#endif
