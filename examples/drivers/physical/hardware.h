/* SPDX-License-Identifier: Apache-2.0 */
/* The device of this example, as its driver sees it: addresses, registers (words of 8 bytes in BAR 0), commands. */
#ifndef HARDWARE_H
#define HARDWARE_H

#include <stdint.h>

enum { NODES = 2, RING_SLOTS = 128, PAGE = 4096 };

/* The GPU has one space of physical addresses and no page tables: local memory from 0 on, the aperture from APERTURE_BASE on,
 * whose pages its map leads to pages of the bus. Paging commands may also name a bus address, with BUS set. */
#define APERTURE_BASE (1ull << 40)
#define BUS (1ull << 62)

/* An entry of the aperture map: the bus address of a page, and MAP_VALID. */
#define MAP_VALID 1ull

/* Registers by word. A submission is three words: address of the first command, bytes, fence. */
enum { REG_MAP = 0 };                    /* where the aperture map begins in local memory */
#define REG_TAIL(node) (8 + (node))      /* submissions so far; the ring has RING_SLOTS of them */
#define REG_FENCE(node) (16 + (node))    /* last that has completed */
#define REG_PREEMPT(node) (24 + (node))  /* written: give back what has not begun */
#define REG_PREEMPTED(node) (32 + (node))
#define REG_FAULT(node) (40 + (node))    /* 0, or bit 32 and the fence of the submission that stopped the node */
#define REG_FAULT_ADDRESS(node) (48 + (node))
#define REG_RESET(node) (56 + (node))    /* written: everything up to this fence is dropped */
#define REG_RING(node) (1024 + (node) * RING_SLOTS * 4)

/* Commands are done in any order: only one with FLAG_WAIT begins when all before it have been done. */
enum { OP_COPY = 1, OP_FILL = 2, OP_WRITE = 3 };
enum { FLAG_WAIT = 1 };
struct command {
  uint8_t op, flags;
  uint16_t reserved;
  uint32_t words;     /* of 8 bytes behind it, for OP_WRITE */
  uint64_t to, from;  /* addresses; `from` of OP_FILL is a pattern of 4 bytes */
  uint64_t bytes;
  uint64_t data[];
};

#endif
