/* SPDX-License-Identifier: Apache-2.0 */
/* A device of your own in the machine: what a shared object for `gmmu run --device FILE.so` exports, and what a driver may
 * export for --device none (docs/device.md). C11 or C++.
 *
 * All calls come one at a time on one thread. A device acts inside `step` only: `write` notes what was written, and the step
 * that follows it does the work. Addresses of host memory are those that the device puts on the bus: the IOMMU translates
 * them, and refuses what the system has not mapped for this device. */
#ifndef GMMU_HW_DEVICE_H
#define GMMU_HW_DEVICE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GMMU_DEVICE_VERSION 1u
#define GMMU_DEVICE_IDLE UINT64_MAX /* no step before the next register write */

/* What the machine offers. It stays where it is and as it is until the device is closed. */
typedef struct GMMU_DEVICE_HOST {
  uint32_t version; /* GMMU_DEVICE_VERSION */
  void* machine;    /* first argument of the functions below */
  uint8_t* memory;  /* local memory of [device] memory_mib; its first part is what BAR 2 shows */
  uint64_t memory_bytes;
  uint64_t visible_bytes;  /* size of BAR 2; 0: there is none */
  uint8_t* registers;      /* BAR 0 as plain memory, when the device has no `read` and `write`; else NULL */
  uint64_t register_bytes; /* size of BAR 0 */
  /* Read or write host memory at a bus address, any size and alignment, at once. 0: refused, by the IOMMU or because no
   * memory answers; a write is posted, so it always returns 1. All accesses are refused while the function is not bus
   * master. */
  int (*read)(void* machine, uint64_t address, void* to, uint32_t bytes);
  int (*write)(void* machine, uint64_t address, const void* from, uint32_t bytes);
  /* Sends the function's interrupt, which arrives when the link has carried it. Lost while the system has it switched
   * off. */
  void (*interrupt)(void* machine);
  /* Nanoseconds since power-on. */
  uint64_t (*now_ns)(void* machine);
} GMMU_DEVICE_HOST;

/* What the device offers. A function that is NULL does nothing. */
typedef struct GMMU_DEVICE {
  void* state; /* first argument of the functions below */
  /* Accesses of the CPU to BAR 0, and to BAR 4 if [device] extra_kib gives one: 1, 2, 4 or 8 bytes, aligned. Both NULL:
   * BAR 0 is plain memory. BAR 2 is never seen here. */
  uint64_t (*read)(void* state, unsigned bar, uint64_t offset, unsigned bytes);
  void (*write)(void* state, unsigned bar, uint64_t offset, unsigned bytes, uint64_t value);
  /* Does what is due now, a bounded piece of it, and returns when the next piece is due, in nanoseconds: later than now, or
   * GMMU_DEVICE_IDLE. Called after each write that has arrived, and at the time that it returned last. */
  uint64_t (*step)(void* state, uint64_t now_ns);
  /* Names something that is in use although it should not be at power-off; NULL: nothing is. */
  const char* (*in_use)(void* state);
  /* The function went to D3: registers stay, local memory is lost (the machine has overwritten it). */
  void (*memory_lost)(void* state);
  void (*close)(void* state);
} GMMU_DEVICE;

/* Exported by a shared object of --device: fills `device`, which is zero. 0: it cannot work with this host. */
int GmmuOpenDevice(const GMMU_DEVICE_HOST* host, GMMU_DEVICE* device);

/* Exported by a driver for --device none, if it wants to: the hardware thread, called as `step` is. A program may have
 * several machines one after the other: what the hardware keeps belongs into registers or local memory, which begin as zeros. */
uint64_t GmmuServeDevice(const GMMU_DEVICE_HOST* host);

#ifdef __cplusplus
}
#endif
#endif
