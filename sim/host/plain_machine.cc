// SPDX-License-Identifier: Apache-2.0
#include "host/plain_machine.h"

#include "host/machine_parts.h"

namespace gmmu::sim {

PlainHost::PlainHost(Setup setup)
    : config(setup.config),
      message_ps(setup.message_ps),
      map(config.host.memory_bytes(), config.iommu.present),
      ram(map.ram()),
      clock(agenda),
      host(ram, setup.remapper ? std::move(setup.remapper) : RemapperOf(config.iommu), setup.timing, agenda,
           [this](uint64_t address, uint32_t data) { Deliver(address, data); }) {}

void PlainHost::Deliver(uint64_t address, uint32_t data) {
  const uint64_t late = Clock::Later(message_ps, Clock::ToPs(config.inject.late_interrupt_ns));
  if (late == 0) return messages.Put({address, data});
  agenda.At(Clock::Later(agenda.now(), late), [this, address, data] { messages.Put({address, data}); });
}

}  // namespace gmmu::sim
