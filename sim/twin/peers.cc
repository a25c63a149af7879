// SPDX-License-Identifier: Apache-2.0
#include "twin/peers.h"

#include <algorithm>

#include "twin/memory.h"

namespace gmmu::sim::twin {

Memory* Peers::Find(unsigned own, unsigned peer) const {
  return peer != own && peer < memories_.size() ? memories_[peer] : nullptr;
}

/// Like GpuLinkWires::Send, including counters, but calls need not be in time order.
uint64_t Peers::Send(unsigned from, unsigned to, uint64_t bytes, uint64_t at_ps) {
  wires_.Send(from, to, bytes, at_ps);
  const GpuLinkParameters& p = wires_.parameters();
  const uint64_t ps = (bytes + GpuLinkWires::kHeadBytes) * 1000 / p.bytes_per_ns;
  const uint64_t start = ports_[from].out.Take(at_ps, ps) - ps;
  return ports_[to].in.Take(start, ps) + p.latency_ps;
}

/// The access to the peer's memory starts when the request arrives; the response follows the
/// access.
bool Peers::Read(unsigned own, unsigned peer, uint64_t offset, void* to, size_t size, Cost& cost) {
  Memory* memory = Find(own, peer);
  if (memory == nullptr) return false;
  Cost there;
  there.at = Send(own, peer, 0, std::max(cost.at, agenda_.now()));
  const bool ok = memory->ReadVram(offset, to, size, there);
  cost.Ends(Send(peer, own, ok ? size : 0, std::max(there.at, there.done)));
  return ok;
}

bool Peers::Write(unsigned own, unsigned peer, uint64_t offset, const void* from, size_t size, Cost& cost) {
  Memory* memory = Find(own, peer);
  if (memory == nullptr) return false;
  Cost there;
  there.at = Send(own, peer, size, std::max(cost.at, agenda_.now()));
  const bool ok = memory->WriteVram(offset, from, size, there);
  cost.Ends(std::max(there.at, there.done) + wires_.parameters().latency_ps);
  return ok;
}

}  // namespace gmmu::sim::twin
