// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "host/bare_machine.h"
#include "host/config.h"
#include "twin/fast_engine.h"

namespace gmmu::sim::twin {

inline MachineConfig Config(unsigned rings = 1, unsigned gpus = 1) {
  MachineConfig config = MachineConfig::Default();
  config.gpu.rings = rings;
  config.gpu.count = gpus;
  return config;
}

struct Bench {
  explicit Bench(const MachineConfig& config = Config()) : machine(config), bare(machine) { bare.PowerOn(); }
  ~Bench() { EXPECT_THAT(machine.Findings(), ::testing::IsEmpty()); }

  /// Starts ring `ring` with 16 entries. The memory of each ring begins 64 KiB after the memory of
  /// the previous ring.
  void StartRing(unsigned ring) {
    const uint32_t at = Block(ring);
    bare.Write(at + regs::RingBase::kOffset, RingAt(ring));
    bare.Write(at + regs::RingFenceAddress::kOffset, RingAt(ring) + 0x2000);
    bare.Write(at + regs::RingCtrl::kOffset, regs::RingCtrl().set_size_lg2(4).set_enable(1).set_privileged(1).raw);
    bare.Write(regs::IntEnable::kOffset, 3);
    bare.Write(regs::Ctrl::kOffset, 1);
  }
  /// Writes a ring entry at index `index`; the caller must ring the doorbell.
  void Put(unsigned ring, unsigned index, const std::vector<uint64_t>& words, uint32_t fence) {
    const uint64_t buffer = RingAt(ring) + 0x4000 + 0x200 * index;
    const uint64_t entry[4] = {buffer,
                               regs::RingEntryShape().set_bytes(words.size() * 8).set_physical(1).set_irq(1).raw, fence,
                               0};
    EXPECT_TRUE(machine.ram().Write(buffer, words.data(), words.size() * 8));
    EXPECT_TRUE(machine.ram().Write(RingAt(ring) + 32 * index, entry, sizeof entry));
  }
  void Ring(unsigned ring, unsigned tail) { bare.Write(Block(ring) + regs::RingTail::kOffset, tail); }
  uint32_t Fence(unsigned ring) {
    uint32_t fence = 0;
    EXPECT_TRUE(machine.ram().Read(RingAt(ring) + 0x2000, &fence, sizeof fence));
    return fence;
  }
  static uint32_t Block(unsigned ring) { return regs::kRingBase + regs::kRingStride * ring; }
  static uint64_t RingAt(unsigned ring) { return 0x1000000 + 0x10000 * uint64_t{ring}; }

  FastMachine machine;
  BareMachine bare;
};

}  // namespace gmmu::sim::twin
