// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <utility>

#include "host/engine.h"
#include "host/host_image.h"
#include "host/machine.h"
#include "host/plain_host.h"

namespace gmmu::sim {

/// The host's side and a device, constructed in this order, before the machine that uses them.
template <class D>
struct PlainParts {
  template <class... Arguments>
  PlainParts(const MachineConfig& config, const TimeParameters& timing, uint64_t message_ps,
             std::unique_ptr<Remapper> remapper, Arguments&&... arguments)
      : host(config, timing, message_ps, std::move(remapper)), device(host, std::forward<Arguments>(arguments)...) {}

  PlainHost host;
  D device;
};

/// Returns the machine's parts, with `device` as the machine's device.
Machine::Parts HostOf(PlainHost& host, Device& device);

/// A machine without SystemC: the host's side in plain C++, with a device (host/device.h).
template <class D>
class PlainMachine : private PlainParts<D>, public Machine {
 public:
  /// The first four arguments are passed to PlainHost. The device is constructed from its PlainHost
  /// and `arguments`.
  template <class... Arguments>
  PlainMachine(const MachineConfig& config, const TimeParameters& timing, uint64_t message_ps,
               std::unique_ptr<Remapper> remapper, Arguments&&... arguments)
      : PlainParts<D>(config, timing, message_ps, std::move(remapper), std::forward<Arguments>(arguments)...),
        Machine(PlainParts<D>::host.config, HostOf(PlainParts<D>::host, PlainParts<D>::device)) {}

  D& device() { return this->PlainParts<D>::device; }
  PlainHost& host() { return this->PlainParts<D>::host; }
  Remapper* iommu() { return host().iommu(); }
};

/// The engine that runs a PlainMachine. Its constructor passes `arguments` to the machine.
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
