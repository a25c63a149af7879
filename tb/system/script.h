// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "host/bare_machine.h"
#include "hw/gmmu_regs.h"
#include "hw/platform.h"

namespace gmmu::test {

/// Software for a bare GPU. It records its results without times, so two engines must produce the
/// same text.
///
/// Spaces have two levels of nine bits. The root of space s is at VRAM 0x100000 x s; its leaf table for [0, 2 MiB) is
/// in the page after the root.
class Script {
 public:
  using Bare = sim::BareMachine;
  static constexpr uint64_t kFaults = 0x110000;        ///< host memory: fault queue of 128 records
  static constexpr uint64_t kData = 0x1'4000'0000;     ///< host memory: 1 MiB of data
  static constexpr uint64_t kScratch = 0x1'5000'0000;  ///< host memory: buffer of SayVram

  explicit Script(hw::Platform& platform);

  hw::Platform& platform() { return p_; }
  Bare& bare() { return bare_; }
  const std::vector<std::string>& lines() const { return lines_; }

  void Say(const std::string& text) { lines_.push_back(text); }
  void Say(const std::string& name, uint64_t value);
  uint64_t Read(uint32_t offset) { return bare_.Read(offset); }
  void Write(uint32_t offset, uint64_t value) { bare_.Write(offset, value); }
  /// Records a checksum of memory. SayVram reads VRAM through ring 0, which it restarts.
  void SayVram(uint64_t offset, uint64_t bytes);
  void SayHost(uint64_t address, uint64_t bytes);

  // tables
  static uint64_t Root(unsigned space) { return uint64_t{0x100000} * space; }
  static uint64_t Leaf(unsigned space) { return Root(space) + 0x1000; }
  void MakeSpace(unsigned space);
  void Map(unsigned space, uint64_t va, regs::PteEntry entry);
  static regs::PteEntry Page(regs::Target target, uint64_t address);
  void PutVram(uint64_t offset, uint64_t word) { bare_.WriteVram(offset, &word, 8); }

  // ring 0
  void StartRing(bool privileged = true);
  /// Writes the words and a ring entry, rings the doorbell, waits until the entry has ended, and records the outcome.
  void Submit(const std::string& name, const std::vector<uint64_t>& words);
  /// Submits a ring entry that the caller has built.
  void SubmitEntry(const std::string& name, uint64_t buffer, uint64_t shape);
  static uint64_t Head(regs::Opcode opcode, unsigned words, uint64_t more = 0);

  // clients
  struct Run {
    unsigned client = 0;
    regs::ClientCtrl ctrl = regs::ClientCtrl().set_space(1);
    uint64_t base = 0, seed = 0;
    uint32_t first = 0, stride = 1, count = 1, step = 1;
  };
  void Client(const std::string& name, const Run& run);

  /// Records the new fault records and interrupt causes, and clears the causes.
  void SayTrouble();

 private:
  bool Until(uint32_t offset, uint64_t mask, uint64_t value);

  hw::Platform& p_;
  Bare bare_;
  std::vector<std::string> lines_;
  uint32_t tail_ = 0, fence_ = 0, records_ = 0;
};

}  // namespace gmmu::test
