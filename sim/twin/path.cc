// SPDX-License-Identifier: Apache-2.0
#include "twin/path.h"

#include <cstring>
#include <stdexcept>

namespace gmmu::sim::twin {

using regs::Fault;
using regs::Target;

Place Path::Resolve(unsigned port, const Address& from, regs::Access access, uint64_t accesses, Cost& cost) {
  Place place;
  Target target = from.target;
  place.address = from.at;
  if (memory_.held()) {
    place.kind = Place::Kind::kClosed;
    return place;
  }
  if (!from.physical) {
    const Translated found = mmu_.Lookup(port, from.space, from.at, access, accesses, cost);
    place.fault = found.fault;
    place.level = found.level;
    if (found.closed) place.kind = Place::Kind::kClosed;
    else if (found.fault == Fault::kNone && found.zero) place.kind = Place::Kind::kZero;
    if (found.closed || found.fault != Fault::kNone || found.zero) return place;
    target = found.target;
    place.address = found.offset;
    place.adapter = found.adapter;
    place.snoop = found.coherent;
    place.level = 0;
  }
  if (target == Target::kPeer) {  // a physical address always selects adapter 0
    if (!memory_.Linked(place.adapter, place.address)) place.fault = Fault::kPeerAbsent;
    else place.kind = memory_.host_open() ? Place::Kind::kPeer : Place::Kind::kClosed;
    return place;
  }
  if (target == Target::kVram) {
    if (place.address >= memory_.vram_bytes()) place.fault = Fault::kVramRange;
    else place.kind = Place::Kind::kVram;
    return place;
  }
  if (target == Target::kAperture) {
    const ApertureMap::Found found = aperture_.Lookup(place.address, accesses, cost);
    place.fault = found.fault;
    if (found.fault != Fault::kNone) return place;
    place.address = found.logical;
    place.snoop = found.coherent;
  }
  place.kind = memory_.host_open() ? Place::Kind::kHost : Place::Kind::kClosed;
  return place;
}

/// Throws unless the place is a zero page. Only zero pages are accessed without memory.
void Path::RequireZero(const Place& place) {
  if (place.kind != Place::Kind::kZero) throw std::logic_error("an access to a place that is closed or faults");
}

bool Path::Read(const Place& place, void* to, size_t size, Cost& cost) {
  if (place.kind == Place::Kind::kVram) {
    const bool ok = memory_.ReadVram(place.address, to, size, cost);
    memory_.Busy(cost.done);
    return ok;
  }
  if (place.kind == Place::Kind::kHost) return memory_.ReadHost(place.address, to, size, cost, place.snoop);
  if (place.kind == Place::Kind::kPeer) return memory_.ReadPeer(place.adapter, place.address, to, size, cost);
  RequireZero(place);
  std::memset(to, 0, size);
  return true;
}

bool Path::Write(const Place& place, const void* from, size_t size, Cost& cost) {
  if (place.kind == Place::Kind::kVram) {
    const bool ok = memory_.WriteVram(place.address, from, size, cost);
    memory_.Busy(cost.done);
    return ok;
  }
  if (place.kind == Place::Kind::kPeer) return memory_.WritePeer(place.adapter, place.address, from, size, cost);
  if (place.kind == Place::Kind::kHost) memory_.WriteHost(place.address, from, size, cost, place.snoop);
  else RequireZero(place);
  return true;
}

}  // namespace gmmu::sim::twin
