// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "hw/gmmu_regs.h"
#include "twin/aperture.h"
#include "twin/memory.h"
#include "twin/mmu.h"

namespace gmmu::sim::twin {

/// The address of an access: a GPU VA in a space, or a physical offset in a target.
struct Address {
  bool physical = false;
  regs::Target target = regs::Target::kSystem;
  unsigned space = 0;
  uint64_t at = 0;
  Address operator+(uint64_t bytes) const {
    Address moved = *this;
    moved.at += bytes;
    return moved;
  }
};

/// The memory, and the address in it, that an access is routed to.
struct Place {
  enum class Kind : uint8_t {
    kVram,
    kHost,
    kPeer,    ///< VRAM of the linked adapter `adapter`
    kZero,    ///< reads return zeros, writes are dropped
    kFault,   ///< the access faults, as `fault` and `level` state
    kClosed,  ///< the port is closed (both are, with ctrl.silence): retry when it opens
  };
  Kind kind = Kind::kFault;
  regs::Fault fault = regs::Fault::kNone;
  unsigned level = 0;
  unsigned adapter = 0;
  uint64_t address = 0;
  bool snoop = true;  ///< for kHost: the entry's coherent bit; true for physical addresses
};

/// The common path of all accesses by the paging engine and the clients: translation, routing,
/// memory.
class Path {
 public:
  Path(Mmu& mmu, ApertureMap& aperture, Memory& memory) : mmu_(mmu), aperture_(aperture), memory_(memory) {}

  /// Resolves the address of `accesses` accesses to one 4 KiB page, starting at cost.at. Sets
  /// cost.at to the time at which the place is known. A virtual address counts as `accesses`
  /// lookups.
  Place Resolve(unsigned port, const Address& from, regs::Access access, uint64_t accesses, Cost& cost);
  /// Move `size` bytes within one page, starting at cost.at. Set cost.done to the arrival time of
  /// the last byte or of the write response. Return false if the bus responded with an error. Throw
  /// std::logic_error for a place that is closed or faults.
  bool Read(const Place& place, void* to, size_t size, Cost& cost);
  bool Write(const Place& place, const void* from, size_t size, Cost& cost);
  /// Whether an access to this place must wait for a closed port.
  bool Closed(const Place& place) const {
    const bool host = place.kind == Place::Kind::kHost || place.kind == Place::Kind::kPeer;
    return memory_.held() || (host && !memory_.host_open());
  }
  Mmu& mmu() { return mmu_; }

 private:
  static void RequireZero(const Place& place);

  Mmu& mmu_;
  ApertureMap& aperture_;
  Memory& memory_;
};

}  // namespace gmmu::sim::twin
