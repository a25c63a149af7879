/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's view of this example's device: registers (8-byte words in BAR 0), commands,
 * entries. */
#ifndef HARDWARE_H
#define HARDWARE_H

#include <stdint.h>

enum { NODES = 2, RING_SLOTS = 128 };

/* Macros that -D can set: whether there is an aperture segment; whether local memory is a segment
 * or contains only the aperture map; the segment that places allocations in system memory
 * (APERTURE, or SYSTEM, the implicit segment); the number of page-table levels; the index bits and
 * the segment of the leaf tables and of the upper tables; whether the CPU or the GPU writes the
 * tables. A table has 8 bytes per entry. */
#ifndef APERTURE_SEGMENT
#define APERTURE_SEGMENT 1
#endif
#ifndef LOCAL_SEGMENT
#define LOCAL_SEGMENT 1
#endif
#ifndef SYSTEM_HOME
#define SYSTEM_HOME (APERTURE_SEGMENT ? APERTURE : SYSTEM)
#endif
#ifndef LEVELS
#define LEVELS 4
#endif
#ifndef LEAF_BITS
#define LEAF_BITS 9
#endif
#ifndef UPPER_BITS
#define UPPER_BITS 9
#endif
#ifndef LEAF_SEGMENT
#define LEAF_SEGMENT (LOCAL_SEGMENT ? LOCAL : SYSTEM)
#endif
#ifndef UPPER_SEGMENT
#define UPPER_SEGMENT LEAF_SEGMENT
#endif
#ifndef UPDATE_MODE
#define UPDATE_MODE DXGK_PAGETABLEUPDATE_GPU_PHYSICAL
#endif
/* Number of virtual address bits below the index into a table at `level`. */
#define VA_BITS(level) (12 + ((level) == 0 ? 0 : LEAF_BITS + ((level)-1) * UPPER_BITS))

/* A PLACE is an address and its kind: virtual (translated from the submission's root), in local
 * memory, on the bus, or in the aperture. */
enum { AT_VIRTUAL = 0, AT_LOCAL = 1, AT_HOST = 2, AT_APERTURE = 3 };
#define PLACE(at, address) ((uint64_t)(at) << 60 | (uint64_t)(address))
#define PLACE_AT(place) ((unsigned)((place) >> 60))
#define PLACE_ADDRESS(place) ((place) & 0x0FFFFFFFFFFFFFFFull)

/* Page table entries: bits 12 to 47 are an address, bits 60 and 61 its kind (never AT_VIRTUAL).
 * Entries of the aperture map are bus addresses with a valid bit. */
#define ENTRY_VALID 1ull
#define ENTRY_READ_ONLY 2ull
#define ENTRY_NO_EXECUTE 4ull
#define ENTRY_ZERO 8ull

/* Register numbers, in words. A submission is four words: buffer (a PLACE), bytes, root (a PLACE), fence. */
enum { REG_MAP = 0, REG_SIGNALS = 1 };
#define REG_TAIL(node) (8 + (node))      /* count of submissions; the ring has RING_SLOTS slots */
#define REG_FENCE(node) (16 + (node))    /* last completed fence */
#define REG_PREEMPT(node) (24 + (node))  /* a write drops submissions that have not started */
#define REG_PREEMPTED(node) (32 + (node))
#define REG_FAULT(node) (40 + (node))    /* 0, or bit 32 and the faulting submission's fence */
#define REG_FAULT_VA(node) (48 + (node))
#define REG_RESET(node) (56 + (node))    /* a write drops submissions up to this fence */
#define REG_RING(node) (1024 + (node) * RING_SLOTS * 4)

enum { OP_COPY = 1, OP_FILL = 2, OP_WRITE = 3, OP_SIGNAL = 4 };
struct command {
  uint32_t op, words; /* words: 8-byte words that follow, for OP_WRITE */
  uint64_t to, from;  /* PLACEs; from: 4-byte pattern of OP_FILL, value of OP_SIGNAL */
  uint64_t bytes;
  uint64_t data[];
};

#endif
