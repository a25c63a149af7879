// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "tb/rtl/top/top_machine.h"

namespace gmmu::top {

constexpr uint64_t kRing = 0x10000, kBuffer = 0x20000, kFence = 0x30000, kSource = 0x1'0000'0000;

/// The GPU with ring 0 in host memory. Space 1 maps 16 pages of VRAM (0x100000) at 0x400000 and 16
/// pages of host memory (kSource) at 0x500000.
class OneRing : public ::testing::Test {
 protected:
  OneRing() {
    gpu.host.memory.Make(kRing, 0x1000);
    gpu.host.memory.Make(kBuffer, 0x4000);
    gpu.host.memory.Make(kFence, 0x1000);
    gpu.host.memory.Make(kSource, 0x10000);
    for (uint64_t i = 0; i < 0x10000; i += 8) gpu.host.memory.Write64(kSource + i, gpu.rng());
    Program();
  }
  ~OneRing() override {
    for (const auto& error : gpu.vram.errors) ADD_FAILURE() << error;
    for (const auto& error : gpu.host.errors) ADD_FAILURE() << error;
  }

  /// Programs the GPU as software does after power-on or a reset.
  void Program() {
    tail_ = 0;
    gpu.MakeSpace(1, 0x800000);
    gpu.MapPages(1, 0x400000, regs::Target::kVram, 0x100000, 16);
    gpu.MapPages(1, 0x500000, regs::Target::kSystem, kSource, 16);
    const uint32_t ring = TopMachine::RingAt(0);
    gpu.Set(regs::RingBase{}.set_address(kRing).set_target(regs::Target::kSystem), ring);
    gpu.Set(regs::RingFenceAddress{kFence}, ring);
    gpu.Set(regs::RingCtrl{}.set_size_lg2(4).set_enable(1).set_privileged(1), ring);
    gpu.Set(regs::IntEnable{0x1f});
    gpu.Set(regs::Ctrl{1});
  }
  void Submit(const std::vector<uint64_t>& words, uint32_t fence) {
    for (size_t i = 0; i < words.size(); ++i) gpu.host.memory.Write64(kBuffer + 8 * i, words[i]);
    const uint64_t entry = kRing + 32 * (tail_ % 16);
    gpu.host.memory.Write64(entry, kBuffer);
    gpu.host.memory.Write64(entry + 8, regs::RingEntryShape{}
                                           .set_bytes(words.size() * 8)
                                           .set_physical(1)
                                           .set_target(regs::Target::kSystem)
                                           .set_irq(1)
                                           .raw);
    gpu.host.memory.Write64(entry + 16, fence);
    tail_ = (tail_ + 1) % 16;
    gpu.Set(regs::RingTail{tail_}, TopMachine::RingAt(0));
  }
  bool Fenced(uint32_t fence) { return static_cast<uint32_t>(gpu.host.memory.Read64(kFence)) == fence; }
  void WaitFence(uint32_t fence) {
    gpu.Until([&] { return Fenced(fence); }, "the fence");
  }
  void Reset() {
    gpu.t.reset_i = 1;
    gpu.Step();
    gpu.t.reset_i = 0;
  }
  static std::vector<uint64_t> Copy(uint64_t from, uint64_t to, uint64_t bytes) {
    const auto header =
        regs::CommandHeaderWord{}.set_opcode(regs::Opcode::kCopy).set_src_space(1).set_dst_space(1).set_words(4);
    return {header.raw, from, to, bytes};
  }

  TopMachine gpu;
  uint64_t tail_ = 0;
};

}  // namespace gmmu::top
