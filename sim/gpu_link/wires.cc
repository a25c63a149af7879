// SPDX-License-Identifier: Apache-2.0
#include "gpu_link/wires.h"

#include <algorithm>
#include <stdexcept>

namespace gmmu::sim {

GpuLinkWires::GpuLinkWires(const GpuLinkParameters& parameters)
    : parameters_(parameters), out_(parameters.units), in_(parameters.units) {
  if (parameters.units == 0 || parameters.bytes_per_ns == 0)
    throw std::invalid_argument("a link has at least one unit and carries at least a byte in a nanosecond");
}

uint64_t GpuLinkWires::Send(unsigned from, unsigned to, uint64_t bytes, uint64_t ready_ps) {
  const uint64_t rate = parameters_.bytes_per_ns;
  const uint64_t ps = ((bytes + kHeadBytes) * 1000 + rate - 1) / rate;
  Wire& out = out_[from];
  Wire& in = in_[to];
  const uint64_t start = std::max(ready_ps, out.free_ps);
  out.free_ps = start + ps;
  out.busy_ps += ps;
  out.packets += 1;
  out.bytes += bytes;
  in.free_ps = std::max(start, in.free_ps) + ps;
  return in.free_ps + parameters_.latency_ps;
}

std::vector<hw::Counter> GpuLinkWires::Counters(unsigned unit) const {
  const Wire& wire = out_[unit];
  return {{"link", "packets", wire.packets, "packets", "Requests and answers sent to other GPUs."},
          {"link", "payload", wire.bytes, "bytes", "Data in them."},
          {"link", "busy", wire.busy_ps, "ps", "Time that they took on the GPU's port."}};
}

}  // namespace gmmu::sim
