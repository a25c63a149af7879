// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

namespace gmmu::hw {
class HostRam;
}

namespace gmmu::sim {

class AddressMap;
class Agenda;
class AgendaClock;
class Host;
class Messages;
class Remapper;
struct MachineConfig;
struct TimeParameters;

/// The host's side of a machine without SystemC, built from a configuration.
class PlainHost {
  struct Parts;
  const std::unique_ptr<Parts> parts_;

 public:
  /// `timing` applies to the IOMMU, memory and delayed short writes; interrupt messages take
  /// `message_ps` longer than such writes. If `remapper` is null, the IOMMU is the configured one.
  PlainHost(const MachineConfig& machine, const TimeParameters& timing, uint64_t message_ps,
            std::unique_ptr<Remapper> remapper);
  ~PlainHost();
  PlainHost(const PlainHost&) = delete;
  PlainHost& operator=(const PlainHost&) = delete;

  /// Returns null if the machine has no IOMMU.
  Remapper* iommu();

  const MachineConfig& config;
  AddressMap& map;
  hw::HostRam& ram;
  Agenda& agenda;
  AgendaClock& clock;
  Messages& messages;
  Host& host;
};

}  // namespace gmmu::sim
