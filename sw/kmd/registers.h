// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/wdm.h"
#include "ddi/wdm_waits.h"
#include "hw/gmmu_regs.h"

namespace gmmu::kmd {

/// The driver's view of BAR0: the typed 64-bit registers of hw/gmmu_regs.h at a mapped base
/// address.
///
/// A register in a register group also needs the group: `Read<regs::RingStatus>(RingBlock(0))`.
class Registers {
 public:
  Registers() = default;
  explicit Registers(void* base) : base_(static_cast<uint8_t*>(base)) {}

  static constexpr uint32_t RingBlock(uint32_t i) { return regs::kRingBase + i * regs::kRingStride; }
  static constexpr uint32_t SpaceBlock(uint32_t i) { return regs::kSpaceBase + i * regs::kSpaceStride; }
  static constexpr uint32_t ClientBlock(uint32_t i) { return regs::kClientBase + i * regs::kClientStride; }

  template <typename Register>
  Register Read(uint32_t block = 0) const {
    Register value;
    value.raw = READ_REGISTER_ULONG64(At(block + Register::kOffset));
    return value;
  }
  template <typename Register>
  void Write(Register value, uint32_t block = 0) const {
    WRITE_REGISTER_ULONG64(At(block + Register::kOffset), value.raw);
  }

  /// Reads the register until `done(value)` is true. Gives up after `polls` reads, or later: the
  /// reads after the first half must also take at least kReadTime each on average, so a fast link
  /// needs more reads. The limit is kMost * polls reads, in case the clock does not advance. A
  /// removed device reads as all ones; nothing is pending then, so the function returns true.
  template <typename Register, typename Done>
  [[nodiscard]] bool Poll(Done done, uint32_t block = 0, uint32_t polls = kPolls) const {
    ULONG64 counter = 0;
    ULONGLONG middle = 0;
    for (uint32_t i = 0;; ++i) {
      const Register value = Read<Register>(block);
      if (done(value) || value.raw == ~decltype(value.raw){0}) return true;
      if (i == polls / 2) middle = KeQueryInterruptTimePrecise(&counter);
      if (i + 1 < polls) continue;
      if (i >= kMost * polls || KeQueryInterruptTimePrecise(&counter) - middle >= polls / 2 * kReadTime) return false;
    }
  }

  static constexpr uint32_t kPolls = 20000;
  static constexpr uint32_t kMost = 64;
  static constexpr ULONGLONG kReadTime = 5;  ///< time of one read, in units of 100 ns

 private:
  volatile ULONG64* At(uint32_t offset) const { return reinterpret_cast<volatile ULONG64*>(base_ + offset); }
  uint8_t* base_ = nullptr;
};

}  // namespace gmmu::kmd
