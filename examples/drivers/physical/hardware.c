/* SPDX-License-Identifier: Apache-2.0 */
/* The hardware thread, and the user-mode half of the driver, which writes command buffers with
 * their lists. This file accesses only registers, local memory and the bus, never the memory of the
 * kernel-mode half. */
#include <hw/device.h>
#include <hw/user_mode.h>
#include <stddef.h>
#include <string.h>

#include "hardware.h"

enum { BYTES_PER_NS = 8, BUFFER_BYTES = 64 * 1024 };

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

static int OnBus(uint64_t address, void* bytes, uint32_t size, int write) {
  return write ? gpu.host->write(gpu.host->machine, address, bytes, size)
               : gpu.host->read(gpu.host->machine, address, bytes, size);
}

static int Local(uint64_t address, void* bytes, uint64_t size, int write) {
  if (address > gpu.host->memory_bytes || size > gpu.host->memory_bytes - address) return 0;
  if (write) memcpy(gpu.host->memory + address, bytes, size);
  else memcpy(bytes, gpu.host->memory + address, size);
  return 1;
}

/* Moves at most one page of bytes. */
static int Access(uint64_t address, void* bytes, uint32_t size, int write) {
  uint64_t entry = 0;
  if (address & BUS) return OnBus(address & ~BUS, bytes, size, write);
  if (address < APERTURE_BASE) return Local(address, bytes, size, write);
  if (!Local(*Register(REG_MAP) + (address - APERTURE_BASE) / PAGE * 8, &entry, 8, 0) || !(entry & MAP_VALID)) return 0;
  return OnBus((entry & ~(uint64_t)(PAGE - 1)) + address % PAGE, bytes, size, write);
}

/* On failure, sets `stopped` to the address that does not respond. */
static int Move(uint64_t address, uint8_t* bytes, uint64_t size, int write, uint64_t* stopped) {
  while (size > 0) {
    const uint64_t page = PAGE - address % PAGE, piece = size < page ? size : page;
    *stopped = address;
    if (!Access(address, bytes, (uint32_t)piece, write)) return 0;
    address += piece, bytes += piece, size -= piece;
  }
  return 1;
}

static int Do(const struct command* c, uint64_t* stopped) {
  uint8_t page[PAGE];
  uint64_t done = 0;
  uint32_t i;
  if (c->op == OP_WRITE) return Move(c->to, (uint8_t*)c->data, 8ull * c->words, 1, stopped);
  if (c->op != OP_COPY && c->op != OP_FILL) return 0;
  for (i = 0; i < PAGE && c->op == OP_FILL; ++i) page[i] = (uint8_t)(c->from >> (8 * (i % 4)));
  for (; done < c->bytes; done += PAGE) {
    const uint64_t size = c->bytes - done < PAGE ? c->bytes - done : PAGE;
    if (c->op == OP_COPY && !Move(c->from + done, page, size, 0, stopped)) return 0;
    if (!Move(c->to + done, page, size, 1, stopped)) return 0;
  }
  return 1;
}

/* Executes the submission at the ring's head, or only counts the bytes that it moves. From one
 * command with FLAG_WAIT up to the next, commands run in reverse order. */
static int Run(unsigned n, struct node* node, int count_only, uint64_t* moved) {
  static uint8_t buffer[BUFFER_BYTES];
  static const struct command* batch[BUFFER_BYTES / sizeof(struct command)];
  const uint64_t* slot = Register(REG_RING(n) + node->head % RING_SLOTS * 4);
  uint64_t at = 0, stopped = 0;
  unsigned waiting = 0;
  int good = slot[1] <= sizeof buffer && Move(slot[0], buffer, slot[1], 0, &stopped);
  while (good) {
    const struct command* c = at + sizeof *c <= slot[1] ? (const struct command*)(buffer + at) : NULL;
    if (c == NULL || c->flags & FLAG_WAIT)
      while (good && waiting > 0 && !count_only) good = Do(batch[--waiting], &stopped);
    if (c == NULL) break;
    waiting = c->flags & FLAG_WAIT ? 0 : waiting;
    batch[waiting++] = c;
    at += sizeof *c + 8ull * c->words;
    good = good && at <= slot[1];
    *moved += c->op == OP_WRITE ? 8ull * c->words : c->bytes;
  }
  if (good) return 1;
  node->running = 0;
  *Register(REG_FAULT(n)) = 1ull << 32 | slot[2];
  *Register(REG_FAULT_ADDRESS(n)) = stopped;
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
  *Register(REG_FENCE(n)) = Register(REG_RING(n) + node->head++ % RING_SLOTS * 4)[2];
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

/* Returns the index of an allocation in the list. Appends the allocation if the list lacks it. */
static uint32_t Index(GMMU_COMMAND_BUFFER* b, uint64_t allocation, uint32_t write) {
  uint32_t i = 0;
  while (i < b->allocation_count && b->allocations[i].allocation != allocation) ++i;
  if (i == b->allocation_count) {
    memset(&b->allocations[i], 0, sizeof b->allocations[i]);
    b->allocations[i].allocation = allocation;
    ++b->allocation_count;
  }
  b->allocations[i].write |= write;
  return i;
}

static void Patch(GMMU_COMMAND_BUFFER* b, uint32_t slot, GMMU_OPERAND operand, uint32_t write, uint32_t member) {
  GMMU_PATCH_LOCATION* p = &b->patches[b->patch_count++];
  p->allocation_index = Index(b, operand.allocation, write);
  p->slot = slot;
  p->driver_id = 0;
  p->allocation_offset = (uint32_t)operand.offset;
  p->patch_offset = b->command_bytes + member;
  p->split_offset = b->command_bytes; /* a buffer may be split before any command */
}

static int Append(GMMU_COMMAND_BUFFER* b, const struct command* c, const GMMU_OPERAND* source, GMMU_OPERAND destination) {
  if (b->command_room - b->command_bytes < sizeof *c || b->patch_room - b->patch_count < 2 ||
      b->allocation_room - b->allocation_count < 2)
    return 0;
  memcpy(b->commands + b->command_bytes, c, sizeof *c);
  if (source != NULL) Patch(b, 0, *source, 0, offsetof(struct command, from));
  Patch(b, 1, destination, 1, offsetof(struct command, to));
  b->command_bytes += sizeof *c;
  return 1;
}

static int ListCopy(GMMU_COMMAND_BUFFER* b, GMMU_OPERAND source, GMMU_OPERAND destination, uint64_t bytes) {
  const struct command c = {OP_COPY, FLAG_WAIT, 0, 0, 0, 0, bytes};
  return Append(b, &c, &source, destination);
}

static int ListFill(GMMU_COMMAND_BUFFER* b, GMMU_OPERAND destination, uint64_t bytes, uint32_t pattern) {
  const struct command c = {OP_FILL, FLAG_WAIT, 0, 0, 0, pattern, bytes};
  return Append(b, &c, NULL, destination);
}

const GMMU_USER_MODE_DRIVER* GmmuUserModeDriver(void) {
  static const GMMU_USER_MODE_DRIVER half = {GMMU_USER_MODE_VERSION, 0, AllocationData, NULL, NULL, NULL, ListCopy, ListFill};
  return &half;
}
