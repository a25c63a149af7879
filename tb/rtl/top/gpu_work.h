// SPDX-License-Identifier: Apache-2.0
// Work for the whole GPU: ring entries whose commands copy pages between host memory and VRAM.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "tb/rtl/top/top_machine.h"

namespace gmmu::top {

/// Space 1 maps 64 pages of VRAM (0x100000) at 0x400000 and 64 pages of host memory (kSource) at
/// 0x500000.
class GpuWork : public ::testing::Test {
 protected:
  static constexpr uint64_t kRings = 0x10000, kBuffers = 0x40000, kFences = 0x30000, kSource = 0x1'0000'0000;
  static constexpr uint64_t kVram = 0x100000, kBytes = 64 * 4096;

  GpuWork() {
    gpu.host.memory.Make(kRings, 0x1000 * sizes::kNumRings);
    gpu.host.memory.Make(kBuffers, 0x10000 * sizes::kNumRings);
    gpu.host.memory.Make(kFences, 0x1000);
    gpu.host.memory.Make(kSource, kBytes);
    for (uint64_t i = 0; i < kBytes; i += 8) gpu.host.memory.Write64(kSource + i, gpu.rng());
    gpu.MakeSpace(1, 0x800000);
    gpu.MapPages(1, 0x400000, regs::Target::kVram, kVram, 64);
    gpu.MapPages(1, 0x500000, regs::Target::kSystem, kSource, 64);
    for (unsigned r = 0; r < sizes::kNumRings; ++r) {
      const uint32_t ring = TopMachine::RingAt(r);
      gpu.Set(regs::RingBase{}.set_address(kRings + 0x1000 * r).set_target(regs::Target::kSystem), ring);
      gpu.Set(regs::RingFenceAddress{kFences + 64 * r}, ring);
      gpu.Set(Ctrl(), ring);
    }
    gpu.Set(regs::IntEnable{0x3f});
    gpu.Set(regs::Ctrl{1});
  }
  ~GpuWork() override {
    for (const auto& error : gpu.vram.errors) ADD_FAILURE() << error;
    for (const auto& error : gpu.host.errors) ADD_FAILURE() << error;
  }
  static regs::RingCtrl Ctrl() { return regs::RingCtrl{}.set_size_lg2(4).set_enable(1).set_privileged(1); }

  /// Returns `count` copies of `bytes` each, from adjacent addresses in host memory to adjacent
  /// ones in VRAM.
  static std::vector<uint64_t> Copies(unsigned count, uint64_t bytes) {
    std::vector<uint64_t> words;
    const auto header =
        regs::CommandHeaderWord{}.set_opcode(regs::Opcode::kCopy).set_src_space(1).set_dst_space(1).set_words(4);
    for (unsigned i = 0; i < count; ++i)
      for (const uint64_t word : {header.raw, 0x500000 + i * bytes, 0x400000 + i * bytes, bytes}) words.push_back(word);
    return words;
  }
  /// Writes ring entry `index`. Its buffer consists of `words` from byte `offset` on. The caller
  /// rings the doorbell.
  void Put(unsigned ring, unsigned index, const std::vector<uint64_t>& words, uint32_t fence, uint64_t offset = 0) {
    const uint64_t at = kBuffers + 0x10000 * ring;
    for (size_t i = 0; i < words.size(); ++i) gpu.host.memory.Write64(at + 8 * i, words[i]);
    const uint64_t entry = kRings + 0x1000 * ring + 32 * index;
    gpu.host.memory.Write64(entry, at + offset);
    gpu.host.memory.Write64(entry + 8, regs::RingEntryShape{}
                                           .set_bytes(8 * words.size() - offset)
                                           .set_physical(1)
                                           .set_target(regs::Target::kSystem)
                                           .set_irq(1)
                                           .raw);
    gpu.host.memory.Write64(entry + 16, fence);
  }
  void Kick(unsigned ring, uint32_t tail) { gpu.Set(regs::RingTail{tail}, TopMachine::RingAt(ring)); }
  uint32_t Fence(unsigned ring) { return static_cast<uint32_t>(gpu.host.memory.Read64(kFences + 64 * ring)); }
  regs::RingStatus Status(unsigned ring) { return gpu.Get<regs::RingStatus>(TopMachine::RingAt(ring)); }
  bool Copied(uint64_t first, uint64_t bytes) {
    return gpu.vram.memory.Bytes(kVram + first, bytes) == gpu.host.memory.Bytes(kSource + first, bytes);
  }

  TopMachine gpu;
};

}  // namespace gmmu::top
