// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "hw/gmmu_regs.h"
#include "memory/vram.h"
#include "tb/bench/bare_gpu.h"

namespace gmmu::bench {

/// Copies of `size` bytes each. Copy k reads the source window at offset k * stride + source_skew
/// and writes the destination window at offset k * stride + destination_skew.
struct RingWork {
  uint64_t size = 1 << 20, stride = 1 << 20;
  uint64_t total = 1 << 20;  ///< total number of bytes, a multiple of `size`
  unsigned source_skew = 0, destination_skew = 0;
  bool physical = false;  ///< false: through scattered 4 KiB pages, three levels, tables in VRAM
  regs::Target destination = regs::Target::kSystem;  ///< the source is host memory
};

/// One ring entry with these copies: the memory contents that software prepares before it writes the registers. Ring,
/// paging buffer and fence record are in host memory.
class RingJob {
 public:
  explicit RingJob(const RingWork& work);

  /// Returns the register writes, up to and including the doorbell.
  static std::vector<RegisterWrite> Script();
  static constexpr uint64_t kDoorbellCycle = 4000;
  static constexpr uint64_t kFence = 0x20000;
  static constexpr uint32_t kFenceId = 77;

  void Prepare(sim::VramCore& vram, sim::VramCore& host) const;
  /// Returns whether the fence record has arrived in host memory.
  static bool Done(const sim::VramCore& host);
  /// Describes the first wrong byte of the destination window, or returns an empty string if there is none. Also checks
  /// the bytes between the copies.
  std::string Check(const sim::VramCore& vram, const sim::VramCore& host) const;

  uint64_t bytes() const { return work_.total; }
  /// Returns the number of bytes that the engine fetches for the job: the ring entry and the paging buffer.
  uint64_t command_bytes() const { return 32 + 8 * words_.size(); }

 private:
  uint64_t Place(const std::vector<uint32_t>& frames, uint64_t base, uint64_t at) const;

  const RingWork work_;
  std::vector<uint64_t> words_;
  std::vector<uint32_t> source_frames_, destination_frames_;  ///< frame of each page of a window
};

}  // namespace gmmu::bench
