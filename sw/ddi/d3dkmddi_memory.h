/* SPDX-License-Identifier: Apache-2.0 */
/* Address descriptor lists (ADL), physical memory objects, and the memory callbacks of GPU isolation (docs/ddi.md,
 * memory). */
#ifndef GMMU_DDI_D3DKMDDI_MEMORY_H
#define GMMU_DDI_D3DKMDDI_MEMORY_H

#include "d3dukmdt.h"

typedef UINT_PTR DXGK_PAGE_NUMBER; /* the size of PFN_NUMBER */

typedef union _DXGK_ADL_FLAGS {
  struct {
    UINT32 Contiguous : 1;
    UINT32 Reserved : 31;
  };
  UINT32 Value;
} DXGK_ADL_FLAGS;

/* PageCount pages of 4 KiB. Page k is BasePageNumber + k if Contiguous is set, otherwise Pages[k].
 * Page numbers are logical or physical, never CPU virtual. */
typedef struct _DXGK_ADL {
  UINT32 PageCount;
  DXGK_ADL_FLAGS Flags;
  union {
    DXGK_PAGE_NUMBER BasePageNumber;
    CONST DXGK_PAGE_NUMBER* Pages;
  };
} DXGK_ADL;

typedef enum _DXGK_PHYSICAL_MEMORY_TYPE {
  DXGK_PHYSICAL_MEMORY_TYPE_MDL = 0,
  DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY = 1,
  DXGK_PHYSICAL_MEMORY_TYPE_SECTION = 2,
  DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE = 3
} DXGK_PHYSICAL_MEMORY_TYPE;

typedef enum _DXGK_MEMORY_CACHING_TYPE {
  DXGK_MEMORY_CACHING_TYPE_NON_CACHED = 0,
  DXGK_MEMORY_CACHING_TYPE_CACHED = 1,
  DXGK_MEMORY_CACHING_TYPE_WRITE_COMBINED = 2
} DXGK_MEMORY_CACHING_TYPE;

typedef enum _DXGK_ACCESS_MODE { DXGK_ACCESS_MODE_KERNEL_MODE = 0, DXGK_ACCESS_MODE_USER_MODE = 1 } DXGK_ACCESS_MODE;

typedef struct _DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT {
  HANDLE hAdapter; /* in, optional */
  SIZE_T Size;
  ULONG_PTR Context;
  DXGK_PHYSICAL_MEMORY_TYPE Type;
  DXGK_MEMORY_CACHING_TYPE CacheType;
  union {
    struct {
      PHYSICAL_ADDRESS LowAddress;
      PHYSICAL_ADDRESS HighAddress;
      PHYSICAL_ADDRESS SkipBytes;
      UINT Flags;
    } Mdl;
    struct {
      PHYSICAL_ADDRESS LowestAcceptableAddress;
      PHYSICAL_ADDRESS HighestAcceptableAddress;
      PHYSICAL_ADDRESS BoundaryAddressMultiple;
    } ContiguousMemory;
    struct {
      ACCESS_MASK DesiredAccess;
      POBJECT_ATTRIBUTES ObjectAttributes;
      ULONG PageProtection;
      ULONG AllocationAttributes;
    } Section;
    struct {
      PHYSICAL_ADDRESS BaseAddress;
    } IOSpace;
  };
  HANDLE hPhysicalMemoryObject; /* out */
  HANDLE hAdapterMemoryObject;  /* out, NULL if hAdapter was NULL */
} DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT;

typedef struct _DXGKARGCB_DESTROY_PHYSICAL_MEMORY_OBJECT {
  HANDLE hPhysicalMemoryObject;
  HANDLE hAdapterMemoryObject; /* optional; this call also closes it */
} DXGKARGCB_DESTROY_PHYSICAL_MEMORY_OBJECT;

typedef struct _DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT {
  HANDLE hPhysicalMemoryObject;
  HANDLE hAdapter;
  HANDLE hAdapterMemoryObject; /* out */
} DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT;

typedef struct _DXGKARGCB_CLOSE_PHYSICAL_MEMORY_OBJECT {
  HANDLE hAdapterMemoryObject;
} DXGKARGCB_CLOSE_PHYSICAL_MEMORY_OBJECT;

