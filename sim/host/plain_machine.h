// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <utility>

#include "host/clock.h"
#include "host/config.h"
#include "host/engine.h"
#include "host/host.h"
#include "host/host_image.h"
#include "host/machine.h"
#include "host/messages.h"
#include "host/time_model.h"
#include "hw/host_ram.h"
#include "pcie/address_map.h"

namespace gmmu::sim {

/// The host's side of a machine without SystemC, built from a configuration.
struct PlainHost {
  struct Setup {
    const MachineConfig& config;
    TimeParameters timing;                         ///< of the IOMMU, of memory and of short writes on their way
    uint64_t message_ps = 0;                       ///< time that a message needs beyond it
    std::unique_ptr<Remapper> remapper = nullptr;  ///< null: the configuration's
  };
  explicit PlainHost(Setup setup);
  PlainHost(const PlainHost&) = delete;
  PlainHost& operator=(const PlainHost&) = delete;

  /// Delivers an interrupt message from the root complex, delayed by inject.late_interrupt_ns if that is set.
  void Deliver(uint64_t address, uint32_t data);

  const MachineConfig config;
  const uint64_t message_ps;
  AddressMap map;
  hw::HostRam ram;
  Agenda agenda;
  AgendaClock clock;
  Messages messages;
  Host host;
};

/// The host's side and a device, both constructed before the machine that uses them.
template <class D>
struct PlainParts {
  template <class... Arguments>
  explicit PlainParts(PlainHost::Setup setup, Arguments&&... arguments)
      : host(std::move(setup)), device(host, std::forward<Arguments>(arguments)...) {}

  PlainHost host;
  D device;
};

/// A machine without SystemC: the host's side in plain C++, and a device (host/device.h).
template <class D>
class PlainMachine : private PlainParts<D>, public Machine {
 public:
  /// `arguments` are passed to the device's constructor after its PlainHost.
  template <class... Arguments>
  explicit PlainMachine(PlainHost::Setup setup, Arguments&&... arguments)
      : PlainParts<D>(std::move(setup), std::forward<Arguments>(arguments)...),
        Machine(host().config, {host().map, host().ram, host().host, host().messages, device()}) {}

  D& device() { return this->PlainParts<D>::device; }
  PlainHost& host() { return this->PlainParts<D>::host; }
  Remapper* iommu() { return host().host.iommu(); }
};

/// The engine that runs such a machine. Its constructor passes `arguments` to the machine.
template <class M>
class PlainEngine : public Engine {
 public:
  template <class... Arguments>
  explicit PlainEngine(Arguments&&... arguments) : machine_(std::forward<Arguments>(arguments)...) {}

  int Run(const std::function<int(hw::Platform&)>& software) override { return software(machine_); }
  void DumpHost(std::ostream& out) override { WriteHostImage(machine_.ram(), out); }
  std::string DumpMappings() override { return MappingsAsJson(machine_.iommu(), machine_.ram()); }

 private:
  M machine_;
};

}  // namespace gmmu::sim
