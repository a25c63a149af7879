// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "os/hal/hal.h"

namespace gmmu::os::vtd {

// Registers of a VT-d unit (docs/vtd.md), and bits of its command, status and fault status registers.
inline constexpr uint32_t kCap = 0x08, kEcap = 0x10, kGcmd = 0x18, kGsts = 0x1C, kRtaddr = 0x20;
inline constexpr uint32_t kFsts = 0x34, kFectl = 0x38, kFedata = 0x3C, kFeaddr = 0x40;
inline constexpr uint32_t kIqh = 0x80, kIqt = 0x88, kIqa = 0x90, kIqercd = 0xB0, kIrta = 0xB8;
inline constexpr uint32_t kTe = 1u << 31, kSrtp = 1u << 30, kWbf = 1u << 27, kQie = 1u << 26;
inline constexpr uint32_t kIre = 1u << 25, kSirtp = 1u << 24;
inline constexpr uint32_t kLevelBits = 0x96FFFFFF;
inline constexpr uint32_t kPfo = 1u << 0, kPpf = 1u << 1, kIqe = 1u << 4;
inline constexpr uint64_t kBoundNs = 10'000'000;  // longer than any operation of the IOMMU takes
inline constexpr uint64_t kPollNs = 100;

/// Returns bits [low, high] of a capability register or a record.
inline uint64_t Field(uint64_t value, unsigned high, unsigned low) {
  return (value >> low) & (~uint64_t{0} >> (63 - (high - low)));
}

/// Accesses the registers of one VT-d unit, and its tables and queues in host memory.
class Registers {
 public:
  Registers(Hal& hal, uint64_t base) : hal_(hal), base_(base) {}

  Hal& hal() const { return hal_; }
  uint64_t base() const { return base_; }
  uint32_t Read32(uint32_t offset) const { return static_cast<uint32_t>(hal_.Read(base_ + offset, 4)); }
  uint64_t Read64(uint32_t offset) const { return hal_.Read(base_ + offset, 8); }
  void Write32(uint32_t offset, uint32_t value) { hal_.Write(base_ + offset, 4, value); }
  void Write64(uint32_t offset, uint64_t value) { hal_.Write(base_ + offset, 8, value); }
  /// Changes one bit of the command register and waits until the status register shows the change.
  void Command(uint32_t bit, bool on);

  /// Writes one 64-bit word at a host physical address. Throws OsError if there is no memory at the
  /// address.
  void WriteEntry(uint64_t address, uint64_t value);
  uint64_t ReadEntry(uint64_t address) const;

 private:
  Hal& hal_;
  const uint64_t base_;
};

}  // namespace gmmu::os::vtd