typedef struct _DXGKARGCB_ALLOCATE_ADL {
  HANDLE hAdapterMemoryObject;
  SIZE_T Offset; /* bytes, multiples of PAGE_SIZE */
  SIZE_T Size;
  union {
    struct {
      UINT RequireContiguous : 1;
      UINT PreferContiguous : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  } Flags;
  DXGK_ADL* pAdl; /* out; Dxgkrnl owns the memory */
} DXGKARGCB_ALLOCATE_ADL;

typedef struct _DXGKARGCB_FREE_ADL {
  HANDLE hAdapterMemoryObject;
  DXGK_ADL* pAdl;
} DXGKARGCB_FREE_ADL;

typedef struct _DXGKARGCB_MAP_PHYSICAL_MEMORY {
  HANDLE hPhysicalMemoryObject;
  DXGK_ACCESS_MODE AccessMode;
  SIZE_T Offset;        /* in: offset in the object; out: offset of the data from pMappedAddress */
  SIZE_T Size;          /* in: requested size; out: size of the view, from pMappedAddress */
  void* pMappedAddress; /* out */
} DXGKARGCB_MAP_PHYSICAL_MEMORY;

typedef struct _DXGKARGCB_UNMAP_PHYSICAL_MEMORY {
  HANDLE hPhysicalMemoryObject;
  PVOID pBaseAddress;
  SIZE_T Size; /* the Size that the map call returned */
} DXGKARGCB_UNMAP_PHYSICAL_MEMORY;

typedef struct _DXGKARGCB_ALLOCATECONTIGUOUSMEMORY {
  SIZE_T NumberOfBytes;
  PHYSICAL_ADDRESS LowestAcceptableAddress;
  PHYSICAL_ADDRESS HighestAcceptableAddress;
  PHYSICAL_ADDRESS BoundaryAddressMultiple;
  DXGK_MEMORY_CACHING_TYPE CacheType;
  HANDLE hMemoryHandle; /* out */
  PVOID pMemory;        /* out */
} DXGKARGCB_ALLOCATECONTIGUOUSMEMORY;

typedef struct _DXGKARGCB_FREECONTIGUOUSMEMORY {
  HANDLE hMemoryHandle;
} DXGKARGCB_FREECONTIGUOUSMEMORY;

typedef struct _DXGKARGCB_ALLOCATEPAGESFORMDL {
  PHYSICAL_ADDRESS LowAddress;
  PHYSICAL_ADDRESS HighAddress;
  PHYSICAL_ADDRESS SkipBytes;
  SIZE_T TotalBytes;
  DXGK_MEMORY_CACHING_TYPE CacheType;
  ULONG Flags;
  HANDLE hMemoryHandle; /* out */
  PMDL pMdl;            /* out */
} DXGKARGCB_ALLOCATEPAGESFORMDL;

typedef struct _DXGKARGCB_FREEPAGESFROMMDL {
  HANDLE hMemoryHandle;
} DXGKARGCB_FREEPAGESFROMMDL;

typedef struct _DXGKARGCB_MAPMDLTOIOMMU {
  PMDL pMdl;
  HANDLE hMemoryHandle; /* out */
} DXGKARGCB_MAPMDLTOIOMMU;

typedef struct _DXGKARGCB_UNMAPMDLFROMIOMMU {
  HANDLE hMemoryHandle;
} DXGKARGCB_UNMAPMDLFROMIOMMU;

typedef struct _DXGKARGCB_PINFRAMEBUFFERFORSAVE {
  UINT PhysicalAdapterIndex;
  SIZE_T CommitSize;
  PMDL pMdl; /* out */
} DXGKARGCB_PINFRAMEBUFFERFORSAVE;

typedef struct _DXGKARGCB_PINFRAMEBUFFERFORSAVE2 {
  UINT PhysicalAdapterIndex;
  SIZE_T CommitSize;
  union {
    struct {
      UINT PreferContiguous : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  } Flags;
  DXGK_ADL* pAdl; /* out */
} DXGKARGCB_PINFRAMEBUFFERFORSAVE2;

typedef struct _DXGKARGCB_UNPINFRAMEBUFFERFORSAVE {
  UINT PhysicalAdapterIndex;
} DXGKARGCB_UNPINFRAMEBUFFERFORSAVE;

typedef struct _DXGKARGCB_MAPFRAMEBUFFERPOINTER {
  UINT PhysicalAdapterIndex;
  SIZE_T Size;
  SIZE_T Offset;      /* in/out */
  PVOID pBaseAddress; /* out */
} DXGKARGCB_MAPFRAMEBUFFERPOINTER;

typedef struct _DXGKARGCB_UNMAPFRAMEBUFFERPOINTER {
  UINT PhysicalAdapterIndex;
  PVOID pBaseAddress;
} DXGKARGCB_UNMAPFRAMEBUFFERPOINTER;

/* IRQL <= APC_LEVEL. The first eight have the argument structure as their only parameter. */
typedef NTSTATUS (*DXGKCB_CREATEPHYSICALMEMORYOBJECT)(DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT*);
typedef void (*DXGKCB_DESTROYPHYSICALMEMORYOBJECT)(CONST DXGKARGCB_DESTROY_PHYSICAL_MEMORY_OBJECT*);
typedef NTSTATUS (*DXGKCB_OPENPHYSICALMEMORYOBJECT)(DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT*);
typedef void (*DXGKCB_CLOSEPHYSICALMEMORYOBJECT)(CONST DXGKARGCB_CLOSE_PHYSICAL_MEMORY_OBJECT*);
typedef NTSTATUS (*DXGKCB_ALLOCATEADL)(DXGKARGCB_ALLOCATE_ADL*);
typedef void (*DXGKCB_FREEADL)(CONST DXGKARGCB_FREE_ADL*);
typedef NTSTATUS (*DXGKCB_MAPPHYSICALMEMORY)(DXGKARGCB_MAP_PHYSICAL_MEMORY*);
typedef void (*DXGKCB_UNMAPPHYSICALMEMORY)(CONST DXGKARGCB_UNMAP_PHYSICAL_MEMORY*);
typedef NTSTATUS (*DXGKCB_ALLOCATECONTIGUOUSMEMORY)(HANDLE hAdapter, DXGKARGCB_ALLOCATECONTIGUOUSMEMORY*);
typedef NTSTATUS (*DXGKCB_FREECONTIGUOUSMEMORY)(HANDLE hAdapter, CONST DXGKARGCB_FREECONTIGUOUSMEMORY*);
typedef NTSTATUS (*DXGKCB_ALLOCATEPAGESFORMDL)(HANDLE hAdapter, DXGKARGCB_ALLOCATEPAGESFORMDL*);
typedef NTSTATUS (*DXGKCB_FREEPAGESFROMMDL)(HANDLE hAdapter, CONST DXGKARGCB_FREEPAGESFROMMDL*);
typedef NTSTATUS (*DXGKCB_PINFRAMEBUFFERFORSAVE)(HANDLE hAdapter, DXGKARGCB_PINFRAMEBUFFERFORSAVE*);
typedef NTSTATUS (*DXGKCB_UNPINFRAMEBUFFERFORSAVE)(HANDLE hAdapter, CONST DXGKARGCB_UNPINFRAMEBUFFERFORSAVE*);
typedef NTSTATUS (*DXGKCB_MAPFRAMEBUFFERPOINTER)(HANDLE hAdapter, DXGKARGCB_MAPFRAMEBUFFERPOINTER*);
typedef NTSTATUS (*DXGKCB_UNMAPFRAMEBUFFERPOINTER)(HANDLE hAdapter, CONST DXGKARGCB_UNMAPFRAMEBUFFERPOINTER*);
typedef NTSTATUS (*DXGKCB_MAPMDLTOIOMMU)(HANDLE hAdapter, DXGKARGCB_MAPMDLTOIOMMU*);
typedef void (*DXGKCB_UNMAPMDLFROMIOMMU)(HANDLE hAdapter, CONST DXGKARGCB_UNMAPMDLFROMIOMMU*);
typedef NTSTATUS (*DXGKCB_PINFRAMEBUFFERFORSAVE2)(HANDLE hAdapter, DXGKARGCB_PINFRAMEBUFFERFORSAVE2*);

#endif
