/* SPDX-License-Identifier: Apache-2.0 */
/* Memory routines that wdm.h lacks: contiguous memory, views of device memory, pages for MDLs, register accesses of
 * other widths. */
#ifndef GMMU_DDI_WDM_MEMORY_H
#define GMMU_DDI_WDM_MEMORY_H

#include "wdm.h"
#include "wdm_objects.h"

#ifdef __cplusplus
extern "C" {
#endif

PVOID MmAllocateContiguousMemory(SIZE_T NumberOfBytes, PHYSICAL_ADDRESS HighestAcceptableAddress);
void MmFreeContiguousMemory(PVOID BaseAddress);

/* Maps a BAR of the machine. As with DxgkCbMapMemory, the view must be accessed only through READ_REGISTER_* and
 * WRITE_REGISTER_*. NULL: no BAR contains these addresses. IRQL <= DISPATCH_LEVEL. */
PVOID MmMapIoSpace(PHYSICAL_ADDRESS PhysicalAddress, SIZE_T NumberOfBytes, MEMORY_CACHING_TYPE CacheType);
PVOID MmMapIoSpaceEx(PHYSICAL_ADDRESS PhysicalAddress, SIZE_T NumberOfBytes, ULONG Protect);
void MmUnmapIoSpace(PVOID BaseAddress, SIZE_T NumberOfBytes);
UCHAR READ_REGISTER_UCHAR(volatile UCHAR* Register);
USHORT READ_REGISTER_USHORT(volatile USHORT* Register);
void WRITE_REGISTER_UCHAR(volatile UCHAR* Register, UCHAR Value);
void WRITE_REGISTER_USHORT(volatile USHORT* Register, USHORT Value);
void READ_REGISTER_BUFFER_ULONG(volatile ULONG* Register, PULONG Buffer, ULONG Count);
void WRITE_REGISTER_BUFFER_ULONG(volatile ULONG* Register, PULONG Buffer, ULONG Count);
void READ_REGISTER_BUFFER_UCHAR(volatile UCHAR* Register, PUCHAR Buffer, ULONG Count);
void WRITE_REGISTER_BUFFER_UCHAR(volatile UCHAR* Register, PUCHAR Buffer, ULONG Count);

#define MmGetMdlVirtualAddress(Mdl) ((PVOID)((PUCHAR)(Mdl)->StartVa + (Mdl)->ByteOffset))
#define MmGetMdlByteOffset(Mdl) ((Mdl)->ByteOffset)
#define MmInitializeMdl(Mdl, BaseVa, Bytes)                                                                     \
  ((Mdl)->Next = NULL, (Mdl)->MdlFlags = 0, (Mdl)->ByteCount = (ULONG)(Bytes),                                  \
   (Mdl)->Size = (SHORT)(sizeof(MDL) + sizeof(PFN_NUMBER) * ADDRESS_AND_SIZE_TO_SPAN_PAGES((BaseVa), (Bytes))), \
   (Mdl)->StartVa = (PVOID)((ULONG_PTR)(BaseVa) & ~(ULONG_PTR)(PAGE_SIZE - 1)),                                 \
   (Mdl)->ByteOffset = (ULONG)((ULONG_PTR)(BaseVa) & (PAGE_SIZE - 1)))
#define MmMapLockedPages(Mdl, AccessMode) \
  MmMapLockedPagesSpecifyCache(Mdl, AccessMode, MmCached, NULL, FALSE, NormalPagePriority)
/* Allocates pages anywhere within [LowAddress, HighAddress], and an MDL that lists them. Returns
 * NULL on failure. Free the pages with MmFreePagesFromMdl, then the MDL with ExFreePool. IRQL <=
 * DISPATCH_LEVEL. A device whose DMA is remapped cannot use these addresses. */
PMDL MmAllocatePagesForMdlEx(PHYSICAL_ADDRESS LowAddress, PHYSICAL_ADDRESS HighAddress, PHYSICAL_ADDRESS SkipBytes,
                             SIZE_T TotalBytes, MEMORY_CACHING_TYPE CacheType, ULONG Flags);
#define MmAllocatePagesForMdl(low, high, skip, bytes) MmAllocatePagesForMdlEx(low, high, skip, bytes, MmCached, 0)
void MmFreePagesFromMdl(PMDL MemoryDescriptorList);

#ifdef __cplusplus
}
#endif

#endif
