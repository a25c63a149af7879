/* SPDX-License-Identifier: Apache-2.0 */
/* The user-mode part of a user's own driver: what the driver's shared object may export in
 * addition to DriverEntry, so that scenarios do not depend on the registers and escapes of this
 * project's GPU (docs/device.md). C11 or C++.
 *
 * No function declared here is called while a call into its kernel-mode part is in progress.
 * Addresses and sizes are in bytes. */
#ifndef GMMU_HW_USER_MODE_H
#define GMMU_HW_USER_MODE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GMMU_USER_MODE_VERSION 2u /* version 1 lacks list_copy and list_fill */

/* The properties of an allocation that an application requests. */
typedef struct GMMU_ALLOCATION {
  uint64_t bytes;
  uint32_t priority;           /* D3DDDI_ALLOCATIONPRIORITY_* */
  uint8_t accessed_physically; /* by segment addresses as well as GPU virtual addresses */
  uint8_t cpu_visible;
  uint8_t map_cpu_visible;    /* MapApertureCpuVisible */
  uint8_t system_only;        /* never in local memory */
  uint8_t local_only;         /* never in system memory */
  uint8_t no_large_pages;     /* DisableLargePageMapping */
  uint8_t explicit_residency; /* ExplicitResidencyNotification */
} GMMU_ALLOCATION;

typedef enum GMMU_TARGET {
  GMMU_TARGET_LOCAL = 0, /* local memory, from its first byte */
  GMMU_TARGET_HOST = 1,  /* host memory, at the bus address that the device sends */
  GMMU_TARGET_ZERO = 2   /* no memory: reads return zeros, writes are dropped */
} GMMU_TARGET;

typedef enum GMMU_ACCESS { GMMU_ACCESS_READ = 0, GMMU_ACCESS_WRITE = 1, GMMU_ACCESS_EXECUTE = 2 } GMMU_ACCESS;

typedef enum GMMU_FOUND {
  GMMU_FOUND_MEMORY = 0,
  GMMU_FOUND_NOTHING = 1,       /* no entry, or an invalid one */
  GMMU_FOUND_READ_ONLY = 2,     /* the entry is read-only, and the access is a write */
  GMMU_FOUND_NOT_EXECUTABLE = 3 /* the entry is no-execute, and the access is an execute */
} GMMU_FOUND;

typedef struct GMMU_PLACE {
  uint32_t target; /* GMMU_TARGET */
  uint32_t level;  /* level of the entry that determined the result, for reports; 0 is the leaf */
  uint64_t address;
} GMMU_PLACE;

/* The root table of a process, as passed to DxgkDdiSetRootPageTable, and access to memory as the device sees it. */
typedef struct GMMU_SPACE {
  uint64_t process; /* hKmdProcess */
  uint32_t root_segment;
  uint32_t root_entries;
  uint64_t root_offset;
  void* machine; /* first argument of `read` */
  /* Reads memory that contains page tables, within one page. Returns 0 if the read is refused or gets no response. */
  int (*read)(void* machine, uint32_t target, uint64_t address, void* to, uint32_t bytes);
} GMMU_SPACE;

/* Commands for a GPU without virtual addresses (DXGK_VIDMMCAPS.GpuMmuSupported = 0): a command
 * buffer, an allocation list and a patch location list. DxgkDdiRender receives all three, with the
 * driver's handles in place of GMMU_OPERAND.allocation. */
typedef struct GMMU_LISTED_ALLOCATION {
  uint64_t allocation; /* GMMU_OPERAND.allocation */
  uint32_t write;      /* D3DDDI_ALLOCATIONLIST.WriteOperation: a command may write the allocation */
  uint32_t reserved;
} GMMU_LISTED_ALLOCATION;

typedef struct GMMU_PATCH_LOCATION { /* the members of D3DDDI_PATCHLOCATIONLIST */
  uint32_t allocation_index;         /* in the allocation list */
  uint32_t slot, driver_id;
  uint32_t allocation_offset; /* offset in the allocation */
  uint32_t patch_offset;      /* offset in the command buffer of the value that DxgkDdiPatch must write */
  uint32_t split_offset;      /* commands before this offset do not need the allocation */
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
  uint32_t preempts_commands; /* 1: a node can be preempted before any command; 0: only before a submission */
  /* Writes the private data of an allocation for DxgkDdiCreateAllocation and returns its size, at most `room`. */
  uint32_t (*allocation_data)(const GMMU_ALLOCATION* allocation, void* to, uint32_t room);
  /* Translates `va` as the hardware does, through the driver's own page tables and aperture map.
   * NULL if the hardware has no page tables. */
  GMMU_FOUND (*translate)(const GMMU_SPACE* space, uint64_t va, GMMU_ACCESS access, GMMU_PLACE* place);
  /* Write one command to a process's command buffer and return the command's size, or 0 if `room`
   * is too small. The command begins when all earlier writes are done; `pattern` is repeated every
   * 4 bytes. If these functions are NULL, processes submit nothing. */
  uint32_t (*copy)(void* to, uint32_t room, uint64_t source, uint64_t destination, uint64_t bytes);
  uint32_t (*fill)(void* to, uint32_t room, uint64_t destination, uint64_t bytes, uint32_t pattern);
  /* Like copy and fill, but for a GPU without virtual addresses: append one command, the
   * allocations that it uses, and its patch locations. Return 0 and append nothing if the buffer
   * or a list has no room. If list_copy is NULL, processes submit nothing; if list_fill is NULL,
   * the hardware has no fill command. */
  int (*list_copy)(GMMU_COMMAND_BUFFER* buffer, GMMU_OPERAND source, GMMU_OPERAND destination, uint64_t bytes);
  int (*list_fill)(GMMU_COMMAND_BUFFER* buffer, GMMU_OPERAND destination, uint64_t bytes, uint32_t pattern);
} GMMU_USER_MODE_DRIVER;

/* Exported by a driver's shared object. The returned structure must stay valid until the program ends. */
const GMMU_USER_MODE_DRIVER* GmmuUserModeDriver(void);

#ifdef __cplusplus
}
#endif
#endif
