/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of a user's own device: what a shared object for `gmmu run --device FILE.so`
 * exports, and what a driver may export for --device none (docs/device.md). C11 or C++.
 *
 * All calls are made one at a time, on one thread. A device acts only inside `step`: `write`
 * records the written value, and the next step does the work. Host memory is accessed at bus
 * addresses, as the device sends them: the IOMMU translates them, and refuses addresses that the
 * system has not mapped for this device. */
#ifndef GMMU_HW_DEVICE_H
#define GMMU_HW_DEVICE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GMMU_DEVICE_VERSION 1u
#define GMMU_DEVICE_IDLE UINT64_MAX /* no step before the next register write */

/* Provided by the machine. The structure stays unchanged, at the same address, until the device is closed. */
typedef struct GMMU_DEVICE_HOST {
  uint32_t version; /* GMMU_DEVICE_VERSION */
  void* machine;    /* first argument of the functions below */
  uint8_t* memory;  /* local memory of size [device] memory_mib; BAR 2 maps its first part */
  uint64_t memory_bytes;
  uint64_t visible_bytes;  /* size of BAR 2, or 0 if there is none */
  uint8_t* registers;      /* BAR 0 as plain memory if the device has no `read` and `write`, else NULL */
  uint64_t register_bytes; /* size of BAR 0 */
  /* Read or write host memory at a bus address, with any size and alignment. The access takes effect at once. `read`
   * returns 0 if the IOMMU refuses the access or no memory responds; `write` always returns 1, because writes are
   * posted. All accesses are refused while the function is not a bus master. */
  int (*read)(void* machine, uint64_t address, void* to, uint32_t bytes);
  int (*write)(void* machine, uint64_t address, const void* from, uint32_t bytes);
  /* Sends the function's interrupt, which arrives after the latency of the link. The interrupt is lost if the system
   * has disabled it. */
  void (*interrupt)(void* machine);
  /* Nanoseconds since power-on. */
  uint64_t (*now_ns)(void* machine);
} GMMU_DEVICE_HOST;

/* Provided by the device. A function that is NULL does nothing. */
typedef struct GMMU_DEVICE {
  void* state; /* first argument of the functions below */
  /* Perform the CPU's accesses to BAR 0, and to BAR 4 if it exists ([device] extra_kib): 1, 2, 4 or 8 bytes, aligned.
   * If both are NULL, BAR 0 is plain memory. Accesses to BAR 2 are not passed to the device. */
  uint64_t (*read)(void* state, unsigned bar, uint64_t offset, unsigned bytes);
  void (*write)(void* state, unsigned bar, uint64_t offset, unsigned bytes, uint64_t value);
  /* Does a bounded part of the work that is due now, and returns the time in nanoseconds at which the next part is due,
   * which must be later than `now_ns`, or GMMU_DEVICE_IDLE. Called when a write has arrived, and at the time that the
   * previous call returned. */
  uint64_t (*step)(void* state, uint64_t now_ns);
  /* Called at power-off. Returns the name of a resource that is still in use, or NULL if there is none. */
  const char* (*in_use)(void* state);
  /* Called when the function has entered D3: registers keep their values; the machine has overwritten local memory. */
  void (*memory_lost)(void* state);
  void (*close)(void* state);
} GMMU_DEVICE;

/* Exported by a --device shared object. Fills in the zeroed `device`; returns 0 if it cannot work with this host. */
int GmmuOpenDevice(const GMMU_DEVICE_HOST* host, GMMU_DEVICE* device);

/* May be exported by a driver for --device none. It models the hardware and is called like `step`.
 * A program may create several machines, one after the other; the hardware must therefore keep its
 * state in registers or local memory, which are initially zero. */
uint64_t GmmuServeDevice(const GMMU_DEVICE_HOST* host);

#ifdef __cplusplus
}
#endif
#endif
