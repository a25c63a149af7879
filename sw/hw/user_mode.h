/* SPDX-License-Identifier: Apache-2.0 */
/* The user-mode half of a driver of your own: what its shared object may export beside DriverEntry, so that scenarios need
 * no register and no escape of this project's GPU (docs/device.md). C11 or C++.
 *
 * Nothing here is called while the kernel-mode half is. Addresses and sizes are bytes. */
#ifndef GMMU_HW_USER_MODE_H
#define GMMU_HW_USER_MODE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GMMU_USER_MODE_VERSION 2u /* 1: without list_copy and list_fill */

/* What an application asks for. */
typedef struct GMMU_ALLOCATION {
  uint64_t bytes;
  uint32_t priority;           /* D3DDDI_ALLOCATIONPRIORITY_* */
  uint8_t accessed_physically; /* by segment addresses too, not by GPU virtual addresses only */
  uint8_t cpu_visible;
  uint8_t map_cpu_visible;    /* MapApertureCpuVisible */
  uint8_t system_only;        /* never in local memory */
  uint8_t local_only;         /* never in system memory */
  uint8_t no_large_pages;     /* DisableLargePageMapping */
  uint8_t explicit_residency; /* ExplicitResidencyNotification */
} GMMU_ALLOCATION;

typedef enum GMMU_TARGET {
  GMMU_TARGET_LOCAL = 0, /* local memory, from its first byte */
  GMMU_TARGET_HOST = 1,  /* host memory by a bus address, as the device puts it on the bus */
  GMMU_TARGET_ZERO = 2   /* no memory: reads give zeros, writes are dropped */
} GMMU_TARGET;

typedef enum GMMU_ACCESS { GMMU_ACCESS_READ = 0, GMMU_ACCESS_WRITE = 1, GMMU_ACCESS_EXECUTE = 2 } GMMU_ACCESS;

typedef enum GMMU_FOUND {
  GMMU_FOUND_MEMORY = 0,
  GMMU_FOUND_NOTHING = 1,       /* no entry, or one that is not valid */
  GMMU_FOUND_READ_ONLY = 2,     /* and the access is a write */
  GMMU_FOUND_NOT_EXECUTABLE = 3 /* and the access is an execution */
} GMMU_FOUND;

typedef struct GMMU_PLACE {
  uint32_t target; /* GMMU_TARGET */
  uint32_t level;  /* of the entry that decided, 0 is the leaf; for reports */
  uint64_t address;
} GMMU_PLACE;

/* The root table of a process as DxgkDdiSetRootPageTable named it, and memory as the device reaches it. */
typedef struct GMMU_SPACE {
  uint64_t process; /* hKmdProcess */
  uint32_t root_segment;
  uint32_t root_entries;
  uint64_t root_offset;
  void* machine; /* first argument of `read` */
  /* Reads memory with page tables, inside one page. 0: refused, or no memory answers. */
  int (*read)(void* machine, uint32_t target, uint64_t address, void* to, uint32_t bytes);
} GMMU_SPACE;

/* Commands for a GPU without virtual addresses (DXGK_VIDMMCAPS.GpuMmuSupported = 0): a command buffer with the lists that go
 * to the kernel with it. DxgkDdiRender gets all three; the names of allocations have become the driver's handles then. */
typedef struct GMMU_LISTED_ALLOCATION {
  uint64_t allocation; /* the name that a GMMU_OPERAND had */
  uint32_t write;      /* D3DDDI_ALLOCATIONLIST.WriteOperation: some command may write it */
  uint32_t reserved;
} GMMU_LISTED_ALLOCATION;

typedef struct GMMU_PATCH_LOCATION { /* the members of D3DDDI_PATCHLOCATIONLIST */
  uint32_t allocation_index;         /* in the allocation list */
  uint32_t slot, driver_id;
  uint32_t allocation_offset; /* bytes in the allocation */
  uint32_t patch_offset;      /* of what DxgkDdiPatch has to write, in the command buffer */
  uint32_t split_offset;      /* what lies before it there does not need the allocation */
} GMMU_PATCH_LOCATION;

typedef struct GMMU_COMMAND_BUFFER {
  uint8_t* commands;
  uint32_t command_bytes, command_room;
  GMMU_LISTED_ALLOCATION* allocations;
  uint32_t allocation_count, allocation_room;
  GMMU_PATCH_LOCATION* patches;
  uint32_t patch_count, patch_room;
} GMMU_COMMAND_BUFFER;

typedef struct GMMU_OPERAND {
  uint64_t allocation;
  uint64_t offset;
} GMMU_OPERAND;

typedef struct GMMU_USER_MODE_DRIVER {
  uint32_t version;           /* GMMU_USER_MODE_VERSION */
  uint32_t preempts_commands; /* 1: a node is preempted in front of any command; 0: of a submission */
  /* Writes the private data of an allocation for DxgkDdiCreateAllocation and returns its size, at most `room`. */
  uint32_t (*allocation_data)(const GMMU_ALLOCATION* allocation, void* to, uint32_t room);
  /* Where the hardware finds the byte at `va`, by the driver's own page tables and aperture map. NULL: there are none. */
  GMMU_FOUND (*translate)(const GMMU_SPACE* space, uint64_t va, GMMU_ACCESS access, GMMU_PLACE* place);
  /* Write one command of a process's command buffer and return its size, or 0 if `room` is too small. It begins when all
   * before it has been written; `pattern` is repeated every 4 bytes. NULL: processes submit nothing. */
  uint32_t (*copy)(void* to, uint32_t room, uint64_t source, uint64_t destination, uint64_t bytes);
  uint32_t (*fill)(void* to, uint32_t room, uint64_t destination, uint64_t bytes, uint32_t pattern);
  /* The same for a GPU without virtual addresses: append one command, the allocations that it names and its patch locations.
   * 0: one of the three has no room, and nothing is appended. list_copy NULL: processes submit nothing; list_fill NULL: the
   * hardware has no fill. */
  int (*list_copy)(GMMU_COMMAND_BUFFER* buffer, GMMU_OPERAND source, GMMU_OPERAND destination, uint64_t bytes);
  int (*list_fill)(GMMU_COMMAND_BUFFER* buffer, GMMU_OPERAND destination, uint64_t bytes, uint32_t pattern);
} GMMU_USER_MODE_DRIVER;

/* Exported by a driver's shared object; stays valid to the end of the program. */
const GMMU_USER_MODE_DRIVER* GmmuUserModeDriver(void);

#ifdef __cplusplus
}
#endif
#endif
