// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "hw/client_accesses.h"
#include "twin/client.h"

namespace gmmu::sim::twin {

/// The client ports of one GPU, driven by hw::ClientAccesses (sim/gpu/client_ports.h is the
/// counterpart for the RTL). An access takes three events: acceptance and translation, the data
/// transfer when the translation is ready, and the response. client_ports.cc contains the estimated
/// cycles of the ports.
class ClientPorts {
 public:
  ClientPorts(unsigned clients, const ClientParts& parts);

  void Serve(hw::ClientAccesses* accesses);
  void set_enabled(bool on) { enabled_ = on; }
  /// Resumes accesses that waited because the GPU was disabled or the host port was closed.
  void Wake();
  /// Repeats the translations of the stalled accesses, because mappings have changed.
  void Flushed();
  bool idle() const { return in_flight_ == 0; }
  /// Drops all accesses in flight.
  void Reset();

 private:
  static constexpr uint64_t kNever = hw::ClientAccesses::kNever;
  struct Port {
    uint64_t act_cycle = kNever;  ///< cycle of the event that will accept the next access
    uint64_t next_cycle = 0;      ///< first cycle in which the port can accept an access
    unsigned in_flight = 0;
    Calendar answers;             ///< response beats, which may occupy the port out of order
    std::deque<uint64_t> begins;  ///< when the memory port accepts the translated accesses
  };
  struct InFlight {
    unsigned client = 0;
    hw::ClientRequest request;
    uint64_t requested = 0;
    uint64_t life = 0;
  };

  struct Found {
    Place place;
    uint64_t epoch = 0;  ///< Mmu::epoch of the translation
  };

  uint64_t RoomCycle(Port& port);
  void Ask(unsigned client);
  void Act(unsigned client);
  void Translate(const InFlight& access, bool again = false);  ///< `again`: a replay, not counted
  void Translated(const InFlight& access, const Found& found, uint64_t ps);
  void Stall(const InFlight& access);
  void Move(const InFlight& access, const Place& place);
  void End(const InFlight& access, regs::Fault fault, unsigned level, uint64_t ps);
  void Answer(const InFlight& access, regs::Fault fault);
  uint64_t Cycles(uint64_t cycles) const { return parts_.time.Cycles(cycles); }
  uint64_t Now() const { return parts_.time.CycleAt(parts_.agenda.now()); }
  /// Runs `act` at `ps`, unless the GPU is reset first.
  template <typename F>
  void At(uint64_t ps, F act) {
    parts_.agenda.At(ps, [this, act, generation = generation_] {
      if (generation == generation_) act();
    });
  }

  ClientParts parts_;
  std::vector<Port> ports_;
  std::vector<InFlight> closed_;   ///< accesses that wait for the host port to open
  std::vector<InFlight> stalled_;  ///< accesses to unmapped pages, until an invalidation
  hw::ClientAccesses* accesses_ = nullptr;
  uint64_t life_ = 0, generation_ = 0, in_flight_ = 0;
  bool enabled_ = false;
};

}  // namespace gmmu::sim::twin
