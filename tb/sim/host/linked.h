// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "host/bare_machine.h"
#include "hw/gmmu_regs.h"
#include "hw/platform.h"

namespace gmmu::sim {

/// The GPUs of a machine, powered on and linked, each with a running ring and with space 1. Pages 0 and 1 of the space
/// map the GPU's own VRAM, starting at 0x100000. Pages 2n + 2 and 2n + 3 map the same VRAM range of
/// GPU n with target peer; an access to the pages with the accessing GPU's own number faults with
/// `peer_absent`.
class LinkedMachine {
 public:
  static constexpr uint64_t kPages = 2, kBytes = kPages * 4096, kVram = 0x100000;

  explicit LinkedMachine(hw::Platform& p);

  hw::Platform& platform() { return p_; }
  unsigned units() const { return static_cast<unsigned>(gpus_.size()); }
  BareMachine& gpu(unsigned unit) { return *gpus_[unit]; }

  /// Return virtual addresses in space 1: Own for the VRAM of the accessing GPU, Of for the VRAM of
  /// GPU `unit`.
  static uint64_t Own(uint64_t offset = 0) { return offset; }
  static uint64_t Of(unsigned unit, uint64_t offset = 0) { return (unit + 1) * kBytes + offset; }
  static std::vector<uint64_t> Copy(uint64_t from, uint64_t to, uint64_t bytes);
  static regs::PteEntry PeerPage(unsigned unit, uint64_t offset);

  /// Fills the GPU's pages with a byte pattern that identifies the GPU.
  void FillVram(unsigned unit, uint8_t seed);
  std::vector<uint8_t> Vram(unsigned unit, uint64_t offset = 0, size_t size = kBytes);
  static std::vector<uint8_t> Pattern(uint8_t seed, size_t size = kBytes);

  /// Runs the submitted entries of all GPUs. Returns false if a ring stopped, or if no interrupt arrived within
  /// `bound_ns`.
  bool AwaitAll(uint64_t bound_ns = 1'000'000);
  /// Returns the reason why the ring of `unit` stopped. Disables and re-enables the ring, which is then empty.
  regs::Fault StoppedBy(unsigned unit);

 private:
  hw::Platform& p_;
  std::vector<std::unique_ptr<BareMachine>> gpus_;
};

// Contract tests for engines with linked GPUs. Each needs 2 to 4 GPUs, and is called by one test
// per engine.

void RegistersAndVramAreEachGpusOwn(hw::Platform& p);
void CopiesGoToThePeersVramAndBack(hw::Platform& p);
void ClientsReadThePeersVram(hw::Platform& p);
void TheFenceComesBehindThePeersAnswer(hw::Platform& p, uint64_t least_ns);
void PeersThatAreNotLinkedAreAbsent(hw::Platform& p);
void WhatTheLinkDoesNotReachIsABusError(hw::Platform& p, uint64_t vram_bytes);
void ARingSwitchedOnTakesWhatIsBelowItsTail(hw::Platform& p);
void AllWriteIntoEachOtherAtOnce(hw::Platform& p);
void InterruptsAndRequestersAreEachGpusOwn(hw::Platform& p);

}  // namespace gmmu::sim
