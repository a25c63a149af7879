/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's view of this example's device: addresses, registers (8-byte words in BAR 0),
 * commands. */
#ifndef HARDWARE_H
#define HARDWARE_H

#include <stdint.h>

enum { NODES = 2, RING_SLOTS = 128, PAGE = 4096 };

/* The GPU has one physical address space and no page tables: local memory starts at 0, the aperture
 * at APERTURE_BASE. The aperture map translates aperture pages to bus pages. Paging commands may
 * also use bus addresses, with BUS set. */
#define APERTURE_BASE (1ull << 40)
#define BUS (1ull << 62)

/* An entry of the aperture map: the bus address of a page, and MAP_VALID. */
#define MAP_VALID 1ull

/* Register numbers, in words. A submission is three words: address of the first command, bytes, fence. */
enum { REG_MAP = 0 };                    /* start of the aperture map in local memory */
#define REG_TAIL(node) (8 + (node))      /* count of submissions; the ring has RING_SLOTS slots */
#define REG_FENCE(node) (16 + (node))    /* last completed fence */
#define REG_PREEMPT(node) (24 + (node))  /* a write drops submissions that have not started */
#define REG_PREEMPTED(node) (32 + (node))
#define REG_FAULT(node) (40 + (node))    /* 0, or bit 32 and the faulting submission's fence */
#define REG_FAULT_ADDRESS(node) (48 + (node))
#define REG_RESET(node) (56 + (node))    /* a write drops submissions up to this fence */
#define REG_RING(node) (1024 + (node) * RING_SLOTS * 4)

/* Commands execute in any order, but a command with FLAG_WAIT starts only after all earlier
 * commands have completed. */
enum { OP_COPY = 1, OP_FILL = 2, OP_WRITE = 3 };
enum { FLAG_WAIT = 1 };
struct command {
  uint8_t op, flags;
  uint16_t reserved;
  uint32_t words;     /* 8-byte words that follow, for OP_WRITE */
  uint64_t to, from;  /* addresses; from: 4-byte pattern of OP_FILL */
  uint64_t bytes;
  uint64_t data[];
};

#endif
