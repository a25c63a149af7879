// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <vector>

#include "tb/sim/twin/bench.h"

namespace gmmu::sim::twin {

/// A machine whose paging engine and client 0 are ready to work: space 1 maps four pages at 0x10000
/// in VRAM, ring 0 accepts paging buffers, and the fault queue is at kQueue in host memory.
struct Work : ::testing::Test {
  static constexpr uint64_t kQueue = 0x110000;

  Work() {
    b.bare.MapSpace({0x10000, 0x11000, 0x12000, 0x13000});
    b.StartRing(0);
    b.bare.Write(regs::FaultQueueBase::kOffset, kQueue);
    b.bare.Write(regs::FaultQueueSize::kOffset, regs::FaultQueueSize().set_size_lg2(3).set_enable(1).raw);
  }
  static uint64_t Head(regs::Opcode opcode, unsigned words, uint64_t more = 0) {
    return regs::CommandHeaderWord().set_opcode(opcode).set_words(words).raw | more;
  }
  /// Executes a paging buffer. Returns the reason why the ring stopped, or kNone.
  regs::Fault Execute(const std::vector<uint64_t>& words) {
    b.Put(0, tail_, words, 100 + tail_);
    tail_ = (tail_ + 1) % 16;
    b.Ring(0, tail_);
    EXPECT_TRUE(b.machine.WaitForMessage(1'000'000));
    while (b.machine.TakeMessage()) {}
    b.bare.Write(regs::IntStatus::kOffset, 0x3F);
    return regs::RingStatus{b.bare.Read(Bench::Block(0) + regs::RingStatus::kOffset)}.reason();
  }
  uint64_t Vram(uint64_t offset) { return b.machine.MmioRead(BareMachine::kWindow + offset, 8); }
  uint64_t Host(uint64_t address) {
    uint64_t word = 0;
    EXPECT_TRUE(b.machine.ram().Read(address, &word, 8));
    return word;
  }
  /// Runs client 0 and returns its final status.
  regs::ClientStatus Client(regs::ClientCtrl ctrl, uint64_t base, uint32_t count) {
    b.bare.Write(regs::kClientBase + regs::ClientBase::kOffset, base);
    b.bare.Write(regs::kClientBase + regs::ClientLines::kOffset, regs::ClientLines().set_stride(1).raw);
    b.bare.Write(regs::kClientBase + regs::ClientOrder::kOffset, regs::ClientOrder().set_count(count).set_step(1).raw);
    b.bare.Write(regs::kClientBase, ctrl.set_start(1).set_space(1).raw);
    regs::ClientStatus status{1};
    for (int i = 0; i < 1000 && status.busy() != 0; ++i)
      status.raw = b.bare.Read(regs::kClientBase + regs::ClientStatus::kOffset);
    EXPECT_EQ(status.busy(), 0u);
    return status;
  }

  Bench b;
  unsigned tail_ = 0;
};

}  // namespace gmmu::sim::twin
