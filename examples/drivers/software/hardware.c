/* SPDX-License-Identifier: Apache-2.0 */
/* The hardware thread, and the user-mode half of the driver, which writes commands and decodes
 * addresses. This file accesses only registers, local memory and the bus, never the memory of the
 * kernel-mode half. */
#include <hw/device.h>
#include <hw/user_mode.h>
#include <string.h>

#include "hardware.h"

enum { PAGE = 4096, BYTES_PER_NS = 8 };

/* How page tables and the aperture map are read: by the hardware itself, or by the user-mode
 * decoder. */
struct reader {
  void* machine;
  int (*read)(void* machine, uint32_t target, uint64_t address, void* to, uint32_t bytes);
  uint64_t map;
};

static int Entry(const struct reader* r, uint64_t place, uint64_t* entry) {
  return r->read(r->machine, PLACE_AT(place) == AT_LOCAL ? GMMU_TARGET_LOCAL : GMMU_TARGET_HOST, PLACE_ADDRESS(place), entry, 8);
}

/* Converts a PLACE, which must not be virtual, to a memory address. */
static GMMU_FOUND Resolve(const struct reader* r, uint64_t place, GMMU_PLACE* out) {
  uint64_t entry = 0;
  out->target = PLACE_AT(place) == AT_LOCAL ? GMMU_TARGET_LOCAL : GMMU_TARGET_HOST;
  out->address = PLACE_ADDRESS(place);
  if (PLACE_AT(place) != AT_APERTURE) return GMMU_FOUND_MEMORY;
  if (!Entry(r, PLACE(AT_LOCAL, r->map + out->address / PAGE * 8), &entry) || !(entry & ENTRY_VALID)) return GMMU_FOUND_NOTHING;
  out->address = (entry & ~(uint64_t)(PAGE - 1)) + out->address % PAGE;
  return GMMU_FOUND_MEMORY;
}

static GMMU_FOUND Walk(const struct reader* r, uint64_t root, uint64_t va, GMMU_ACCESS access, GMMU_PLACE* out) {
  uint64_t table = root, entry = 0;
  int level;
  if (va >> VA_BITS(LEVELS) != 0) return GMMU_FOUND_NOTHING;
  for (level = LEVELS - 1; level >= 0; --level) {
    const uint64_t index = va >> VA_BITS(level) & ((1u << (level == 0 ? LEAF_BITS : UPPER_BITS)) - 1);
    out->level = (uint32_t)level;
    if (PLACE_AT(table) == AT_VIRTUAL || !Entry(r, table + index * 8, &entry) || !(entry & ENTRY_VALID)) return GMMU_FOUND_NOTHING;
    if (entry & ENTRY_ZERO) {
      out->target = GMMU_TARGET_ZERO;
      return GMMU_FOUND_MEMORY;
    }
    table = entry & ~(uint64_t)(PAGE - 1);
  }
  if (access == GMMU_ACCESS_WRITE && entry & ENTRY_READ_ONLY) return GMMU_FOUND_READ_ONLY;
  if (access == GMMU_ACCESS_EXECUTE && entry & ENTRY_NO_EXECUTE) return GMMU_FOUND_NOT_EXECUTABLE;
  return Resolve(r, table + va % PAGE, out);
}

/* ---- the hardware thread */

struct node {
  uint64_t head, preempted, reset, done_ns;
  int running;
};
/* The hardware's private state is behind its registers, so it is zero at the start of each
 * machine. */
static struct {
  const GMMU_DEVICE_HOST* host;
  struct node* nodes;
} gpu;

static uint64_t* Register(unsigned word) { return (uint64_t*)gpu.host->registers + word; }

