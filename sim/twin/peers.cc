// SPDX-License-Identifier: Apache-2.0
#include "twin/peers.h"

#include <algorithm>

#include "twin/memory.h"

namespace gmmu::sim::twin {

Memory* Peers::Find(unsigned own, unsigned peer) const {
  return peer != own && peer < memories_.size() ? memories_[peer] : nullptr;
}

/// The peer's memory and the way back begin when the request is there; the requester goes on when the
/// wire that has the data is free, or when it may ask for more.
bool Peers::Read(unsigned own, unsigned peer, uint64_t offset, void* to, size_t size, uint64_t window, Cost& cost) {
  Memory* memory = Find(own, peer);
  if (memory == nullptr) return false;
  const uint64_t now = agenda_.now();
  const uint64_t asked = wires_.Send(own, peer, 0, now);
  Cost there;
  const bool ok = memory->ReadVram(offset, to, size, there);
  const uint64_t served = asked + std::max(there.done, now) - now;
  const uint64_t back = wires_.Send(peer, own, ok ? size : 0, there.next);
  const uint64_t trip = served - now + wires_.parameters().latency_ps;
  const uint64_t allowed = now + trip * size / std::max<uint64_t>(window, 1);
  const uint64_t latency = wires_.parameters().latency_ps;
  cost.Add({std::max(back - latency, allowed), std::max(back, served + latency)});
  return ok;
}

bool Peers::Write(unsigned own, unsigned peer, uint64_t offset, const void* from, size_t size, Cost& cost) {
  Memory* memory = Find(own, peer);
  if (memory == nullptr) return false;
  const uint64_t now = agenda_.now();
  const uint64_t arrives = wires_.Send(own, peer, size, now);
  Cost there;
  const bool ok = memory->WriteVram(offset, from, size, there);
  const uint64_t served = arrives + std::max(there.done, now) - now;
  cost.Add({std::max(wires_.free_ps(own), there.next), served + wires_.parameters().latency_ps});
  return ok;
}

}  // namespace gmmu::sim::twin
