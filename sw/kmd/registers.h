// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/wdm.h"
#include "hw/gmmu_regs.h"

namespace gmmu::kmd {

/// The driver's view of BAR0: typed 64-bit registers of hw/gmmu_regs.h at a mapped base.
///
/// A register inside a group is named by the group's index: `Read<regs::RingStatus>(RingBlock(0))`.
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

  /// Reads the register until `done(value)` holds, at most `polls` times. The limit counts register reads because each
  /// read takes device time.
  template <typename Register, typename Done>
  [[nodiscard]] bool Poll(Done done, uint32_t block = 0, uint32_t polls = kPolls) const {
    for (uint32_t i = 0; i < polls; ++i) {
      if (done(Read<Register>(block))) return true;
    }
    return false;
  }

  static constexpr uint32_t kPolls = 20000;

 private:
  volatile ULONG64* At(uint32_t offset) const { return reinterpret_cast<volatile ULONG64*>(base_ + offset); }
  uint8_t* base_ = nullptr;
};

}  // namespace gmmu::kmd
