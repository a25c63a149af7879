// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "hw/platform.h"

namespace gmmu::sim {

struct GpuLinkParameters {
  unsigned units = 1;             ///< number of GPUs on the link
  uint64_t latency_ps = 200'000;  ///< from the last byte sent to the last byte received
  uint64_t bytes_per_ns = 16;     ///< rate of each unit's port, in each direction
};

/// The wires of the link between GPUs. Each unit has one wire to the switch and one from it.
///
/// A packet occupies the sender's wire and the receiver's wire for the transfer time of its data
/// and header. The switch forwards a packet while receiving it. Packets reserve the wires in call
/// order.
class GpuLinkWires {
 public:
  static constexpr uint64_t kHeadBytes = 16;  ///< header bytes of each packet

  /// Throws std::invalid_argument if the number of units or the rate is 0.
  explicit GpuLinkWires(const GpuLinkParameters& parameters);

  /// Sends a packet with `bytes` of data from one unit to another. The packet is ready at `ready_ps`. Returns the time
  /// at which its last byte arrives.
  uint64_t Send(unsigned from, unsigned to, uint64_t bytes, uint64_t ready_ps);

  /// Returns the time from which `unit` can send another packet.
  uint64_t free_ps(unsigned unit) const { return out_[unit].free_ps; }
  const GpuLinkParameters& parameters() const { return parameters_; }
  /// Returns the counters of block "link" for the packets that `unit` has sent.
  std::vector<hw::Counter> Counters(unsigned unit) const;

 private:
  struct Wire {
    uint64_t free_ps = 0;
    uint64_t packets = 0, bytes = 0, busy_ps = 0;
  };
  const GpuLinkParameters parameters_;
  std::vector<Wire> out_, in_;
};

}  // namespace gmmu::sim