static int Reach(uint32_t target, uint64_t address, void* bytes, uint32_t size, int write) {
  if (target == GMMU_TARGET_HOST) {
    return write ? gpu.host->write(gpu.host->machine, address, bytes, size)
                 : gpu.host->read(gpu.host->machine, address, bytes, size);
  }
  if (target == GMMU_TARGET_ZERO) {
    if (!write) memset(bytes, 0, size);
    return 1;
  }
  if (address > gpu.host->memory_bytes || size > gpu.host->memory_bytes - address) return 0;
  if (write) memcpy(gpu.host->memory + address, bytes, size);
  else memcpy(bytes, gpu.host->memory + address, size);
  return 1;
}
static int ReadTable(void* machine, uint32_t target, uint64_t address, void* to, uint32_t bytes) {
  (void)machine;
  return Reach(target, address, to, bytes, 0);
}

/* Moves at most one page of bytes. On failure, sets `va` to the faulting address. */
static int Access(uint64_t root, uint64_t place, void* bytes, uint32_t size, int write, uint64_t* va) {
  const struct reader r = {NULL, ReadTable, *Register(REG_MAP)};
  GMMU_PLACE at = {0, 0, 0};
  const GMMU_ACCESS access = write ? GMMU_ACCESS_WRITE : GMMU_ACCESS_READ;
  const GMMU_FOUND found = PLACE_AT(place) == AT_VIRTUAL ? Walk(&r, root, place, access, &at) : Resolve(&r, place, &at);
  *va = PLACE_ADDRESS(place);
  return found == GMMU_FOUND_MEMORY && Reach(at.target, at.address, bytes, size, write);
}

static uint32_t Piece(uint64_t left, uint64_t place) {
  const uint64_t page = PAGE - place % PAGE;
  return (uint32_t)(left < page ? left : page);
}

static int Move(uint64_t root, uint64_t place, uint8_t* bytes, uint64_t size, int write, uint64_t* va) {
  while (size > 0) {
    const uint32_t piece = Piece(size, place);
    if (!Access(root, place, bytes, piece, write, va)) return 0;
    place += piece, bytes += piece, size -= piece;
  }
  return 1;
}

static int Command(uint64_t root, const struct command* c, uint64_t* va) {
  uint8_t page[PAGE];
  uint64_t done = 0;
  switch (c->op) {
    case OP_WRITE: return Move(root, c->to, (uint8_t*)c->data, 8 * c->words, 1, va);
    case OP_SIGNAL:
      *Register(REG_SIGNALS) = 1;
      return Move(root, c->to, (uint8_t*)&c->from, 8, 1, va);
    case OP_FILL:
      for (uint32_t i = 0; i < PAGE; ++i) page[i] = (uint8_t)(c->from >> (8 * (i % 4)));
      for (; done < c->bytes; done += PAGE)
        if (!Move(root, c->to + done, page, c->bytes - done < PAGE ? c->bytes - done : PAGE, 1, va)) return 0;
      return 1;
    case OP_COPY:
      for (; done < c->bytes; done += PAGE) {
        const uint64_t size = c->bytes - done < PAGE ? c->bytes - done : PAGE;
        if (!Move(root, c->from + done, page, size, 0, va) || !Move(root, c->to + done, page, size, 1, va)) return 0;
      }
      return 1;
    default: return 0;
  }
}

/* Reads the submission at the ring's head and executes its commands, or only counts the bytes that they move. A page
 * that is not present stops the node. */
static int Run(unsigned n, struct node* node, int count_only, uint64_t* moved) {
  static uint8_t buffer[64 * 1024];
  const uint64_t* slot = Register(REG_RING(n) + node->head % RING_SLOTS * 4);
  uint64_t at = 0, va = 0;
  int good = slot[1] <= sizeof buffer && Move(slot[2], slot[0], buffer, slot[1], 0, &va);
  while (good && at + sizeof(struct command) <= slot[1]) {
    const struct command* c = (const struct command*)(buffer + at);
    at += sizeof *c + 8ull * c->words;
    good = at <= slot[1];
    *moved += c->op == OP_WRITE ? 8ull * c->words : c->bytes;
    if (good && !count_only) good = Command(slot[2], c, &va);
  }
  if (good) return 1;
  node->running = 0;
  *Register(REG_FAULT(n)) = 1ull << 32 | slot[3];
  *Register(REG_FAULT_VA(n)) = va;
  gpu.host->interrupt(gpu.host->machine);
  return 0;
}

