// SPDX-License-Identifier: Apache-2.0
#include "host/plain_host.h"

#include <utility>

#include "host/agenda.h"
#include "host/clock.h"
#include "host/config.h"
#include "host/host.h"
#include "host/machine_parts.h"
#include "host/messages.h"
#include "hw/host_ram.h"
#include "pcie/address_map.h"

namespace gmmu::sim {

struct PlainHost::Parts {
  Parts(const MachineConfig& machine, const TimeParameters& timing, uint64_t message_time,
        std::unique_ptr<Remapper> remapper)
      : config(machine),
        late_ps(Clock::Later(message_time, Clock::ToPs(machine.inject.late_interrupt_ns))),
        map(machine.host.all_memory_bytes(), machine.iommu.present),
        ram(map.ram()),
        clock(agenda),
        host(ram, remapper ? std::move(remapper) : RemapperOf(machine.iommu), timing, agenda,
             [this](uint64_t address, uint32_t data) { Deliver(address, data); }) {}

  /// Delivers an interrupt message that has reached the root complex.
  void Deliver(uint64_t address, uint32_t data) {
    if (late_ps == 0) return messages.Put({address, data});
    agenda.At(Clock::Later(agenda.now(), late_ps), [this, address, data] { messages.Put({address, data}); });
  }

  const MachineConfig config;
  const uint64_t late_ps;  ///< delay of a message from the root complex to the CPU
  AddressMap map;
  hw::HostRam ram;
  Agenda agenda;
  AgendaClock clock;
  Messages messages;
  Host host;
};

PlainHost::PlainHost(const MachineConfig& machine, const TimeParameters& timing, uint64_t message_ps,
                     std::unique_ptr<Remapper> remapper)
    : parts_(std::make_unique<Parts>(machine, timing, message_ps, std::move(remapper))),
      config(parts_->config),
      map(parts_->map),
      ram(parts_->ram),
      agenda(parts_->agenda),
      clock(parts_->clock),
      messages(parts_->messages),
      host(parts_->host) {}

PlainHost::~PlainHost() = default;

Remapper* PlainHost::iommu() { return host.iommu(); }

}  // namespace gmmu::sim
