/* SPDX-License-Identifier: Apache-2.0 */
/* A model for --device: the hardware of examples/drivers/software. Its first access to host memory
 * starts an endless storm. GMMU_STORM selects the storm: "interrupts" sends an interrupt message
 * every 500 ns, "faults" reads unmapped pages at the same rate. */
#include <stdlib.h>

#include "hardware.c"

enum { EVERY_NS = 500 };

static const GMMU_DEVICE_HOST* machine_of_storm;
static GMMU_DEVICE_HOST watched;
static const char* storm;
static int mad;

static int Read(void* machine, uint64_t address, void* to, uint32_t bytes) {
  mad = 1;
  return machine_of_storm->read(machine, address, to, bytes);
}

static uint64_t Step(void* state, uint64_t now_ns) {
  uint64_t next = GmmuServeDevice(&watched);
  (void)state;
  if (!mad) return next;
  if (strcmp(storm, "interrupts") == 0) {
    watched.interrupt(watched.machine);
  } else {
    uint64_t word, page;
    for (page = 0; page < 4; ++page) /* draining four fault records takes longer than 500 ns */
      (void)machine_of_storm->read(watched.machine, 0xABCDE0000 + page * 4096, &word, sizeof word);
  }
  return next < now_ns + EVERY_NS ? next : now_ns + EVERY_NS;
}

int GmmuOpenDevice(const GMMU_DEVICE_HOST* host, GMMU_DEVICE* device) {
  storm = getenv("GMMU_STORM");
  if (storm == NULL) return 0;
  mad = 0;
  machine_of_storm = host;
  watched = *host;
  watched.read = Read;
  device->step = Step;
  return 1;
}