/* The duration of a submission depends on the bytes it moves. It takes effect only at its end, so
 * an earlier reset cancels all of it. */
static void Begin(unsigned n, struct node* node, uint64_t now) {
  uint64_t moved = 0;
  node->running = Run(n, node, 1, &moved);
  node->done_ns = now + 100 + moved / BYTES_PER_NS;
}

static void End(unsigned n, struct node* node) {
  uint64_t moved = 0;
  if (!Run(n, node, 0, &moved)) return;
  node->running = 0;
  *Register(REG_FENCE(n)) = Register(REG_RING(n) + node->head++ % RING_SLOTS * 4)[3];
  gpu.host->interrupt(gpu.host->machine);
}

uint64_t GmmuServeDevice(const GMMU_DEVICE_HOST* host) {
  const uint64_t now = host->now_ns(host->machine);
  uint64_t next = GMMU_DEVICE_IDLE;
  gpu.host = host;
  gpu.nodes = (struct node*)(host->registers + host->register_bytes) - NODES;
  for (unsigned n = 0; n < NODES; ++n) {
    struct node* node = &gpu.nodes[n];
    if (*Register(REG_RESET(n)) != node->reset) {
      node->reset = *Register(REG_RESET(n));
      node->head = *Register(REG_TAIL(n));
      node->preempted = *Register(REG_PREEMPT(n)); /* the reset also satisfies the preemption request */
      node->running = 0;
      *Register(REG_FAULT(n)) = 0;
      *Register(REG_FENCE(n)) = node->reset;
    }
    if (node->running && now >= node->done_ns) End(n, node);
    if (!node->running && *Register(REG_PREEMPT(n)) != node->preempted) { /* between submissions */
      node->preempted = *Register(REG_PREEMPTED(n)) = *Register(REG_PREEMPT(n));
      node->head = *Register(REG_TAIL(n));
      host->interrupt(host->machine);
    }
    if (!node->running && *Register(REG_FAULT(n)) == 0 && node->head != *Register(REG_TAIL(n))) Begin(n, node, now);
    if (node->running && node->done_ns < next) next = node->done_ns;
  }
  return next;
}

/* ---- the user-mode half */

static uint32_t AllocationData(const GMMU_ALLOCATION* allocation, void* to, uint32_t room) {
  if (room < sizeof *allocation) return 0;
  memcpy(to, allocation, sizeof *allocation);
  return sizeof *allocation;
}

static GMMU_FOUND Translate(const GMMU_SPACE* space, uint64_t va, GMMU_ACCESS access, GMMU_PLACE* place) {
  const struct reader r = {space->machine, space->read, *Register(REG_MAP)};
  return Walk(&r, PLACE(space->root_segment == 0 ? AT_HOST : AT_LOCAL, space->root_offset), va, access, place);
}

static uint32_t Put(void* to, uint32_t room, uint32_t op, uint64_t destination, uint64_t source, uint64_t bytes) {
  const struct command c = {op, 0, destination, source, bytes};
  if (room < sizeof c) return 0;
  memcpy(to, &c, sizeof c);
  return sizeof c;
}
static uint32_t Copy(void* to, uint32_t room, uint64_t source, uint64_t destination, uint64_t bytes) {
  return Put(to, room, OP_COPY, destination, source, bytes);
}
static uint32_t Fill(void* to, uint32_t room, uint64_t destination, uint64_t bytes, uint32_t pattern) {
  return Put(to, room, OP_FILL, destination, pattern, bytes);
}

const GMMU_USER_MODE_DRIVER* GmmuUserModeDriver(void) {
  static const GMMU_USER_MODE_DRIVER half = {GMMU_USER_MODE_VERSION, 0, AllocationData, Translate, Copy, Fill};
  return &half;
}
