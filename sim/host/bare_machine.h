// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "hw/gmmu_regs.h"
#include "hw/platform.h"

namespace gmmu::sim {

/// Minimal software that runs the machine without a driver or an operating system, for the engines'
/// tests and `gmmu bench`. If the machine does not behave as expected, a function throws
/// std::runtime_error.
///
/// Pages of host memory for GPU 0: ring 0x100, paging buffer 0x101, fence record 0x102, VT-d tables
/// from 0x200. GPU n adds 0x10 n to these numbers. The BARs of GPU n lie below those of GPU n - 1,
/// each aligned to its size.
class BareMachine {
 public:
  static constexpr hw::Bdf kGpu{1, 0, 0};
  static constexpr uint64_t kRegisters = 0xF8000000, kWindow = 0xE0000000;
  static constexpr uint64_t kRing = 0x100000, kBuffer = 0x101000, kFence = 0x102000;
  static constexpr uint64_t kRootTable = 0x200000, kContextTable = 0x201000, kTop = 0x202000;
  static constexpr uint64_t kRegisterStep = 0x10000, kWindowStep = 0x8000000, kHostStep = 0x10000;
  static constexpr uint32_t kMessageData = 0x41;  ///< message data of GPU 0; GPU n adds n

  /// `bound_ns` limits each wait for an interrupt.
  explicit BareMachine(hw::Platform& p, unsigned unit = 0, uint64_t bound_ns = 1'000'000)
      : p_(p), unit_(unit), bound_ns_(bound_ns) {}
  hw::Bdf bdf() const;
  uint64_t registers() const { return kRegisters - unit_ * kRegisterStep; }
  uint64_t window() const { return kWindow - unit_ * kWindowStep; }
  uint64_t Host(uint64_t of_first) const { return of_first + unit_ * kHostStep; }

  /// Programs the BARs and the interrupt message; enables memory decoding and bus mastering.
  void PowerOn();
  uint64_t Read(uint32_t offset) { return p_.MmioRead(registers() + offset, 8); }
  void Write(uint32_t offset, uint64_t value) { p_.MmioWrite(registers() + offset, 8, value); }

  /// Starts ring 0 as a privileged ring in system memory, and enables the GPU.
  void StartRing();
  /// Submits the commands as one ring entry and waits for the entry's interrupt. Returns false if
  /// the ring stopped or no interrupt arrived.
  bool Execute(const std::vector<uint64_t>& commands);
  /// Whether the fence record holds the fence of the most recent submission.
  bool Fenced();
  /// Disables the ring and waits until the GPU is idle.
  void StopRing();
  /// Disables and re-enables the ring. The ring is then empty and its head is 0.
  void RestartRing();
  regs::RingStatus status() { return {Read(regs::kRingBase + regs::RingStatus::kOffset)}; }
  static std::vector<uint64_t> Copy(regs::Target from, uint64_t source, regs::Target to, uint64_t destination,
                                    uint64_t bytes);

  /// Maps space 1 with two levels of 9 bits each: the root at VRAM 0x1000 and one leaf table at
  /// 0x2000, which maps page i to VRAM address pages[i].
  void MapSpace(const std::vector<uint64_t>& pages);
  /// Maps space 1 through a leaf table with these entries.
  void MapEntries(const std::vector<uint64_t>& leaf);
  /// Writes register link: GPUs 0 to `adapters` - 1 are linked, and this GPU's index is its unit
  /// number.
  void Link(unsigned adapters);
  /// Submit appends the commands to the ring and writes the doorbell; Await waits for the interrupt
  /// that reports their completion.
  void Submit(const std::vector<uint64_t>& commands);
  bool Await();
  /// Writes to VRAM through the window. On return, the bytes are in VRAM.
  void WriteVram(uint64_t offset, const void* from, size_t size);
  /// Makes client 0 read `lines` lines of space 1, starting at `base`. Returns true if the run ended without a fault.
  bool ClientReads(uint32_t lines, uint64_t base = 0);
  void InvalidateSpace();

  /// Enables VT-d with `pages` mapped: {logical, host} page addresses, read and write.
  struct Mapping {
    uint64_t logical, host;
  };
  void TranslateDma(const std::vector<Mapping>& pages);
  void Put(uint64_t address, uint64_t word);
  void Fill(uint64_t address, size_t size, uint8_t seed);
  std::vector<uint8_t> Bytes(uint64_t address, size_t size);

 private:
  hw::Platform& p_;
  const unsigned unit_;
  const uint64_t bound_ns_;
  uint32_t tail_ = 0;
};

}  // namespace gmmu::sim
