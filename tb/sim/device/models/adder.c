/* SPDX-License-Identifier: Apache-2.0 */
/* A model whose BAR 4 holds the sum of the values written to BAR 0. REFUSE: refuses every machine. EMPTY: no model. */
#include <hw/device.h>

#if !defined(EMPTY)
static uint64_t sum, written;

static uint64_t Read(void* state, unsigned bar, uint64_t offset, unsigned bytes) {
  (void)state, (void)offset, (void)bytes;
  return bar == 4 ? sum : 0;
}

static void Write(void* state, unsigned bar, uint64_t offset, unsigned bytes, uint64_t value) {
  (void)state, (void)bar, (void)offset, (void)bytes;
  written = value;
}

static uint64_t Step(void* state, uint64_t now_ns) {
  (void)state, (void)now_ns;
  sum += written;
  return GMMU_DEVICE_IDLE;
}

int GmmuOpenDevice(const GMMU_DEVICE_HOST* host, GMMU_DEVICE* device) {
#if defined(REFUSE)
  (void)device;
  return host->version != GMMU_DEVICE_VERSION;
#else
  device->read = Read;
  device->write = Write;
  device->step = Step;
  return host->version == GMMU_DEVICE_VERSION;
#endif
}
#else
int nothing;
#endif
