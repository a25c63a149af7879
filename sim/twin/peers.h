// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu_link/wires.h"
#include "host/agenda.h"
#include "host/time_model.h"

namespace gmmu::sim::twin {

class Memory;

/// The link between the GPUs of a machine, through which a GPU can access the VRAM of others. An
/// access is performed immediately; it takes the time of the wires and of the peer's VRAM.
class Peers {
 public:
  Peers(const GpuLinkParameters& parameters, Agenda& agenda)
      : wires_(parameters), agenda_(agenda), ports_(parameters.units) {}
  /// Adds the next unit. Call it once per unit, in unit order. `memory` must outlive the accesses.
  void Attach(Memory& memory) { memories_.push_back(&memory); }

  /// Access the VRAM of unit `peer` on behalf of unit `own`. Return false if `peer` is not another
  /// unit of the link, or if the access extends past the end of its VRAM.
  bool Read(unsigned own, unsigned peer, uint64_t offset, void* to, size_t size, Cost& cost);
  bool Write(unsigned own, unsigned peer, uint64_t offset, const void* from, size_t size, Cost& cost);

  const GpuLinkWires& wires() const { return wires_; }

 private:
  Memory* Find(unsigned own, unsigned peer) const;
  uint64_t Send(unsigned from, unsigned to, uint64_t bytes, uint64_t at_ps);

  GpuLinkWires wires_;
  Agenda& agenda_;
  std::vector<Memory*> memories_;
  struct Port {
    Calendar out, in;
  };
  std::vector<Port> ports_;  ///< each unit's wires to and from the switch
};

}  // namespace gmmu::sim::twin
