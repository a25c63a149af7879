// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "hw/gmmu_regs.h"
#include "twin/aperture.h"
#include "twin/memory.h"
#include "twin/mmu.h"

namespace gmmu::sim::twin {

/// The address of an access: a GPU VA of a space, or a physical offset of a target.
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

/// The memory and the address that an access reaches.
struct Place {
  enum class Kind : uint8_t {
    kVram,
    kHost,
    kPeer,    ///< VRAM of the linked adapter `adapter`
    kZero,    ///< reads give zeros, writes are dropped
    kFault,   ///< `fault` and `level` give the reason
    kClosed,  ///< its port is closed (ctrl.silence closes both): retry when it is open
  };
  Kind kind = Kind::kFault;
  regs::Fault fault = regs::Fault::kNone;
  unsigned level = 0;
  unsigned adapter = 0;
  uint64_t address = 0;
  bool snoop = true;  ///< for kHost: the entry's coherent bit; physical addresses are coherent
};

/// The path of every access of the engine and the clients: translation, then routing, then the memory.
class Path {
 public:
  Path(Mmu& mmu, ApertureMap& aperture, Memory& memory) : mmu_(mmu), aperture_(aperture), memory_(memory) {}

  /// Finds the place of `accesses` accesses of one 4 KiB page, from cost.at on; sets cost.at to the time at which it is
  /// known. They count as that many lookups unless they are physical.
  Place Resolve(unsigned port, const Address& from, regs::Access access, uint64_t accesses, Cost& cost);
  /// Move `size` bytes within one page, from cost.at on; set cost.done to the time when the last of them has arrived,
  /// or when the write is answered. False: the bus answered with an error.
  bool Read(const Place& place, void* to, size_t size, Cost& cost);
  bool Write(const Place& place, const void* from, size_t size, Cost& cost);
  /// Whether an access to this place must still wait.
  bool Closed(const Place& place) const {
    const bool host = place.kind == Place::Kind::kHost || place.kind == Place::Kind::kPeer;
    return memory_.held() || (host && !memory_.host_open());
  }
  Mmu& mmu() { return mmu_; }

 private:
  Mmu& mmu_;
  ApertureMap& aperture_;
  Memory& memory_;
};

}  // namespace gmmu::sim::twin
